/// What a value in JSON means, where it is not simply itself.
enum JSONMeaning {
    case itself
    /// Servers write the id 0 for "no message".
    case zeroIsNone
    /// Servers write −1 for "none".
    case negativeIsNone
    /// Some servers tell times in seconds, others the same times in milliseconds.
    case secondsOrMilliseconds

    /// Corrects a field that was just read from JSON.
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
            // 100 billion milliseconds are in 1973, before any chat; as many seconds are in the
            // year 5138.
            record.write(number, value * 1000)
        default:
            break
        }
    }
}

/// What the JSON of one type needs beside its fields.
struct JSONRules: Sendable {
    /// Finds a place for what JSON says under keys that no field has.
    ///
    /// What it takes out of the dictionary does not become ``Record/extra``.
    var adopt:
        @Sendable (
            _ unknown: inout [String: JSONValue], _ record: inout RecordBytes,
            _ update: inout JSONUpdate
        ) -> Void

    /// Completes a record that was read as a whole.
    var complete: @Sendable (_ record: inout RecordBytes) -> Void

    /// Creates rules that do nothing.
    init() {
        adopt = { _, _, _ in }
        complete = { _ in }
    }

    /// Creates the rules of one type of record.
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

/// What JSON says beside the values of fields.
struct JSONUpdate: Hashable, Sendable {
    /// The numbers of fields whose keys are there and say nothing: `null`, or the default.
    var cleared: Set<Int> = []
    /// The numbers of fields whose values only stand in where nothing better is known.
    var guessed: Set<Int> = []

    mutating func clear(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { cleared.insert(number) }
    }

    mutating func guess(_ property: AnyKeyPath, in schema: Schema) {
        if let number = schema.number(of: property) { guessed.insert(number) }
    }
}
