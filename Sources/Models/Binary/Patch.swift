/// A partial update of a record: new values for some of its fields.
///
/// A patch sets some fields to new values, and clears others, so that they have the values of an
/// empty record. Applying the patch leaves all other fields unchanged. For example, a patch without
/// metadata does not change the metadata.
public struct Patch<Root: Record>: Hashable, Sendable {
    /// The fields that the patch sets.
    private var values = RecordFields<Root>()
    /// The numbers of the fields that the patch clears, and of the fields whose new values are
    /// guesses.
    private var update = JSONUpdate()

    /// Creates a patch that changes nothing.
    public init() {}

    /// Creates a patch that replaces a whole record: it sets the record's fields, and clears all
    /// others.
    ///
    /// - Parameters:
    ///   - record: The record that the patch produces from any other record.
    ///   - property: A property that the patch does not contain, such as one that only this device
    ///     sets.
    public init(whole record: Root, except property: PartialKeyPath<Root>) {
        values = record.fields
        let left = number(of: property)
        if let left { values.bytes.remove(left) }
        let there = Set(values.bytes.numbers)
        for field in Root.schema.fields
        where field.number != left && field.number != Field.extra.number {
            if !there.contains(field.number) { update.cleared.insert(field.number) }
        }
    }

    /// A Boolean value that indicates whether the patch changes nothing.
    public var isEmpty: Bool { values.bytes.count == 0 && update.cleared.isEmpty }

    /// Sets a property to a value.
    ///
    /// - Precondition: The property is stored in a field of its own, and not computed from other
    ///   properties, as ``GroupChannel/isHidden`` is.
    public mutating func set<Value>(
        _ property: WritableKeyPath<Root, Value>, to value: Value
    ) {
        guard let number = number(of: property) else {
            preconditionFailure("\(property) is not a field of \(Root.schema.name).")
        }
        update.guessed.remove(number)
        var record = Root(values.bytes)
        // Release the second reference to the bytes, so that the setter does not copy them.
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
        // No schema contains the key path of `extra`, which belongs to all record types. Creating
        // that key path takes longer than the rest of this call, so compare with it only if the
        // schema does not contain the property.
        return property == \Root.extra ? Field.extra.number : nil
    }

    /// Returns a Boolean value that indicates whether the patch sets or clears a property.
    public func contains<Value>(_ property: WritableKeyPath<Root, Value>) -> Bool {
        guard let number = number(of: property) else { return false }
        return update.cleared.contains(number) || values.bytes.location(of: number) != nil
    }

    /// Applies the patch to a record.
    ///
    /// The keys of ``Record/extra`` are merged: keys that the patch does not contain are kept.
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

    /// Returns a Boolean value that indicates whether two patches set the same fields to the same
    /// values and clear the same fields.
    public static func == (left: Patch, right: Patch) -> Bool {
        left.values.bytes == right.values.bytes && left.update == right.update
    }

    /// Hashes the fields that the patch sets and clears.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Root(values.bytes))
        hasher.combine(update)
    }
}

extension Patch: Codable {
    /// Decodes a patch from JSON that contains only the changed fields.
    ///
    /// - Throws: `DecodingError`, as decoding the record itself does.
    public init(from decoder: any Decoder) throws {
        update = try Root.schema.update(&values.bytes, from: decoder)
    }

    /// Encodes the fields of the patch.
    ///
    /// A cleared field is encoded as `null`.
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
