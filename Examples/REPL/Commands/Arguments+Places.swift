import Scrollback

// Channels, places in their history and numbers, as they are typed.

extension Command.Arguments {
    /// The channel that the first word names.
    var channel: ChannelURL {
        get throws {
            guard let word = words.first else { throw CommandError.usage }
            return ChannelURL(word)
        }
    }

    /// The channel that is the only word.
    var onlyChannel: ChannelURL {
        get throws {
            guard words.count == 1 else { throw CommandError.usage }
            return try channel
        }
    }

    /// Where a word stands in a channel's history: the id of a message that is held, or `TIME/ID`.
    @MainActor func position(_ word: String, in url: ChannelURL) throws -> Position {
        guard let position = try placeOfMessage(word, in: url) else {
            throw CommandError.failed(
                "there is no message '\(word)' in \(url): a place without one is TIME/ID")
        }
        return position
    }

    /// The same, or `-` for the beginning of the history and `+` for its end.
    @MainActor func bound(_ word: String, in url: ChannelURL) throws -> Gap.Bound {
        switch word {
        case "-": .beginning
        case "+": .end
        default: .position(try position(word, in: url))
        }
    }

    /// The same as ``position(_:in:)``, or a time.
    @MainActor func anchor(_ word: String, in url: ChannelURL) throws -> HistoryAnchor {
        if let position = try placeOfMessage(word, in: url) { return .position(position) }
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is neither a message of \(url), nor a time, nor TIME/ID")
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
        guard parts.count == 2, let time = Timestamp(typed: String(parts[0])) else { return nil }
        return Position(createdAt: time, messageID: MessageID(String(parts[1])))
    }

    /// The number behind `limit` at the end of the line, and the words before it.
    func limited(to limit: Int) throws -> (words: [String], limit: Int) {
        guard words.count > 1, words[words.count - 2] == "limit" else { return (words, limit) }
        return (words.dropLast(2), try count(words[words.count - 1]))
    }
}

extension Timestamp {
    /// Reads milliseconds, or a date as ``iso8601`` writes it; the time of day may be left out.
    init?(typed word: String) {
        if let milliseconds = Int64(word) {
            self.init(milliseconds: milliseconds)
        } else if let time = Timestamp(iso8601: word) ?? Timestamp(iso8601: "\(word)T00:00:00Z") {
            self = time
        } else {
            return nil
        }
    }
}

extension Array {
    /// The lines of a reply, or what to say where there is nothing.
    func lines(_ text: (Element) -> String, orNone none: String) -> Command.Reply {
        .text(isEmpty ? none : map(text).joined(separator: "\n"))
    }

    /// The same, with the elements as a value.
    func lines(
        _ text: (Element) -> String, orNone none: String, as field: Field
    ) -> Command.Reply where Element: Encodable & Sendable {
        var reply = lines(text, orNone: none)
        reply.values[field] = self
        return reply
    }
}

extension Gap {
    /// The bounds as values.
    var bounds: [String: String] { ["from": lower.word, "to": upper.word] }
}

extension StaleRange {
    /// The bounds as values.
    var bounds: [String: String] { ["from": lower.word, "to": upper.word] }
}

extension Gap.Bound {
    /// As it is typed: `-` for the beginning, `+` for the end, or TIME/ID.
    fileprivate var word: String {
        switch self {
        case .beginning: "-"
        case .end: "+"
        case .position(let position): "\(position)"
        }
    }
}

/// A number and what it counts, such as `2 gaps`.
func counted(_ count: Int, _ thing: String) -> String {
    count == 1 ? "1 \(thing)" : "\(grouped(count)) \(thing)s"
}
