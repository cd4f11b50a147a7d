import EmbeddedServer
import Foundation
import Scrollback

// The device on which a command runs, and the channels and messages that its arguments name.

extension Command.Arguments {
    @MainActor var world: World { get throws { try workspace.world } }

    @MainActor var device: Device {
        get throws {
            if let device = workspace.device { return device }
            throw CommandError.failed("no user is connected: type \(workspace.firstStep)")
        }
    }

    @MainActor var client: ChatClient { get throws { try device.client } }

    /// The open channel.
    @MainActor var collection: MessageCollection {
        get throws {
            guard let collection = try device.collection else {
                throw CommandError.failed("no channel is open: open CHANNEL")
            }
            return collection
        }
    }

    /// The words before the option `in CHANNEL`, and that channel; if the option is missing, the
    /// open channel.
    @MainActor func wordsInChannel() async throws -> (words: [String], url: ChannelURL) {
        try await wordsInChannel(words)
    }

    /// Returns the words before the option `in CHANNEL`, and that channel; if the option is
    /// missing, the open channel.
    @MainActor func wordsInChannel(
        _ words: [String]
    ) async throws -> (words: [String], url: ChannelURL) {
        if words.count >= 2, words[words.count - 2] == "in" {
            let url = try await existing(ChannelURL(words[words.count - 1]))
            return (words.dropLast(2), url)
        }
        return (words, try collection.channelURL)
    }

    /// The channel that the only word names; if there is no word, the open channel.
    @MainActor var channelOrOpenOne: ChannelURL {
        get async throws { try await channelOrOpenOne(of: words) }
    }

    /// Returns the channel that the only word of `words` names; if there is no word, the open
    /// channel.
    @MainActor func channelOrOpenOne(of words: [String]) async throws -> ChannelURL {
        guard let word = words.first else { return try collection.channelURL }
        guard words.count == 1 else { throw CommandError.usage }
        return try await existing(ChannelURL(word))
    }

    /// The only word before the option `in CHANNEL`, and that channel; if the option is missing,
    /// the open channel.
    @MainActor func wordInChannel() async throws -> (word: String, url: ChannelURL) {
        let (words, url) = try await wordsInChannel()
        guard words.count == 1 else { throw CommandError.usage }
        return (words[0], url)
    }

    /// Returns the channel that the only word names, of which the store must have data; if there is
    /// no word, the open channel.
    @MainActor func openChannel(or words: [String]) throws -> ChannelURL {
        if words.isEmpty, let url = workspace.device?.collection?.channelURL { return url }
        guard words.count == 1 else { throw CommandError.usage }
        return try held(ChannelURL(words[0]))
    }

    /// Reads a duration such as `2s`.
    func duration(_ word: String) throws -> Duration {
        guard let duration = Duration(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a duration, such as 500ms, 2s, 10m, 3h or 1d")
        }
        return duration
    }

    /// Reads a time.
    ///
    /// A number alone is not a time, because it may be the ID of a message.
    func time(_ word: String) throws -> Timestamp {
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a time, such as 2012-04-26, or @1335398400000 in milliseconds")
        }
        return time
    }

    /// Reads a number from 1 to 1,000,000.
    func count(_ word: String) throws -> Int {
        guard let count = Int(word), (1...1_000_000).contains(count) else {
            throw CommandError.failed("'\(word)' is not a number from 1 to 1000000")
        }
        return count
    }

    /// Changes parameters by the JSON at the end of the line.
    ///
    /// - Parameters:
    ///   - defaults: The parameters, with values for the fields that the JSON does not contain.
    ///   - json: The JSON; empty if there is none.
    /// - Returns: The changed parameters.
    /// - Throws: ``CommandError`` if the JSON contains an unknown field.
    func params<Value: Record>(_ defaults: Value, _ json: String) throws -> Value {
        guard !json.isEmpty else { return defaults }
        var params = defaults
        try RecordType(named: Value.schema.name).patch(Value.self, json: json).apply(to: &params)
        return params
    }
}

extension MessageCollection {
    /// Returns the message with an ID or request ID: as the open channel shows it, or as stored if
    /// the open channel does not show it.
    func message(_ word: String) throws -> Message {
        if let shown = messages.first(where: {
            $0.messageID?.rawValue == word || $0.requestID?.rawValue == word
        }) {
            return shown
        }
        let store = engine.store
        if let held = try store.message(MessageID(word), in: channelURL) { return held }
        if let unsent = try store.outboxItem(RequestID(word))?.message { return unsent }
        throw CommandError.failed("there is no message '\(word)' in \(channelURL)")
    }
}
