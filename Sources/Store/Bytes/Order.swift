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

    /// Eight bytes as a number, the first one the greatest, so that where two differ, they compare as
    /// the bytes do; what is missing is zero.
    @inline(__always)
    func number(at offset: Int) -> UInt64 {
        if offset + 8 <= count {
            return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        return (offset..<offset + 8).reduce(0) { $0 << 8 | ($1 < count ? UInt64(self[$1]) : 0) }
    }

    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
    }
}

/// A key that many others are compared with, most of which differ from it in their first bytes.
struct KeyBound {
    private let key: KeyBytes
    /// Its first bytes.
    private let head: UInt64

    @inline(__always)
    init(_ key: KeyBytes) {
        self.key = key
        head = key.withBytes { $0.number(at: 0) }
    }

    /// Whether another key comes before this.
    @inline(__always)
    func isBehind(_ other: UnsafeRawBufferPointer) -> Bool {
        let otherHead = other.number(at: 0)
        return otherHead == head ? other.precedes(key) : otherHead < head
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
