// json := null (1) | bool (2) | int (3) | double (4) | string (5) | array (6) | object (7)
//
// On-disk format since version 1, DO NOT CHANGE. A value of an unknown kind is read as null.
extension JSONValue: SingularValue {
    private enum Number {
        static let null = 1
        static let bool = 2
        static let int = 3
        static let double = 4
        static let string = 5
        static let array = 6
        static let object = 7
    }

    /// The fields of a JSON value, of which exactly one is present.
    static let schemaFields: [(number: Int, name: String, kind: FieldKind)] = [
        (Number.null, "null", FieldKind(.bool, .optional)),
        (Number.bool, "bool", FieldKind(.bool, .optional)),
        (Number.int, "int", FieldKind(.integer, .optional)),
        (Number.double, "double", FieldKind(.double, .optional)),
        (Number.string, "string", FieldKind(.text, .optional)),
        (Number.array, "array", FieldKind(.record(name: "JSONArray") { arrayLayout }, .optional)),
        (
            Number.object, "object",
            FieldKind(.record(name: "JSONObject") { objectLayout }, .optional)
        ),
    ]

    static let layout = Layout(schemaFields.map { ($0.number, $0.kind) }, isRecursive: true)
    static let arrayLayout = Layout([(1, [JSONValue].fieldKind)])
    static let objectLayout = Layout([(1, [String: JSONValue].fieldKind)])

    static var element: FieldKind.Element { .record(name: "JSONValue") { layout } }
    static var wireType: WireType { .lengthDelimited }
    static var defaultValue: JSONValue { .null }
    /// A map always writes a record, even for `null`.
    var isDefault: Bool { false }

    var payloadSize: Int { Wire.size(ofDelimited: contentSize(depth: 1)) }

    private func contentSize(depth: Int) -> Int {
        precondition(
            depth <= JSONValue.maximumDepth,
            "A JSON value in a record must not be nested deeper than JSONValue.maximumDepth.")
        switch self {
        case .null, .bool: return 2
        case .int(let value): return 1 + value.payloadSize
        case .double: return 9
        case .string(let value): return 1 + value.payloadSize
        case .array(let elements):
            return 1 + Wire.size(ofDelimited: JSONValue.size(of: elements, depth: depth))
        case .object(let entries):
            return 1 + Wire.size(ofDelimited: JSONValue.size(of: entries, depth: depth))
        }
    }

    private static func size(of elements: [JSONValue], depth: Int) -> Int {
        elements.reduce(0) { $0 + 1 + Wire.size(ofDelimited: $1.contentSize(depth: depth + 1)) }
    }

    private static func size(of entries: [String: JSONValue], depth: Int) -> Int {
        entries.reduce(0) { size, entry in
            let value = 1 + Wire.size(ofDelimited: entry.value.contentSize(depth: depth + 1))
            return size + 1 + Wire.size(ofDelimited: entry.key.size(inField: 1) + value)
        }
    }

    func writePayload(to writer: inout FieldWriter) {
        writer.varint(UInt64(contentSize(depth: 1)))
        switch self {
        case .null: Optional(true).write(inField: Number.null, to: &writer)
        case .bool(let value): Optional(value).write(inField: Number.bool, to: &writer)
        case .int(let value): Optional(value).write(inField: Number.int, to: &writer)
        case .double(let value): Optional(value).write(inField: Number.double, to: &writer)
        case .string(let value): Optional(value).write(inField: Number.string, to: &writer)
        case .array(let value):
            writer.tag(Number.array, .lengthDelimited)
            writer.varint(UInt64(JSONValue.size(of: value, depth: 1)))
            value.write(inField: 1, to: &writer)
        case .object(let value):
            writer.tag(Number.object, .lengthDelimited)
            writer.varint(UInt64(JSONValue.size(of: value, depth: 1)))
            value.write(inField: 1, to: &writer)
        }
    }

    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> JSONValue {
        let record = storage.nestedRecord(at: &offset)
        // If another program wrote several fields, the last one wins, as in protobuf's `oneof`.
        guard let number = record.numbers.last(where: { $0 <= Number.object }) else {
            return .null
        }
        switch number {
        case Number.bool: return .bool(record.read(number))
        case Number.int: return .int(record.read(number))
        case Number.double: return .double(record.read(number))
        case Number.string: return .string(record.read(number))
        case Number.array: return .array(record.nestedRecord(in: number).read(1))
        case Number.object: return .object(record.nestedRecord(in: number).read(1))
        default: return .null
        }
    }

    static func decode(from decoder: any Decoder) throws -> JSONValue {
        try JSONValue(from: decoder)
    }
}
