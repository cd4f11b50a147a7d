/// The interpretation of a JSON value that does not mean what it says.
enum JSONMeaning {
    case itself
    /// Servers write the ID 0 for "no message".
    case zeroIsNone
    /// Servers write −1 for "none".
    case negativeIsNone
    /// Some servers write times in seconds, others in milliseconds.
    case secondsOrMilliseconds

    /// Corrects a field that was just decoded from JSON.
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
            // As milliseconds, 100 billion is a time in 1973, before any chat existed; as seconds,
            // it is in the year 5138. Lower values are therefore seconds.
            record.write(number, value * 1000)
        default:
            break
        }
    }
}

/// The rules of a record type that go beyond decoding its fields from JSON.
struct JSONRules: Sendable {
    /// Interprets JSON values under keys that are not fields.
    ///
    /// Values that the closure removes from the dictionary are not added to ``Record/extra``.
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

    /// Creates the rules of a record type.
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

/// The information of a JSON update in addition to the field values.
struct JSONUpdate: Hashable, Sendable {
    /// The numbers of fields whose keys are present with `null` or the default value.
    var cleared: Set<Int> = []
    /// The numbers of fields whose values are guesses.
    ///
    /// A guess applies only if no better value is known.
    var guessed: Set<Int> = []

    mutating func clear(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { cleared.insert(number) }
    }

    mutating func guess(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { guessed.insert(number) }
    }
}
