/// A list of keys in one buffer.
///
/// Copying the list copies bytes; no key needs its own allocation or reference count.
struct PackedKeys: Sendable {
    private var bytes: [UInt8] = []
    /// The end offset of each key, which is also the start of the next key.
    private var ends: [Int] = []

    init() {}

    init(_ key: UnsafeRawBufferPointer) {
        bytes = KeyBytes(key)
        ends = [key.count]
    }

    /// Creates a list from the bytes of a writer and the end offsets of the keys.
    init(_ writer: ByteWriter, ends: [Int]) {
        bytes = writer.bytes
        self.ends = ends
    }

    /// Creates a list of the keys at some indices of another list, in the order of the indices.
    init(_ keys: Lent, at indices: some Collection<Int>) {
        var size = 0
        ends.reserveCapacity(indices.count)
        for index in indices {
            size += keys[index].count
            ends.append(size)
        }
        bytes.reserveCapacity(size)
        for index in indices { bytes.append(contentsOf: keys[index]) }
    }

    var count: Int { ends.count }

    /// The total number of bytes.
    var size: Int { bytes.count }

    /// Returns the start offset of a key; for the index after the last key, the end of the bytes.
    private func start(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    mutating func insert(_ key: UnsafeRawBufferPointer, at index: Int) {
        let start = start(index)
        bytes.insert(contentsOf: key, at: start)
        ends.insert(start, at: index)
        moveEnds(from: index, by: key.count)
    }

    mutating func remove(at index: Int) {
        let range = start(index)..<ends[index]
        bytes.removeSubrange(range)
        ends.remove(at: index)
        moveEnds(from: index, by: -range.count)
    }

    /// Removes and returns the keys from `index` to the end.
    mutating func removeSuffix(from index: Int) -> PackedKeys {
        let start = start(index)
        var suffix = PackedKeys()
        suffix.bytes = Array(bytes[start...])
        suffix.ends = Array(ends[index...])
        suffix.moveEnds(from: 0, by: -start)
        bytes.removeSubrange(start...)
        ends.removeSubrange(index...)
        return suffix
    }

    mutating func append(_ other: PackedKeys) {
        let (start, first) = (bytes.count, count)
        bytes += other.bytes
        ends += other.ends
        moveEnds(from: first, by: start)
    }

    private mutating func moveEnds(from first: Int, by size: Int) {
        ends.withUnsafeMutableBufferPointer { ends in
            for index in first..<ends.count { ends[index] += size }
        }
    }
}

extension PackedKeys {
    /// A view of the keys that is valid only during a call.
    struct Lent {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let ends: UnsafeBufferPointer<Int>

        var count: Int { ends.count }

        subscript(index: Int) -> UnsafeRawBufferPointer {
            @inline(__always) get {
                let start = index == 0 ? 0 : ends[index - 1]
                return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]])
            }
        }

        /// Returns the number of keys that precede `key` in a sorted list.
        func countBefore(_ key: UnsafeRawBufferPointer) -> Int {
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                if self[middle].precedes(key) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Passes a view of the keys to a closure.
    @inline(__always)
    func lend<Result, Failure: Error>(
        _ body: (Lent) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes { (bytes) throws(Failure) in
            try ends.withUnsafeBufferPointer { (ends) throws(Failure) in
                try body(Lent(bytes: bytes, ends: ends))
            }
        }
    }
}
