/// A partial update of a record, which sets some fields, and clears others as in an empty record.
public struct Patch<Root: Record>: Hashable, Sendable {
    private var values = RecordFields<Root>()
    /// The numbers of the cleared fields, and of those whose new values are guesses.
    private var update = JSONUpdate()

    /// Creates a patch that changes nothing.
    public init() {}

    /// Creates a patch that turns any record into `record`, except for some properties.
    public init(whole record: Root, except properties: [PartialKeyPath<Root>]) {
        values = record.fields
        let omitted = properties.compactMap(number)
        for number in omitted { values.bytes.remove(number) }
        let there = Set(values.bytes.numbers)
        for field in Root.schema.fields
        where !omitted.contains(field.number) && field.number != Field.extra.number {
            if !there.contains(field.number) { update.cleared.insert(field.number) }
        }
    }

    /// A Boolean value that indicates whether the patch changes nothing.
    public var isEmpty: Bool { values.bytes.count == 0 && update.cleared.isEmpty }

    /// Sets a property to a value.
    ///
    /// - Precondition: The property has a field, and is not computed from others, as
    ///   ``GroupChannel/isHidden`` is.
    public mutating func set<Value>(
        _ property: WritableKeyPath<Root, Value>, to value: Value
    ) {
        guard let number = number(of: property) else {
            preconditionFailure("\(property) is not a field of \(Root.schema.name).")
        }
        update.guessed.remove(number)
        var record = Root(values.bytes)
        // Release the second reference to the bytes: otherwise, the setter copies them.
        values = RecordFields()
        record[keyPath: property] = value
        values = record.fields
        if values.bytes.location(of: number) == nil {
            update.cleared.insert(number)
        } else {
            update.cleared.remove(number)
        }
    }

    private func number(of property: AnyKeyPath) -> Int? {
        if let number = Root.schema.number(of: property) { return number }
        // Creating the key path of `extra`, which no schema contains, is slow.
        return property == \Root.extra ? Field.extra.number : nil
    }

    /// Returns whether the patch sets or clears a property.
    public func contains<Value>(_ property: WritableKeyPath<Root, Value>) -> Bool {
        guard let number = number(of: property) else { return false }
        return update.cleared.contains(number) || values.bytes.location(of: number) != nil
    }

    /// Applies the patch to a record.
    ///
    /// Keys of ``Record/extra`` that the patch does not contain are kept.
    public func apply(to record: inout Root) {
        for number in update.cleared { record.fields.bytes.remove(number) }
        for number in values.bytes.numbers where number != Field.extra.number {
            let isKnown = record.fields.bytes.location(of: number) != nil
            if isKnown && update.guessed.contains(number) { continue }
            record.fields.bytes.copyField(number, from: values.bytes)
        }
        let extra = Root(values.bytes).extra
        if !extra.isEmpty { record.extra.merge(extra) { $1 } }
    }

    /// Returns whether two patches make the same changes.
    public static func == (left: Patch, right: Patch) -> Bool {
        left.values.bytes == right.values.bytes && left.update == right.update
    }

    /// Hashes the set and cleared fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Root(values.bytes))
        hasher.combine(update)
    }
}

extension Patch: Codable {
    /// Decodes a patch from JSON that contains only the changed fields.
    ///
    /// - Throws: `DecodingError`, as for the record.
    public init(from decoder: any Decoder) throws {
        update = try Root.schema.update(&values.bytes, from: decoder)
    }

    /// Encodes the fields of the patch; cleared ones as `null`.
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
    /// The fields of the patch, such as "Patch<GroupChannel>(name: "x", data: nil)".
    public var description: String {
        let parts = Root.schema.fields.compactMap { field -> String? in
            if update.cleared.contains(field.number) { return "\(field.name): nil" }
            guard values.bytes.location(of: field.number) != nil else { return nil }
            return "\(field.name): \(field.describe(values.bytes))"
        }
        return "Patch<\(Root.schema.name)>(\(parts.joined(separator: ", ")))"
    }
}
