import Foundation

extension UnsafeRawBufferPointer {
    /// Compares in byte order; a prefix of a sequence precedes it.
    @inline(__always)
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let common = Swift.min(count, other.count)
        guard common > 0 else { return count < other.count }
        let order = memcmp(baseAddress!, other.baseAddress!, common)
        return order == 0 ? count < other.count : order < 0
    }

    @inline(__always)
    func precedes(_ other: KeyBytes) -> Bool {
        other.withBytes { precedes($0) }
    }

    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
    }
}

extension [UInt8] {
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }

    package func precedes(_ other: KeyBytes) -> Bool {
        withBytes { $0.precedes(other) }
    }
}

extension Array {
    /// Returns the number of first elements that meet a condition, which no later one may meet, by
    /// binary search.
    @inline(__always)
    func countOfFirst(where condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
