/// The meaning of a field's JSON value, for fields in which servers write special values or
/// different units.
enum JSONMeaning {
    case itself
    /// The ID 0 means "no message".
    case zeroIsNone
    /// A negative number means "none".
    case negativeIsNone
    /// The value is a time in seconds or in milliseconds, depending on the server.
    case secondsOrMilliseconds

    /// Replaces a field's value as decoded from JSON by the value that it means.
    func apply(to number: Int, in record: inout RecordBytes) {
        if self == .itself { return }
        if self == .zeroIsNone {
            if record.read(number) == "0" { record.remove(number) }
            return
        }
        let value: Int64 = record.read(number)
        switch self {
        case .negativeIsNone where value < 0:
            record.remove(number)
        case .secondsOrMilliseconds where abs(value / 1000) < 100_000_000:
            // Values below 100 billion are seconds: as milliseconds, they would be before 1973,
            // when no chat existed. Larger values are milliseconds: as seconds, they would be after
            // the year 5138.
            record.write(number, value * 1000)
        default:
            break
        }
    }
}

/// The rules of a record type for decoding JSON, in addition to the rules of its fields.
struct JSONRules: Sendable {
    /// Interprets the JSON values whose keys are not fields.
    ///
    /// The closure removes the values that it has used from `unknown`. The remaining values are
    /// added to ``Record/extra``.
    var adopt:
        @Sendable (
            _ unknown: inout [String: JSONValue], _ record: inout RecordBytes,
            _ update: inout JSONUpdate
        ) -> Void

    /// Completes a record after all of its fields were decoded.
    var complete: @Sendable (_ record: inout RecordBytes) -> Void

    /// Creates rules that do nothing.
    init() {
        adopt = { _, _, _ in }
        complete = { _ in }
    }

    init<Root: Record>(
        adopt:
            @escaping @Sendable (inout [String: JSONValue], inout Root, inout JSONUpdate) -> Void,
        complete: @escaping @Sendable (inout Root) -> Void = { _ in }
    ) {
        self.adopt = { unknown, bytes, update in
            var record = Root(bytes)
            adopt(&unknown, &record, &update)
            bytes = record.fields.bytes
        }
        self.complete = { bytes in
            var record = Root(bytes)
            complete(&record)
            bytes = record.fields.bytes
        }
    }
}

/// The properties of a decoded JSON update that are not visible in the record's field values.
struct JSONUpdate: Hashable, Sendable {
    /// The numbers of fields whose JSON value is `null` or the default value.
    var cleared: Set<Int> = []
    /// The numbers of fields whose values are guesses.
    ///
    /// A guess is applied only to a record in which the field has no value.
    var guessed: Set<Int> = []

    mutating func clear(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { cleared.insert(number) }
    }

    mutating func guess(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { guessed.insert(number) }
    }
}
