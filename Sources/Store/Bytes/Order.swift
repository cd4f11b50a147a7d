import Foundation

extension UnsafeRawBufferPointer {
    /// Whether these bytes come before others, byte by byte; a beginning comes before the whole.
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
    /// Lends the bytes.
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Whether this key comes before another.
    package func precedes(_ other: KeyBytes) -> Bool {
        withBytes { $0.precedes(other) }
    }
}
