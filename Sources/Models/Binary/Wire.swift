/// DO NOT CHANGE: protobuf defines these numbers (protobuf.dev/programming-guides/encoding).
enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
}

enum Wire {
    static let maximumFieldNumber: UInt64 = 536_870_911
    /// The exclusive upper bound of a record's size: 1 GiB.
    ///
    /// Offsets fit in 32 bits, even in the canonical form, which may be larger.
    static let maximumSize = 1 << 30

    @inline(__always)
    static func size(ofVarint value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    @inline(__always)
    static func size(ofTag number: Int) -> Int {
        number < 16 ? 1 : size(ofVarint: UInt64(number) << 3)
    }

    @inline(__always)
    static func size(ofDelimited count: Int) -> Int {
        size(ofVarint: UInt64(count)) + count
    }
}

extension RawSpan {
    /// The caller has checked the offset.
    @inline(__always)
    func uncheckedByte(at offset: Int) -> UInt8 {
        unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Reads eight bytes in little-endian order.
    ///
    /// The caller has checked the offset.
    @inline(__always)
    func uncheckedWord(at offset: Int) -> UInt64 {
        UInt64(
            littleEndian: unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}

// Reads of validated bytes check the bounds nevertheless, so that an error in the validator traps
// instead of reading past the end.
extension RawSpan {
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: byteCount))
        return uncheckedByte(at: offset)
    }

    @inline(__always)
    func varint(at offset: inout Int) -> UInt64 {
        let first = byte(at: offset)
        offset &+= 1
        if first < 0x80 { return UInt64(first) }
        let (value, end) = longVarint(first, from: offset)
        offset = end
        return value
    }

    /// Returns a varint whose first byte was already read, and the offset of its end.
    ///
    /// The end is no `inout` parameter: this keeps the caller's offset in a register.
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

    @inline(__always)
    private func skipVarint(at offset: inout Int) {
        if byte(at: offset) < 0x80 {
            offset &+= 1
            return
        }
        // The varint ends at the first byte whose highest bit is not set.
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
