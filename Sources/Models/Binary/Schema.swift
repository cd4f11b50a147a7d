/// The fields that a type of record has: their numbers, names and types.
///
/// One list serves the binary form, JSON, descriptions, and the comparison with
/// Docs/scrollback.proto. It is not generic, so that a program has the code for it once, and not
/// once for each type of record.
public final class Schema: Sendable {
    /// The name of the type, also in Docs/scrollback.proto.
    public let name: String

    /// The fields, ordered by number.
    let fields: [Field]
    let layout: Layout
    private let byNumber: [Int: Field]
    private let byName: [String: Field]
    // Made at the first patch: the paths take longer than all else here, and whoever shows a first page
    // waits for the schema.
    private let numbers = Locked<Numbers?>(nil)
    /// What a whole record and the keys without a field become, once JSON was read.
    let rules: JSONRules

    init(_ name: String, _ fields: [Field], rules: JSONRules = JSONRules()) {
        self.name = name
        self.fields = (fields + [.extra]).sorted { $0.number < $1.number }
        self.rules = rules
        layout = Layout(self.fields.map { ($0.number, $0.kind) })
        byNumber = Dictionary(uniqueKeysWithValues: self.fields.map { ($0.number, $0) })
        byName = Dictionary(
            uniqueKeysWithValues: fields.flatMap { field in
                ([field.name] + field.aliases).map { ($0, field) }
            })
    }

    /// The field with a name in JSON, `nil` if there is none.
    func field(named name: String) -> Field? { byName[name] }

    /// The number of the field of a property, `nil` if the property is made from others.
    func number(of keyPath: AnyKeyPath) -> Int? {
        let numbers = numbers.withLock { numbers in
            let made = numbers ?? Numbers(of: fields)
            numbers = made
            return made
        }
        return numbers.byKeyPath[keyPath]
    }

    /// The known fields that are there in a record, ordered by number.
    func fields(in record: RecordBytes) -> [Field] {
        record.numbers.compactMap { byNumber[$0] }
    }
}

/// The numbers of fields, by their properties.
private struct Numbers: @unchecked Sendable {
    // @unchecked: nobody writes there after init, and each path is Sendable in its field.
    let byKeyPath: [AnyKeyPath: Int]

    init(of fields: [Field]) {
        byKeyPath = Dictionary(uniqueKeysWithValues: fields.map { ($0.keyPath, $0.number) })
    }
}

/// One field of a record: its number on the wire, its names in JSON, its type and its property.
struct Field: Sendable {
    /// DO NOT CHANGE once released: on people's disks.
    let number: Int
    /// The name in JSON.
    let name: String
    /// The name in Docs/scrollback.proto.
    let protoName: String
    /// Other names that JSON is known to use; ``name`` wins where both are there.
    let aliases: [String]
    let kind: FieldKind
    private let makeKeyPath: @Sendable () -> any AnyKeyPath & Sendable
    /// The type of the property through which Swift sees the field.
    let propertyType: any FieldValue.Type
    /// The type of the field itself: optional where the property has a default instead.
    let valueType: any FieldValue.Type
    let meaning: JSONMeaning

    typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

    init<Root: Record, Value: FieldValue>(
        _ number: Int, _ name: String,
        _ keyPath: @autoclosure @escaping @Sendable () -> Path<Root, Value>,
        aliases: [String] = [],
        proto: String? = nil,
        meaning: JSONMeaning = .itself
    ) {
        self.init(
            number, name, keyPath, Value.fieldKind, Value.self, Value.self, aliases, proto, meaning)
    }

    /// Creates a field that is written only where it differs from a default.
    init<Root: Record>(
        _ number: Int, _ name: String,
        _ keyPath: @autoclosure @escaping @Sendable () -> Path<Root, Bool>,
        default standard: Bool
    ) {
        let kind = FieldKind(.bool, standard: standard ? 1 : 0)
        self.init(number, name, keyPath, kind, Bool.self, Bool?.self, [], nil, .itself)
    }

    /// Creates a field that is written only where it differs from a default.
    init<Root: Record>(
        _ number: Int, _ name: String,
        _ keyPath: @autoclosure @escaping @Sendable () -> Path<Root, Int>,
        default standard: Int
    ) {
        let kind = FieldKind(.integer, standard: Int16(standard))
        self.init(number, name, keyPath, kind, Int.self, Int?.self, [], nil, .itself)
    }

    private init(
        _ number: Int, _ name: String,
        _ makeKeyPath: @escaping @Sendable () -> any AnyKeyPath & Sendable, _ kind: FieldKind,
        _ propertyType: any FieldValue.Type, _ valueType: any FieldValue.Type,
        _ aliases: [String], _ proto: String?, _ meaning: JSONMeaning
    ) {
        self.number = number
        self.name = name
        self.protoName = proto ?? name
        self.aliases = aliases
        self.kind = kind
        self.makeKeyPath = makeKeyPath
        self.propertyType = propertyType
        self.valueType = valueType
        self.meaning = meaning
    }
}

extension Field {
    /// The field of ``Record/extra``.
    static let extra = Field(100, "extra", \AnyRecord.extra)

    /// Stands for every type of record, since all of them have `extra`.
    private struct AnyRecord: Record {
        var fields = RecordFields<AnyRecord>()
        static let schema = Schema("AnyRecord", [])
    }

    /// The property through which Swift sees the field; made anew at each call.
    var keyPath: any AnyKeyPath & Sendable { makeKeyPath() }

    /// The value in a record.
    func value(in record: RecordBytes) -> Any {
        func read<Value: FieldValue>(_ type: Value.Type) -> Any { record.read(number) as Value }
        return read(valueType)
    }

    /// The value in a record as Swift would write it.
    func describe(_ record: RecordBytes) -> String {
        func read<Value: FieldValue>(_ type: Value.Type) -> String {
            let value: Value = record.read(number)
            if let value = value as? any WireEnum { return ".\(value)" }
            return (value as? any OptionalValue)?.wrappedDescription ?? String(reflecting: value)
        }
        return read(valueType)
    }
}

/// An optional, whatever it wraps.
private protocol OptionalValue {
    var wrappedDescription: String { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedDescription: String { map { String(reflecting: $0) } ?? "nil" }
}

extension Record {
    /// What JSON had under keys that no field has.
    ///
    /// It is kept in the binary form too, and written to JSON again.
    public var extra: [String: JSONValue] {
        get { self[100] }
        set { self[100] = newValue }
    }
}
