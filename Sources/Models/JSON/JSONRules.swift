enum JSONMeaning {
    case itself
    /// The ID 0 means "no message".
    case zeroIsNone
    /// A negative number means "none".
    case negativeIsNone
    /// The value is a time in seconds or in milliseconds, depending on the server.
    case secondsOrMilliseconds

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
            // Values below 100 billion are seconds: as milliseconds, they would be before 1973.
            // Larger ones would be after the year 5138 as seconds.
            record.write(number, value * 1000)
        default:
            break
        }
    }
}

struct JSONRules: Sendable {
    /// Interprets values whose keys are not fields, and removes them from `unknown`.
    ///
    /// The others are added to ``Record/extra``.
    var adopt:
        @Sendable (
            _ unknown: inout [String: JSONValue], _ record: inout RecordBytes,
            _ update: inout JSONUpdate
        ) -> Void

    var complete: @Sendable (_ record: inout RecordBytes) -> Void

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

struct JSONUpdate: Hashable, Sendable {
    /// The numbers of fields whose JSON value is `null` or the default value.
    var cleared: Set<Int> = []
    /// The numbers of fields whose values apply only if the record has none.
    var guessed: Set<Int> = []

    mutating func clear(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { cleared.insert(number) }
    }

    mutating func guess(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { guessed.insert(number) }
    }
}
