/// What a partial update says of a record: some fields, and nothing of the others.
///
/// Absent is not null: a field that the patch does not name stays as it is, one that it clears
/// goes back to what a record without it says. An update that does not carry the metadata leaves
/// the metadata alone.
public struct Patch<Root: Record>: Hashable, Sendable {
    /// The fields that get a value.
    private var values = RecordFields<Root>()
    /// The numbers of the fields that lose theirs, and of those that only stand in.
    private var update = JSONUpdate()

    /// Creates a patch that changes nothing.
    public init() {}

    /// Creates a patch that names all of a record: what the record does not have is cleared.
    ///
    /// - Parameters:
    ///   - record: What the patch makes of any other.
    ///   - property: One that the patch says nothing of, such as what belongs to the device.
    package init(whole record: Root, except property: PartialKeyPath<Root>) {
        values = record.fields
        let left = number(of: property)
        if let left { values.bytes.remove(left) }
        let there = Set(values.bytes.numbers)
        for field in Root.schema.fields
        where field.number != left && field.number != Field.extra.number {
            if !there.contains(field.number) { update.cleared.insert(field.number) }
        }
    }

    /// Whether the patch changes nothing.
    public var isEmpty: Bool { values.bytes.count == 0 && update.cleared.isEmpty }

    /// Names a property and the value it is to have.
    ///
    /// - Precondition: The property is a field of its own; those made from others, such as
    ///   ``GroupChannel/isHidden``, are not.
    public mutating func set<Value>(
        _ property: WritableKeyPath<Root, Value>, to value: Value
    ) {
        guard let number = number(of: property) else {
            preconditionFailure("\(property) is not a field of \(Root.schema.name).")
        }
        update.guessed.remove(number)
        var record = Root(values.bytes)
        // Let go of, so that the bytes are not copied.
        values = RecordFields()
        record[keyPath: property] = value
        values = record.fields
        if values.bytes.place(of: number) == nil {
            update.cleared.insert(number)
        } else {
            update.cleared.remove(number)
        }
    }

    private func number(of property: AnyKeyPath) -> Int? {
        if let number = Root.schema.number(of: property) { return number }
        // `extra` belongs to all types, and its path in a schema to none. That path is made anew here
        // each time, which takes longer than all else that a patch does.
        return property == \Root.extra ? Field.extra.number : nil
    }

    /// Whether the patch says something of a property.
    public func contains<Value>(_ property: WritableKeyPath<Root, Value>) -> Bool {
        guard let number = number(of: property) else { return false }
        return update.cleared.contains(number) || values.bytes.place(of: number) != nil
    }

    /// Changes a record as the patch says.
    ///
    /// Of ``Record/extra`` the keys that the patch has are taken over, and the others stay.
    public func apply(to record: inout Root) {
        for number in update.cleared { record.fields.bytes.remove(number) }
        for number in values.bytes.numbers where number != Field.extra.number {
            let isKnown = record.fields.bytes.place(of: number) != nil
            if isKnown && update.guessed.contains(number) { continue }
            record.fields.bytes.take(number, from: values.bytes)
        }
        let extra = Root(values.bytes).extra
        if !extra.isEmpty { record.extra.merge(extra) { $1 } }
    }

    /// Whether two patches name the same fields with the same values.
    public static func == (left: Patch, right: Patch) -> Bool {
        left.values.bytes == right.values.bytes && left.update == right.update
    }

    /// Feeds what the patch says into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Root(values.bytes))
        hasher.combine(update)
    }
}

extension Patch: Codable {
    /// Reads a patch from the JSON of a partial update: every key that is there is named.
    ///
    /// - Throws: `DecodingError`, as reading the record itself does.
    public init(from decoder: any Decoder) throws {
        update = try Root.schema.update(&values.bytes, from: decoder)
    }

    /// Writes the named fields; those that are cleared as `null`.
    public func encode(to encoder: any Encoder) throws {
        try Root.schema.encode(values.bytes, to: encoder)
        var container = encoder.container(keyedBy: JSONKey.self)
        for field in Root.schema.fields
        where update.cleared.contains(field.number) && field.number != Field.extra.number {
            try container.encodeNil(forKey: JSONKey(field.name))
        }
    }
}

extension Patch: CustomStringConvertible {
    /// The fields that the patch names, such as "Patch<GroupChannel>(name: "x", data: nil)".
    public var description: String {
        let parts = Root.schema.fields.compactMap { field -> String? in
            if update.cleared.contains(field.number) { return "\(field.name): nil" }
            guard values.bytes.place(of: field.number) != nil else { return nil }
            return "\(field.name): \(field.describe(values.bytes))"
        }
        return "Patch<\(Root.schema.name)>(\(parts.joined(separator: ", ")))"
    }
}
