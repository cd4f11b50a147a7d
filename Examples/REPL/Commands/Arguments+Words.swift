import Scrollback

extension Command.Arguments {
    var onlyWord: String {
        get throws {
            guard words.count == 1 else { throw CommandError.usage }
            return words[0]
        }
    }

    var optionalWord: String? {
        get throws { try words.isEmpty ? nil : onlyWord }
    }

    var optionalCount: Int? {
        get throws { try optionalWord.map(Self.count) }
    }

    func expectNoWords() throws {
        guard words.isEmpty else { throw CommandError.usage }
    }

    static func count(_ word: String) throws -> Int {
        guard let count = Int(word), (1...1_000_000).contains(count) else {
            throw CommandError.failed("'\(word)' is not a number from 1 to 1000000")
        }
        return count
    }

    func duration(_ word: String) throws -> Duration {
        guard let duration = Duration(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a duration, such as 500ms, 2s, 10m, 3h or 1d")
        }
        return duration
    }

    /// Reads a time, but not a number alone: that may be a message's ID.
    func time(_ word: String) throws -> Timestamp {
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a time, such as 2012-04-26, or @1335398400000 in milliseconds")
        }
        return time
    }

    var channel: ChannelURL {
        get throws {
            guard let word = words.first else { throw CommandError.usage }
            guard !word.isEmpty else { throw CommandError.failed("the channel's URL is empty") }
            return ChannelURL(word)
        }
    }

    var onlyChannel: ChannelURL {
        get throws {
            guard words.count == 1 else { throw CommandError.usage }
            return try channel
        }
    }

    /// Reads a bound: `-` for the beginning of the history, `+` for its end, or a position, given
    /// by the ID of a stored message or `TIME/ID`.
    @MainActor func bound(_ word: String, in url: ChannelURL) throws -> Gap.Bound {
        if word == "-" { return .beginning }
        if word == "+" { return .end }
        guard let position = try position(word, in: url) else {
            throw CommandError.failed(
                "there is no message '\(word)' in \(url): a position without one is TIME/ID")
        }
        return .position(position)
    }

    @MainActor func anchor(_ word: String, in url: ChannelURL) throws -> HistoryAnchor {
        if let position = try position(word, in: url) { return .position(position) }
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "there is no message '\(word)' in \(url): a time is 2012-04-26 or @1335398400000")
        }
        return .time(time)
    }

    @MainActor private func position(_ word: String, in url: ChannelURL) throws -> Position? {
        // A date can be the end of an ID.
        let id = Timestamp(typed: word) == nil ? try messageID(word, in: url) : MessageID(word)
        if let held = try workspace.store.message(id, in: url)?.position { return held }
        let parts = word.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2,
            let time = Timestamp(typed: parts[0]) ?? Timestamp(typed: "@\(parts[0])")
        else { return nil }
        return Position(createdAt: time, messageID: MessageID(parts[1]))
    }
}

extension Timestamp {
    /// Reads a typed time: a date as ``iso8601`` writes it, with or without the time of day; or `@`
    /// and a number of milliseconds.
    init?(typed word: String) {
        if word.hasPrefix("@"), let milliseconds = Int64(word.dropFirst()) {
            self.init(milliseconds: milliseconds)
        } else if let time = Timestamp(iso8601: word) ?? Timestamp(iso8601: "\(word)T00:00:00Z") {
            self = time
        } else {
            return nil
        }
    }
}
