/// The fields of a record type: their numbers, names and types.
///
/// The schema defines the type's binary form, its JSON and its descriptions. Tests compare it with
/// Docs/scrollback.proto. The class is not generic, which makes the compiled program smaller.
public final class Schema: Sendable {
    /// The name of the record type, as in Docs/scrollback.proto.
    public let name: String

    let fields: [Field]
    let layout: Layout
    private let byNumber: [Int: Field]
    private let byName: [String: Field]
    // Computed for the first patch, because creating key paths is slow.
    private let numbers = Locked<Numbers?>(nil)
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

    func field(named name: String) -> Field? { byName[name] }

    package func hasField(named name: String) -> Bool { byName[name] != nil }

    /// Returns `nil` if the property is computed from others.
    func number(of keyPath: AnyKeyPath) -> Int? {
        let numbers = numbers.withLock { numbers in
            let made = numbers ?? Numbers(of: fields)
            numbers = made
            return made
        }
        return numbers.byKeyPath[keyPath]
    }

    /// Returns the known present fields, ordered by number.
    func fields(in record: RecordBytes) -> [Field] {
        record.numbers.compactMap { byNumber[$0] }
    }
}

private struct Numbers: @unchecked Sendable {
    // @unchecked: the dictionary does not change after init, and `Field` requires its key paths to
    // be Sendable.
    let byKeyPath: [AnyKeyPath: Int]

    init(of fields: [Field]) {
        byKeyPath = Dictionary(uniqueKeysWithValues: fields.map { ($0.keyPath, $0.number) })
    }
}

struct Field: Sendable {
    /// The number on the wire.
    ///
    /// On-disk format, DO NOT CHANGE once released.
    let number: Int
    let name: String
    /// The name in Docs/scrollback.proto.
    let protoName: String
    /// Alternative names in JSON.
    ///
    /// Of several names in the JSON, decoding uses the first whose value is not `null`: ``name``,
    /// then the aliases in order.
    let aliases: [String]
    let kind: FieldKind
    private let makeKeyPath: @Sendable () -> any AnyKeyPath & Sendable
    let propertyType: any FieldValue.Type
    /// An optional of ``propertyType`` if the property has a default, otherwise ``propertyType``.
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
            number, name, keyPath, kind: Value.fieldKind, property: Value.self, value: Value.self,
            aliases: aliases, proto: proto, meaning: meaning)
    }

    init<Root: Record>(
        _ number: Int, _ name: String,
        _ keyPath: @autoclosure @escaping @Sendable () -> Path<Root, Bool>,
        default standard: Bool
    ) {
        let kind = FieldKind(.bool, standard: standard ? 1 : 0)
        self.init(number, name, keyPath, kind: kind, property: Bool.self, value: Bool?.self)
    }

    init<Root: Record>(
        _ number: Int, _ name: String,
        _ keyPath: @autoclosure @escaping @Sendable () -> Path<Root, Int>,
        default standard: Int
    ) {
        let kind = FieldKind(.integer, standard: Int16(standard))
        self.init(number, name, keyPath, kind: kind, property: Int.self, value: Int?.self)
    }

    private init(
        _ number: Int, _ name: String,
        _ makeKeyPath: @escaping @Sendable () -> any AnyKeyPath & Sendable, kind: FieldKind,
        property propertyType: any FieldValue.Type, value valueType: any FieldValue.Type,
        aliases: [String] = [], proto: String? = nil, meaning: JSONMeaning = .itself
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
    static let extra = Field(100, "extra", \AnyRecord.extra)

    private struct AnyRecord: Record {
        var fields = RecordFields<AnyRecord>()
        static let schema = Schema("AnyRecord", [])
    }

    /// Creates a new key path at each access.
    var keyPath: any AnyKeyPath & Sendable { makeKeyPath() }

    func value(in record: RecordBytes) -> Any {
        func read<Value: FieldValue>(_ type: Value.Type) -> Any { record.read(number) as Value }
        return read(valueType)
    }

    func describe(_ record: RecordBytes) -> String {
        func read<Value: FieldValue>(_ type: Value.Type) -> String {
            let value: Value = record.read(number)
            if let value = value as? any WireEnum { return ".\(value)" }
            return (value as? any OptionalValue)?.wrappedDescription ?? String(reflecting: value)
        }
        return read(valueType)
    }
}

private protocol OptionalValue {
    var wrappedDescription: String { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedDescription: String { map { String(reflecting: $0) } ?? "nil" }
}

extension Record {
    /// The JSON values under keys that are not fields, which the binary form and JSON preserve.
    public var extra: [String: JSONValue] {
        get { self[100] }
        set { self[100] = newValue }
    }
}
