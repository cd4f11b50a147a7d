/// How the payload of a field is laid out on the wire.
///
/// DO NOT CHANGE: these are protobuf's numbers (protobuf.dev/programming-guides/encoding).
enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
}

/// Protobuf's limits.
enum Wire {
    static let maximumFieldNumber: UInt64 = 536_870_911
    /// One byte more than a record may have: 1 GiB, so that offsets fit 32 bits even after the
    /// canonical form has packed what was not.
    static let maximumSize = 1 << 30

    /// How many bytes a varint takes: one for each seven bits begun.
    @inline(__always)
    static func size(ofVarint value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// How many bytes the tag of a field takes.
    @inline(__always)
    static func size(ofTag number: Int) -> Int {
        number < 16 ? 1 : size(ofVarint: UInt64(number) << 3)
    }

    /// How many bytes a length and what it counts take together.
    @inline(__always)
    static func size(ofDelimited count: Int) -> Int {
        size(ofVarint: UInt64(count)) + count
    }
}

extension RawSpan {
    /// Reads a byte without checking that it is there: the validator's loops have just done so.
    @inline(__always)
    func uncheckedByte(at offset: Int) -> UInt8 {
        unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Reads eight bytes, the first one lowest, without checking that they are there.
    @inline(__always)
    func uncheckedWord(at offset: Int) -> UInt64 {
        UInt64(
            littleEndian: unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}

// Reading bytes that were checked before. Every load is bounded by the span all the same, in
// release builds too: should a check ever be wrong, the reader stops and does not read on.
extension RawSpan {
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: byteCount))
        return uncheckedByte(at: offset)
    }

    /// Reads a varint that is known to be whole, and moves `offset` behind it.
    @inline(__always)
    func varint(at offset: inout Int) -> UInt64 {
        let first = byte(at: offset)
        offset &+= 1
        if first < 0x80 { return UInt64(first) }
        let (value, end) = longVarint(first, from: offset)
        offset = end
        return value
    }

    /// The value of a varint whose first byte was read, and the offset behind it.
    ///
    /// Not `inout`, so that the offset of whoever calls stays in a register.
    @inline(never)
    private func longVarint(_ first: UInt8, from start: Int) -> (value: UInt64, end: Int) {
        var offset = start
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while true {
            let next = byte(at: offset)
            offset &+= 1
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return (value, offset) }
            shift += 7
        }
    }

    /// Moves `offset` over a payload that is known to be whole.
    @inline(__always)
    func skipPayload(_ wireType: UInt8, at offset: inout Int) {
        switch wireType {
        case WireType.varint.rawValue:
            skipVarint(at: &offset)
        case WireType.lengthDelimited.rawValue:
            let count = Int(truncatingIfNeeded: varint(at: &offset))
            offset &+= count
        case WireType.fixed64.rawValue:
            offset += 8
        default:
            offset += 4
        }
    }

    /// Moves `offset` over a varint that is known to be whole.
    @inline(__always)
    private func skipVarint(at offset: inout Int) {
        if byte(at: offset) < 0x80 {
            offset &+= 1
            return
        }
        // Eight bytes at once, where the span has them: the last one is the first without its
        // highest bit.
        if offset <= byteCount &- 8 {
            let ends = ~uncheckedWord(at: offset) & RawSpan.highBits
            if ends != 0 {
                offset &+= ends.trailingZeroBitCount / 8 &+ 1
                return
            }
        }
        while byte(at: offset) >= 0x80 { offset &+= 1 }
        offset &+= 1
    }
}
