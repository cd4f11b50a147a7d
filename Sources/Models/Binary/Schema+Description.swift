extension Schema {
    package struct FieldDescription: Sendable {
        package let number: Int

        /// The name in JSON.
        package let name: String

        package let aliases: [String]

        /// The type in the notation of Docs/scrollback.proto.
        package let type: String

        /// The JSON names of an enumeration.
        package let cases: [String]

        package let caseAliases: [String]
    }

    package var fieldDescriptions: [FieldDescription] {
        fields.map { field in
            var (cases, aliases): ([String], [String]) = ([], [])
            if case .enumeration(let type) = field.kind.element {
                (cases, aliases) = (type.names, type.aliasNames)
            }
            return FieldDescription(
                number: field.number, name: field.name, aliases: field.aliases,
                type: field.kind.protoType, cases: cases, caseAliases: aliases)
        }
    }
}

extension WireEnum {
    fileprivate static var aliasNames: [String] { aliases.keys.sorted() }
}

extension FieldKind {
    /// The type in the notation of Docs/scrollback.proto, such as "repeated string".
    package var protoType: String {
        switch label {
        case .implicit: element.protoType
        case .repeated: "repeated \(element.protoType)"
        case .map: "map<string, \(element.protoType)>"
        case .optional: element.isRecord ? element.protoType : "optional \(element.protoType)"
        }
    }
}

extension FieldKind.Element {
    fileprivate var isRecord: Bool {
        if case .record = self { true } else { false }
    }

    fileprivate var protoType: String {
        switch self {
        case .bool: "bool"
        case .integer: "int64"
        case .double: "double"
        case .text: "string"
        case .bytes: "bytes"
        case .enumeration(let type): String(describing: type)
        case .record(let name, _): name
        }
    }
}

// MARK: Bytes

package struct FieldBytes: Sendable {
    /// The range of the tag and the length prefix, from the start of the outermost record.
    package let head: Range<Int>

    package let payload: Range<Int>

    package let number: Int

    /// The name in JSON; `nil` for an unknown field.
    package let name: String?

    /// The value in JSON notation; for a record, the name of its type.
    package let value: String

    /// `true` for a text or an unknown type.
    package let isText: Bool

    package let fields: [FieldBytes]?
}

extension Record {
    /// The present fields in the order of their bytes, with one element for each occurrence.
    package var fieldBytes: [FieldBytes] {
        let bytes = ContiguousArray(serializedBytes)
        return FieldBytes.all(in: bytes.span.bytes, bytes.indices, .record(Self.schema.name))
    }
}

extension FieldBytes {
    fileprivate enum Shape {
        case record(String)
        case mapEntry(FieldKind.Element)

        func field(_ number: Int) -> (name: String, kind: FieldKind)? {
            let fields: [(number: Int, name: String, kind: FieldKind)] =
                switch self {
                case .mapEntry(let value):
                    [(1, "key", FieldKind(.text)), (2, "value", FieldKind(value))]
                case .record("JSONValue"): JSONValue.schemaFields
                case .record("JSONArray"): [(1, "elements", [JSONValue].fieldKind)]
                case .record("JSONObject"): [(1, "entries", [String: JSONValue].fieldKind)]
                case .record(let name):
                    recordTypes.first { $0.schema.name == name }?.schema.fields
                        .map { ($0.number, $0.name, $0.kind) } ?? []
                }
            return fields.first { $0.number == number }.map { ($0.name, $0.kind) }
        }
    }

    fileprivate static func all(in span: RawSpan, _ range: Range<Int>, _ shape: Shape) -> [Self] {
        var fields: [Self] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let start = offset
            let tag = span.varint(at: &offset)
            let wireType = UInt8(truncatingIfNeeded: tag & 7)
            var end = offset
            span.skipPayload(wireType, at: &end)
            if wireType == WireType.lengthDelimited.rawValue { _ = span.varint(at: &offset) }
            let number = Int(truncatingIfNeeded: tag >> 3)
            let field = shape.field(number)
            let nested = field.flatMap { Shape(nestedIn: $0.kind) }
            fields.append(
                FieldBytes(
                    head: start..<offset, payload: offset..<end, number: number,
                    name: field?.name,
                    value: field?.kind.describe(span, offset..<end)
                        ?? "unknown, of wire type \(wireType)",
                    isText: field?.kind.isText ?? true,
                    fields: nested.map { all(in: span, offset..<end, $0) }))
            offset = end
        }
        return fields
    }
}

extension FieldBytes.Shape {
    fileprivate init?(nestedIn kind: FieldKind) {
        switch (kind.label, kind.element) {
        case (.map, let element): self = .mapEntry(element)
        case (_, .record(let name, _)): self = .record(name)
        default: return nil
        }
    }
}

extension FieldKind {
    fileprivate func describe(_ span: RawSpan, _ payload: Range<Int>) -> String {
        var offset = payload.lowerBound
        switch element {
        case _ where label == .map: return "entry"
        case .record(let name, _): return name
        case .text:
            return String(decoding: payload.map { span.byte(at: $0) }, as: UTF8.self)
                .debugDescription
        case .bytes: return "\(payload.count) bytes"
        case .double:
            let bits = span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            return "\(Double(bitPattern: UInt64(littleEndian: bits)))"
        case .bool: return span.varint(at: &offset) == 0 ? "false" : "true"
        case .integer, .enumeration:
            var values: [String] = []
            while offset < payload.upperBound {
                values.append(describe(Int64(bitPattern: span.varint(at: &offset))))
            }
            return label == .repeated ? "[\(values.joined(separator: ", "))]" : values[0]
        }
    }

    fileprivate var isText: Bool {
        guard label != .map, case .text = element else { return false }
        return true
    }

    private func describe(_ number: Int64) -> String {
        guard case .enumeration(let type) = element else { return "\(number)" }
        guard type.names.indices.contains(Int(number)) else { return "\(number), unknown" }
        return type.names[Int(number)].debugDescription
    }
}
