/// Rewrites a well-formed record in the canonical form.
///
/// Other protobuf code may write fields in any order, zeros, unpacked integers, and repeated
/// singular fields, of which the last value wins, or whose records are merged.
enum Canonicalizer {
    /// Compact, because the number of parts depends on untrusted input.
    private struct Part {
        private let field: UInt32
        let wireType: UInt8
        private let lower: Int32
        private let upper: Int32

        init(number: Int, wireType: UInt8, payload: Range<Int>) {
            field = UInt32(number)
            self.wireType = wireType
            lower = Int32(payload.lowerBound)
            upper = Int32(payload.upperBound)
        }

        var number: Int { Int(field) }
        var payload: Range<Int> { Int(lower)..<Int(upper) }

        static func precedes(_ left: Part, _ right: Part) -> Bool {
            (left.field, left.lower) < (right.field, right.lower)
        }
    }

    static func append(
        _ span: RawSpan, _ range: Range<Int>, layout: Layout, to output: inout [UInt8]
    ) {
        let parts = parts(of: span, range)
        var index = 0
        while index < parts.count {
            let number = parts[index].number
            let end = parts[index...].firstIndex { $0.number != number } ?? parts.count
            append(span, parts[index..<end], layout: layout, to: &output)
            index = end
        }
    }

    /// Returns the parts by field number, and in order for each field.
    private static func parts(of span: RawSpan, _ range: Range<Int>) -> [Part] {
        var parts: [Part] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let tag = span.varint(at: &offset)
            let wireType = UInt8(truncatingIfNeeded: tag & 7)
            var start = offset
            span.skipPayload(wireType, at: &offset)
            if wireType == WireType.lengthDelimited.rawValue { _ = span.varint(at: &start) }
            parts.append(
                Part(number: Int(tag >> 3), wireType: wireType, payload: start..<offset))
        }
        parts.sort(by: Part.precedes)
        return parts
    }

    private static func append(
        _ span: RawSpan, _ parts: ArraySlice<Part>, layout: Layout, to output: inout [UInt8]
    ) {
        guard let last = parts.last else { return }
        let slot = layout.slot(last.number)
        let isImplicit = slot.label == .implicit

        switch slot.check {
        case .unknown:
            for part in parts { append(span, part, to: &output) }
        case .bool, .integer:
            var offset = last.payload.lowerBound
            var value = span.varint(at: &offset)
            if slot.check == .bool && value > 1 { value = 1 }
            if slot.omits(value) { return }
            appendTag(last.number, .varint, to: &output)
            appendVarint(value, to: &output)
        case .double:
            let bits = span.unsafeLoadUnaligned(
                fromByteOffset: last.payload.lowerBound, as: UInt64.self)
            if bits == 0 && isImplicit { return }
            append(span, last, to: &output)
        case .text, .bytes:
            for part in slot.mayRepeat ? parts : parts.suffix(1) {
                if part.payload.isEmpty && isImplicit { continue }
                append(span, part, to: &output)
            }
        case .packed:
            let packed = packed(span, parts)
            if !packed.isEmpty { appendDelimited(last.number, packed, to: &output) }
        case .record:
            let nested = layout.layout(in: last.number)
            guard !slot.mayRepeat else {
                for part in parts {
                    appendDelimited(
                        part.number, canonical(span, part.payload, nested), to: &output)
                }
                return
            }
            // In protobuf, the concatenation of two records is the merged record.
            let merged = ContiguousArray(
                parts.flatMap { part in part.payload.map { span.byte(at: $0) } })
            let bytes = canonical(merged.span.bytes, merged.indices, nested)
            appendDelimited(last.number, bytes, to: &output)
        case .mapEntry:
            appendMap(span, parts, layout.layout(in: last.number), to: &output)
        }
    }

    private static func canonical(
        _ span: RawSpan, _ range: Range<Int>, _ layout: Layout
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        append(span, range, layout: layout, to: &bytes)
        return bytes
    }

    private static func packed(_ span: RawSpan, _ parts: ArraySlice<Part>) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            var offset = part.payload.lowerBound
            while offset < part.payload.upperBound {
                appendVarint(span.varint(at: &offset), to: &bytes)
            }
        }
        return bytes
    }

    private static func appendMap(
        _ span: RawSpan, _ parts: ArraySlice<Part>, _ layout: Layout, to output: inout [UInt8]
    ) {
        var entries: [[UInt8]: [UInt8]] = [:]
        for part in parts {
            let entry = canonical(span, part.payload, layout)
            let key = ContiguousArray(entry).span.bytes.mapKey(inEntryFrom: 0, to: entry.count)
            entries[Array(entry[key])] = entry
        }
        let number = parts[parts.startIndex].number
        for (_, entry) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            appendDelimited(number, entry, to: &output)
        }
    }

    /// Appends a part, with varints in their shortest form.
    private static func append(_ span: RawSpan, _ part: Part, to output: inout [UInt8]) {
        appendVarint(UInt64(part.number) << 3 | UInt64(part.wireType), to: &output)
        if part.wireType == WireType.varint.rawValue {
            var offset = part.payload.lowerBound
            appendVarint(span.varint(at: &offset), to: &output)
            return
        }
        if part.wireType == WireType.lengthDelimited.rawValue {
            appendVarint(UInt64(part.payload.count), to: &output)
        }
        for offset in part.payload { output.append(span.byte(at: offset)) }
    }

    private static func appendDelimited(
        _ number: Int, _ payload: [UInt8], to output: inout [UInt8]
    ) {
        appendTag(number, .lengthDelimited, to: &output)
        appendVarint(UInt64(payload.count), to: &output)
        output += payload
    }

    private static func appendTag(_ number: Int, _ type: WireType, to output: inout [UInt8]) {
        appendVarint(UInt64(number) << 3 | UInt64(type.rawValue), to: &output)
    }

    private static func appendVarint(_ value: UInt64, to output: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }
}
