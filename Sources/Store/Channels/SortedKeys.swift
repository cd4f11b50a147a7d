/// A sorted list of keys, as a value whose copies share unchanged parts.
///
/// The keys are divided into chunks of at most 256 keys, or about 64 KiB if keys are long. An
/// insertion copies one chunk and the list of chunks, so the cost of a change depends little on the
/// length of the list.
struct SortedKeys: Sendable {
    /// No chunk is empty.
    private var chunks: [PackedKeys]
    private(set) var count: Int

    /// The maximum number of keys in a chunk, and the number of bytes above which a chunk of
    /// several keys is split.
    private static let (chunkCount, chunkSize) = (256, 64 << 10)

    /// Creates a sorted list of unique keys in any order.
    init(_ keys: PackedKeys = PackedKeys()) {
        count = keys.count
        chunks = keys.lend { keys in
            let heads = SortedKeys.sorted(keys)
            var chunks: [PackedKeys] = []
            var start = 0
            while start < heads.count {
                var (end, size) = (start, 0)
                while end < heads.count, end - start < SortedKeys.chunkCount / 2,
                    size < SortedKeys.chunkSize / 2
                {
                    size += keys[heads[end].index].count
                    end += 1
                }
                chunks.append(PackedKeys(keys, at: heads[start..<end].lazy.map(\.index)))
                start = end
            }
            return chunks
        }
    }

    /// Sorts keys by their first bytes, compared as numbers, and by the other bytes only if the
    /// first are equal.
    ///
    /// Comparing keys byte by byte took most of the time of the first request for a list.
    private static func sorted(_ keys: PackedKeys.Lent) -> [Head] {
        var heads = (0..<keys.count).map { Head(of: keys[$0], at: $0) }
        heads.sort { left, right in
            if left.first != right.first { return left.first < right.first }
            if left.second != right.second { return left.second < right.second }
            return keys[left.index].precedes(keys[right.index])
        }
        return heads
    }

    /// The first sixteen bytes of a key as numbers with the same order.
    private struct Head {
        let first: UInt64
        let second: UInt64
        let index: Int

        init(of key: UnsafeRawBufferPointer, at index: Int) {
            first = key.number(at: 0)
            second = key.number(at: 8)
            self.index = index
        }
    }

    /// Returns the index of the chunk that contains a key, or into which the key would be inserted.
    private func chunk(for key: UnsafeRawBufferPointer) -> Int {
        // Finds the last chunk whose first key is not greater than the key.
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].lend({ key.precedes($0[0]) }) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return max(0, low - 1)
    }

    /// Returns the location of a key, or the location at which the key would be inserted.
    private func place(
        of key: UnsafeRawBufferPointer
    ) -> (chunk: Int, index: Int, isThere: Bool) {
        let chunk = chunk(for: key)
        return chunks[chunk].lend { keys in
            let index = keys.countBefore(key)
            return (chunk, index, index < keys.count && keys[index].hasSameBytes(as: key))
        }
    }

    mutating func insert(_ key: UnsafeRawBufferPointer) {
        if chunks.isEmpty {
            chunks = [PackedKeys(key)]
            count = 1
            return
        }
        let (chunk, index, isThere) = place(of: key)
        if isThere { return }
        chunks[chunk].insert(key, at: index)
        count += 1
        let isLarge = chunks[chunk].size > SortedKeys.chunkSize && chunks[chunk].count > 1
        if isLarge || chunks[chunk].count > SortedKeys.chunkCount {
            let newer = chunks[chunk].removeSuffix(from: chunks[chunk].count / 2)
            chunks.insert(newer, at: chunk + 1)
        }
    }

    mutating func remove(_ key: UnsafeRawBufferPointer) {
        if chunks.isEmpty { return }
        let (chunk, index, isThere) = place(of: key)
        guard isThere else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].count == 0 {
            chunks.remove(at: chunk)
        } else if !joinNext(to: chunk) && chunk > 0 {
            joinNext(to: chunk - 1)
        }
    }

    /// Merges two adjacent chunks if they fill at most half a chunk together, so that there are not
    /// many small chunks.
    @discardableResult
    private mutating func joinNext(to chunk: Int) -> Bool {
        guard chunk + 1 < chunks.count,
            chunks[chunk].count + chunks[chunk + 1].count <= SortedKeys.chunkCount / 2,
            chunks[chunk].size + chunks[chunk + 1].size <= SortedKeys.chunkSize / 2
        else { return false }
        let next = chunks.remove(at: chunk + 1)
        chunks[chunk].append(next)
        return true
    }

    /// Calls a closure with each key in order, starting at a given key, until the closure returns
    /// `false`.
    ///
    /// The key is valid only during the call.
    func forEach<Failure: Error>(
        from key: KeyBytes? = nil, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
    ) throws(Failure) {
        if chunks.isEmpty { return }
        let place = key.map { $0.withBytes { self.place(of: $0) } }
        var chunk = place?.chunk ?? 0
        var index = place?.index ?? 0
        while chunk < chunks.count {
            let goesOn = try chunks[chunk].lend { (keys) throws(Failure) in
                while index < keys.count {
                    guard try body(keys[index]) else { return false }
                    index += 1
                }
                return true
            }
            guard goesOn else { return }
            chunk += 1
            index = 0
        }
    }
}
