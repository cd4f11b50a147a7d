import Scrollback

// Parsing channels, positions, times and limits.

extension Command.Arguments {
    /// The channel that the first word names.
    var channel: ChannelURL {
        get throws {
            guard let word = words.first else { throw CommandError.usage }
            guard !word.isEmpty else { throw CommandError.failed("the channel's URL is empty") }
            return ChannelURL(word)
        }
    }

    /// The channel that the only word names.
    var onlyChannel: ChannelURL {
        get throws {
            guard words.count == 1 else { throw CommandError.usage }
            return try channel
        }
    }

    /// Reads a position in a channel's history: the ID of a stored message, or `TIME/ID`.
    @MainActor func position(_ word: String, in url: ChannelURL) throws -> Position {
        guard let position = try placeOfMessage(word, in: url) else {
            throw CommandError.failed(
                "there is no message '\(word)' in \(url): a position without one is TIME/ID")
        }
        return position
    }

    /// Reads a bound: a position, `-` for the beginning of the history, or `+` for its end.
    @MainActor func bound(_ word: String, in url: ChannelURL) throws -> Gap.Bound {
        switch word {
        case "-": .beginning
        case "+": .end
        default: .position(try position(word, in: url))
        }
    }

    /// Reads a position, as ``position(_:in:)`` does, or a time.
    @MainActor func anchor(_ word: String, in url: ChannelURL) throws -> HistoryAnchor {
        if let position = try placeOfMessage(word, in: url) { return .position(position) }
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "there is no message '\(word)' in \(url): a time is 2012-04-26 or @1335398400000")
        }
        return .time(time)
    }

    @MainActor private func placeOfMessage(
        _ word: String, in url: ChannelURL
    ) throws -> Position? {
        if let held = try workspace.store.message(MessageID(word), in: url)?.position {
            return held
        }
        let parts = word.split(separator: "/", maxSplits: 1)
        guard parts.count == 2,
            let time = Timestamp(number: parts[0]) ?? Timestamp(typed: String(parts[0]))
        else { return nil }
        return Position(createdAt: time, messageID: MessageID(String(parts[1])))
    }

    /// Returns the number of rows from the option `limit N` or `all` at the end of the line, and
    /// the words before the option.
    ///
    /// - Parameter limit: The number of rows if there is no such option.
    /// - Returns: The words, and the number of rows.
    /// - Throws: ``CommandError`` if the word after `limit` is not a number.
    func limited(to limit: Int = Command.rowLimit) throws -> (words: [String], limit: Int) {
        try limited(words, to: limit)
    }

    /// Returns the number of rows from the option `limit N` or `all` at the end of the given words,
    /// and the words before the option.
    func limited(
        _ words: [String], to limit: Int = Command.rowLimit
    ) throws -> (words: [String], limit: Int) {
        if words.last == "all" { return (words.dropLast(), .everything) }
        guard words.count > 1, words[words.count - 2] == "limit" else { return (words, limit) }
        return (words.dropLast(2), try count(words[words.count - 1]))
    }
}

extension Command {
    /// The number of rows that a list shows without `limit N` or `all`.
    static let rowLimit = 100
}

extension Int {
    /// A limit that is higher than any number of rows.
    ///
    /// A caller can add to it without an overflow.
    static let everything = Int(Int32.max)
}

extension Timestamp {
    /// Reads a time that a user has typed: a date as ``iso8601`` writes it, with or without the
    /// time of day; or `@` and a number of milliseconds.
    init?(typed word: String) {
        if word.hasPrefix("@"), let time = Timestamp(number: word.dropFirst()) {
            self = time
        } else if let time = Timestamp(iso8601: word) ?? Timestamp(iso8601: "\(word)T00:00:00Z") {
            self = time
        } else {
            return nil
        }
    }

    /// Creates a time from a number of milliseconds, for arguments that cannot be IDs.
    init?(number word: some StringProtocol) {
        guard let milliseconds = Int64(word) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension [String] {
    /// Returns the first lines and, if lines are omitted, a line with the total.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of lines.
    ///   - total: The number of all rows; `nil` if it equals the number of lines.
    /// - Returns: The lines.
    func cut(to limit: Int, of total: Int? = nil) -> [String] {
        let total = total ?? count
        guard Swift.min(count, limit) < total else { return self }
        return prefix(limit) + [Command.cutRemark(Swift.min(count, limit), of: total)]
    }
}

extension Command {
    /// Returns the last line of a list of which only a part is shown.
    static func cutRemark(_ count: Int, of total: Int?) -> String {
        let part =
            total.map { "\(grouped(count)) of \(grouped($0))" } ?? "the first \(grouped(count))"
        return "… \(part) shown: add all for the rest"
    }
}

extension Array {
    /// Returns a reply with a line for each element.
    ///
    /// - Parameters:
    ///   - text: A closure that returns the line of an element.
    ///   - none: The text if there are no elements.
    ///   - limit: The maximum number of lines.
    /// - Returns: The reply.
    func lines(
        _ text: (Element) -> String, orNone none: String, limit: Int = .everything
    ) -> Command.Reply {
        let lines = prefix(limit).map(text).cut(to: limit, of: count)
        return .text(isEmpty ? none : lines.joined(separator: "\n"))
    }

    /// Returns a reply with a line for each element, and with all elements as a value.
    func lines(
        _ text: (Element) -> String, orNone none: String, limit: Int = .everything, as field: Field
    ) -> Command.Reply where Element: Encodable & Sendable {
        var reply = lines(text, orNone: none, limit: limit)
        reply.values[field] = self
        return reply
    }
}

extension Gap {
    /// The bounds of the range, as values of a command's result.
    var bounds: [String: String] { ["from": lower.word, "to": upper.word] }
}

extension StaleRange {
    var bounds: [String: String] { ["from": lower.word, "to": upper.word] }
}

extension Gap.Bound {
    /// The bound as users type it: `-` for the beginning, `+` for the end, or `TIME/ID`.
    var word: String {
        switch self {
        case .beginning: "-"
        case .end: "+"
        case .position(let position): "\(position)"
        }
    }
}

/// Returns a number with the name of the counted things, such as `2 gaps`.
func counted(_ count: Int, _ thing: String) -> String {
    count == 1 ? "1 \(thing)" : "\(grouped(count)) \(thing)s"
}
