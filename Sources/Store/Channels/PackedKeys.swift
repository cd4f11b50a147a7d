/// Keys one after the other in one buffer.
///
/// To copy many is to copy their bytes; nothing is allocated, or counted, for each of them.
struct PackedKeys: Sendable {
    private var bytes: [UInt8] = []
    /// Where each key ends, and the next one begins.
    private var ends: [Int] = []

    init() {}

    /// One key.
    init(_ key: UnsafeRawBufferPointer) {
        bytes = KeyBytes(key)
        ends = [key.count]
    }

    /// The keys that a writer has written, by where each ends.
    init(_ writer: ByteWriter, ends: [Int]) {
        bytes = writer.bytes
        self.ends = ends
    }

    /// Some of the keys that somebody lends, in an order of their own.
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

    /// How many bytes the keys have.
    var size: Int { bytes.count }

    /// Where a key begins; behind the last one, where the bytes end.
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

    /// Takes the keys from one on away, and returns them.
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
    /// The keys, for the time of a call.
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

        /// How many come before a key, of keys that are in order.
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

    /// Lends the keys.
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
