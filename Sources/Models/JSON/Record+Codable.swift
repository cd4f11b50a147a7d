extension Record {
    /// Decodes a record from the JSON of a chat server's REST API, with keys in snake case.
    ///
    /// Numbers and Booleans may be strings, integers may have a fraction, and `null` means that a
    /// value is missing. An unknown name becomes the number -1 in an ``OpenEnumeration``, and the
    /// first case in any other enumeration. Values under other keys are preserved in ``extra``.
    ///
    /// - Throws: `DecodingError`, with the key, if a value has the wrong type.
    public init(from decoder: any Decoder) throws {
        var bytes = RecordBytes.empty
        _ = try Self.schema.update(&bytes, from: decoder)
        Self.schema.rules.complete(&bytes)
        self.init(bytes)
    }

    /// Encodes the present fields under their JSON names.
    ///
    /// Decoding the result creates an equal record, except that a message with an ID but no sending
    /// status becomes sent, and a channel's creation time before 1973 counts as seconds.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot represent, such as infinity.
    public func encode(to encoder: any Encoder) throws {
        try Self.schema.encode(fields.bytes, to: encoder)
    }
}

extension Schema {
    /// Updates the fields that the JSON object contains, and returns which were cleared or guessed.
    func update(_ record: inout RecordBytes, from decoder: any Decoder) throws -> JSONUpdate {
        let container = try decoder.container(keyedBy: JSONKey.self)
        var update = JSONUpdate()
        var unknown: [String: JSONValue] = [:]
        for key in container.allKeys {
            guard let field = field(named: key.stringValue) else {
                unknown[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
                continue
            }
            if try key.stringValue != name(of: field, in: container) { continue }
            if try container.decodeNil(forKey: key) {
                record.remove(field.number)
            } else {
                try decode(field, from: container, key, into: &record)
            }
            update.cleared.insert(field.number)
        }
        if !unknown.isEmpty { rules.adopt(&unknown, &record, &update) }
        if !unknown.isEmpty {
            let extra: [String: JSONValue] = record.read(Field.extra.number)
            record.write(Field.extra.number, extra.merging(unknown) { $1 })
        }
        update.cleared = update.cleared.filter { record.location(of: $0) == nil }
        return update
    }

    /// Returns the first name of a field whose value is not `null`.
    private func name(
        of field: Field, in container: KeyedDecodingContainer<JSONKey>
    ) throws -> String? {
        if field.aliases.isEmpty { return field.name }
        let names = ([field.name] + field.aliases).filter { container.contains(JSONKey($0)) }
        return try names.first { !(try container.decodeNil(forKey: JSONKey($0))) } ?? names.first
    }

    private func decode(
        _ field: Field, from container: KeyedDecodingContainer<JSONKey>, _ key: JSONKey,
        into record: inout RecordBytes
    ) throws {
        func decode<Value: FieldValue>(
            _ type: Value.Type, into record: inout RecordBytes
        ) throws {
            record.write(
                field.number, try container.decode(JSONField<Value>.self, forKey: key).value)
        }
        try decode(field.valueType, into: &record)
        field.meaning.apply(to: field.number, in: &record)
        if field.kind.label == .optional, let standard = field.kind.standard,
            record.read(field.number) == Int64(standard)
        {
            record.remove(field.number)
        }
    }

    func encode(_ record: RecordBytes, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        func encode<Value: FieldValue>(_ field: Field, _ type: Value.Type) throws {
            let value: Value = record.read(field.number)
            try container.encode(JSONField(value: value), forKey: JSONKey(field.name))
        }
        let fields = fields(in: record)
        for field in fields where field.number != Field.extra.number {
            try encode(field, field.valueType)
        }
        // An older version of the code may have stored the value of a field in `extra`.
        let names = Set(fields.map(\.name))
        let extra: [String: JSONValue] = record.read(Field.extra.number)
        for (name, value) in extra where !names.contains(name) {
            try container.encode(value, forKey: JSONKey(name))
        }
    }
}
