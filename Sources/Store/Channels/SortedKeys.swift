/// Keys in order, as a value that shares what did not change with its copies.
///
/// Chunks of at most 256 keys: an insertion copies one chunk and the list of chunks, so a touch of
/// one channel among ten thousand costs the same at any time, however many came before.
struct SortedKeys: Sendable {
    private var chunks: [[KeyBytes]]
    private(set) var count: Int

    private static let chunkSize = 256

    /// Sorts keys, which may come in any order, each once.
    init(_ keys: [KeyBytes] = []) {
        let sorted = SortedKeys.sorted(keys)
        count = sorted.count
        chunks = stride(from: 0, to: sorted.count, by: SortedKeys.chunkSize / 2).map {
            Array(sorted[$0..<min($0 + SortedKeys.chunkSize / 2, sorted.count)])
        }
    }

    /// Sorts by the first bytes, as numbers, and by the rest only where those are the same.
    ///
    /// Comparing keys byte by byte is what a list of all channels took longest for when it was first asked
    /// for.
    private static func sorted(_ keys: [KeyBytes]) -> [KeyBytes] {
        var heads = keys.indices.map { Head(of: keys[$0], at: $0) }
        heads.sort { left, right in
            if left.first != right.first { return left.first < right.first }
            if left.second != right.second { return left.second < right.second }
            return keys[left.index].precedes(keys[right.index])
        }
        return heads.map { keys[$0.index] }
    }

    /// The first sixteen bytes of a key, as numbers that compare as they do.
    private struct Head {
        let first: UInt64
        let second: UInt64
        let index: Int

        init(of key: KeyBytes, at index: Int) {
            first = key.prefix(8).number
            second = key.dropFirst(8).prefix(8).number
            self.index = index
        }
    }

    /// The index of the chunk that has a key, or where it belongs.
    private func chunk(for key: KeyBytes) -> Int {
        // The last chunk that does not begin behind the key.
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if key.precedes(chunks[middle][0]) { high = middle } else { low = middle + 1 }
        }
        return max(0, low - 1)
    }

    /// Where in a chunk the first key is that does not come before another.
    private func index(of key: KeyBytes, inChunk chunk: Int) -> Int {
        var low = 0
        var high = chunks[chunk].count
        while low < high {
            let middle = (low + high) / 2
            if chunks[chunk][middle].precedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ key: KeyBytes) {
        if chunks.isEmpty {
            chunks = [[key]]
            count = 1
            return
        }
        let chunk = chunk(for: key)
        let index = index(of: key, inChunk: chunk)
        if index < chunks[chunk].count && chunks[chunk][index] == key { return }
        chunks[chunk].insert(key, at: index)
        count += 1
        if chunks[chunk].count > SortedKeys.chunkSize {
            let half = chunks[chunk].count / 2
            let newer = Array(chunks[chunk][half...])
            chunks[chunk].removeSubrange(half...)
            chunks.insert(newer, at: chunk + 1)
        }
    }

    mutating func remove(_ key: KeyBytes) {
        if chunks.isEmpty { return }
        let chunk = chunk(for: key)
        let index = index(of: key, inChunk: chunk)
        guard index < chunks[chunk].count && chunks[chunk][index] == key else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
        } else if !joinNext(to: chunk) && chunk > 0 {
            joinNext(to: chunk - 1)
        }
    }

    /// Makes one of two neighbours that have half a chunk at most, so that no list is of crumbs.
    @discardableResult
    private mutating func joinNext(to chunk: Int) -> Bool {
        guard chunk + 1 < chunks.count,
            chunks[chunk].count + chunks[chunk + 1].count <= SortedKeys.chunkSize / 2
        else { return false }
        chunks[chunk] += chunks.remove(at: chunk + 1)
        return true
    }

    /// Calls a closure with the keys from one on, in order, until it returns false.
    func forEach<Failure: Error>(
        from key: KeyBytes? = nil, _ body: (KeyBytes) throws(Failure) -> Bool
    ) throws(Failure) {
        if chunks.isEmpty { return }
        var chunk = key.map(chunk(for:)) ?? 0
        var index = key.map { self.index(of: $0, inChunk: chunk) } ?? 0
        while chunk < chunks.count {
            while index < chunks[chunk].count {
                guard try body(chunks[chunk][index]) else { return }
                index += 1
            }
            chunk += 1
            index = 0
        }
    }
}

extension ArraySlice<UInt8> {
    /// Eight bytes as a number, the first one the greatest; what is missing is zero.
    fileprivate var number: UInt64 {
        var number: UInt64 = 0
        for byte in self { number = number << 8 | UInt64(byte) }
        return number << UInt64(8 * (8 - count))
    }
}
