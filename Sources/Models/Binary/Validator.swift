/// Validates bytes from outside the process in a single pass.
///
/// All later reads rely on these checks. The validator also finds out whether the bytes are in the
/// canonical form, in which equal values have equal bytes:
///
/// - Fields are in ascending order, so a search for a field can stop at the first higher number.
/// - A field occurs at most once, unless it is repeated or a map.
/// - A zero that means "missing" is not written.
/// - Integers have as few bytes as possible, and the integers of a repeated field are packed.
/// - Map entries are ordered by key.
enum Validator {
    /// Returns `true` if a record and all nested ones are in the canonical form; throws at the
    /// first damage.
    ///
    /// `depth` is the number of enclosing records with recursive layouts.
    static func check(
        _ span: RawSpan, from start: Int, to end: Int, layout: Layout, depth: Int
    ) throws(SerializationError) -> Bool {
        // The unchecked reads below rely on this check.
        precondition(0 <= start && start <= end && end <= span.byteCount)
        let depth = layout.isRecursive ? depth + 1 : depth
        guard depth <= JSONValue.maximumDepth else {
            throw SerializationError(.tooDeep, at: start)
        }
        var offset = start
        var isCanonical = true
        var last = 0
        var lastKey = 0..<0

        while offset < end {
            let tagOffset = offset
            let tag = try fieldTag(span, at: &offset, end: end, &isCanonical)
            let number = Int(truncatingIfNeeded: tag >> 3)
            let wireType = UInt8(truncatingIfNeeded: tag & 7)
            let slot = layout.slot(number)
            let isFirst = number > last
            if !isFirst && (number < last || !slot.mayRepeat) { isCanonical = false }
            last = number

            switch slot.check {
            case .text:
                let payload = try delimited(
                    wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
                try expectText(span, from: payload, to: offset)
                if payload == offset && slot.label == .implicit { isCanonical = false }
            case .integer:
                try expect(.varint, wireType, at: tagOffset)
                let value = try skipVarint(span, at: &offset, end: end, &isCanonical)
                if slot.omits(value) { isCanonical = false }
            case .bool:
                try expect(.varint, wireType, at: tagOffset)
                let value = try varint(span, at: &offset, end: end, &isCanonical)
                if slot.omits(value) || value > 1 { isCanonical = false }
            case .record, .mapEntry:
                let payload = try delimited(
                    wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
                let isNestedCanonical = try check(
                    span, from: payload, to: offset, layout: layout.layout(in: number),
                    depth: depth)
                if !isNestedCanonical { isCanonical = false }
                guard isNestedCanonical, slot.check == .mapEntry else { break }
                let key = span.mapKey(inEntryFrom: payload, to: offset)
                if !isFirst && !span.precedes(lastKey, key) { isCanonical = false }
                lastKey = key
            case .packed:
                if !isFirst { isCanonical = false }
                try checkPacked(
                    wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
            case .double:
                try expect(.fixed64, wireType, at: tagOffset)
                guard end - offset >= 8 else { throw SerializationError(.truncated, at: end) }
                let bits = span.uncheckedWord(at: offset)
                if bits == 0 && slot.label == .implicit { isCanonical = false }
                offset += 8
            case .bytes:
                let payload = try delimited(
                    wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
                if payload == offset && slot.label == .implicit { isCanonical = false }
            case .unknown:
                try skipUnknown(
                    wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
            }
        }
        return isCanonical
    }

    @inline(__always)
    private static func fieldTag(
        _ span: RawSpan, at offset: inout Int, end: Int, _ isCanonical: inout Bool
    ) throws(SerializationError) -> UInt64 {
        let start = offset
        let tag = try varint(span, at: &offset, end: end, &isCanonical)
        guard tag >> 3 > 0, tag >> 3 <= Wire.maximumFieldNumber else {
            throw SerializationError(.invalidTag, at: start)
        }
        return tag
    }

    @inline(__always)
    private static func expectText(
        _ span: RawSpan, from start: Int, to end: Int
    ) throws(SerializationError) {
        guard span.isUTF8(from: start, to: end) else {
            throw SerializationError(.invalidText, at: start)
        }
    }

    private static func checkPacked(
        _ wireType: UInt8, ofTagAt tagOffset: Int, _ span: RawSpan, at offset: inout Int, end: Int,
        _ isCanonical: inout Bool
    ) throws(SerializationError) {
        guard wireType != WireType.varint.rawValue else {
            isCanonical = false
            _ = try varint(span, at: &offset, end: end, &isCanonical)
            return
        }
        var element = try delimited(
            wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
        if element == offset { isCanonical = false }
        while element < offset { _ = try varint(span, at: &element, end: offset, &isCanonical) }
    }

    @inline(__always)
    private static func expect(
        _ expected: WireType, _ wireType: UInt8, at tagOffset: Int
    ) throws(SerializationError) {
        guard wireType == expected.rawValue else {
            throw SerializationError(.wrongWireType, at: tagOffset)
        }
    }

    /// Reads a length, moves `offset` to the end of the payload, and returns its start.
    @inline(__always)
    private static func delimited(
        _ wireType: UInt8, ofTagAt tagOffset: Int, _ span: RawSpan, at offset: inout Int, end: Int,
        _ isCanonical: inout Bool
    ) throws(SerializationError) -> Int {
        try expect(.lengthDelimited, wireType, at: tagOffset)
        let count = try varint(span, at: &offset, end: end, &isCanonical)
        guard count <= UInt64(truncatingIfNeeded: end - offset) else {
            throw SerializationError(.truncated, at: end)
        }
        defer { offset += Int(truncatingIfNeeded: count) }
        return offset
    }

    @inline(__always)
    private static func varint(
        _ span: RawSpan, at offset: inout Int, end: Int, _ isCanonical: inout Bool
    ) throws(SerializationError) -> UInt64 {
        guard offset < end else { throw SerializationError(.truncated, at: end) }
        let first = span.uncheckedByte(at: offset)
        offset += 1
        if first < 0x80 { return UInt64(first) }
        if offset < end {
            let second = span.uncheckedByte(at: offset)
            if second < 0x80 && second > 0 {
                offset += 1
                return UInt64(first & 0x7f) | UInt64(second) << 7
            }
        }
        return try longVarint(span, first, at: &offset, end: end, &isCanonical)
    }

    /// Moves `offset` past a varint, and returns the value, or any number above 127 if it is
    /// larger.
    @inline(__always)
    private static func skipVarint(
        _ span: RawSpan, at offset: inout Int, end: Int, _ isCanonical: inout Bool
    ) throws(SerializationError) -> UInt64 {
        // Most long varints are times of six bytes: read eight bytes at once if possible.
        if offset <= end &- 8 {
            let word = span.uncheckedWord(at: offset)
            let ends = ~word & RawSpan.highBits
            if ends != 0 {
                let lastBit = UInt64(truncatingIfNeeded: ends.trailingZeroBitCount)
                offset += Int(truncatingIfNeeded: lastBit / 8) + 1
                if lastBit == 7 { return word & 0x7f }
                // A last byte of zero makes the varint longer than necessary.
                if word &>> (lastBit &- 7) & 0x7f == 0 { isCanonical = false }
                return .max
            }
        }
        return try varint(span, at: &offset, end: end, &isCanonical)
    }

    private static func longVarint(
        _ span: RawSpan, _ first: UInt8, at offset: inout Int, end: Int, _ isCanonical: inout Bool
    ) throws(SerializationError) -> UInt64 {
        let start = offset - 1
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while true {
            guard offset < end else { throw SerializationError(.truncated, at: end) }
            let next = span.uncheckedByte(at: offset)
            offset += 1
            // The tenth byte contributes only one bit.
            if shift == 63 && next > 1 { throw SerializationError(.invalidVarint, at: start) }
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 {
                if next == 0 { isCanonical = false }
                return value
            }
            shift += 7
        }
    }

    private static func skipUnknown(
        _ wireType: UInt8, ofTagAt tagOffset: Int, _ span: RawSpan, at offset: inout Int, end: Int,
        _ isCanonical: inout Bool
    ) throws(SerializationError) {
        switch WireType(rawValue: wireType) {
        case .varint:
            _ = try varint(span, at: &offset, end: end, &isCanonical)
        case .lengthDelimited:
            _ = try delimited(
                wireType, ofTagAt: tagOffset, span, at: &offset, end: end, &isCanonical)
        case .fixed64, .fixed32:
            let count = wireType == WireType.fixed64.rawValue ? 8 : 4
            guard end - offset >= count else { throw SerializationError(.truncated, at: end) }
            offset += count
        case nil:
            throw SerializationError(.invalidTag, at: tagOffset)
        }
    }
}

extension RawSpan {
    /// Returns the range of the key in a canonical map entry; empty if the key is omitted.
    func mapKey(inEntryFrom start: Int, to end: Int) -> Range<Int> {
        guard start < end, byte(at: start) == 1 << 3 | WireType.lengthDelimited.rawValue else {
            return start..<start
        }
        var offset = start + 1
        let count = Int(truncatingIfNeeded: varint(at: &offset))
        return offset..<offset + count
    }

    func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        for index in 0..<Swift.min(left.count, right.count) {
            let (a, b) = (byte(at: left.lowerBound + index), byte(at: right.lowerBound + index))
            if a != b { return a < b }
        }
        return left.count < right.count
    }
}
