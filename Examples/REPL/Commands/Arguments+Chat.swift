import EmbeddedServer
import Foundation
import Scrollback

// The device that a command runs on, and the channels and messages that its arguments name.

extension Command.Arguments {
    /// The server and all devices.
    @MainActor var world: World { get throws { try workspace.world } }

    /// The current device.
    @MainActor var device: Device {
        get throws {
            if let device = workspace.device { return device }
            throw CommandError.failed("no user is connected: type \(workspace.firstStep)")
        }
    }

    /// The application on the current device.
    @MainActor var client: ChatClient { get throws { try device.client } }

    /// The channel that the application shows.
    @MainActor var collection: MessageCollection {
        get throws {
            guard let collection = try device.collection else {
                throw CommandError.failed("no channel is open: open CHANNEL")
            }
            return collection
        }
    }

    /// The words before `in CHANNEL`, and the channel; the open channel if there is no such option.
    @MainActor func wordsInChannel() async throws -> (words: [String], url: ChannelURL) {
        try await wordsInChannel(words)
    }

    /// Returns the words before `in CHANNEL` at the end of the given words, and the channel; the
    /// open channel if there is no such option.
    @MainActor func wordsInChannel(
        _ words: [String]
    ) async throws -> (words: [String], url: ChannelURL) {
        if words.count >= 2, words[words.count - 2] == "in" {
            let url = try await existing(ChannelURL(words[words.count - 1]))
            return (words.dropLast(2), url)
        }
        return (words, try collection.channelURL)
    }

    /// The channel that is the only word; the open channel if there is no word.
    @MainActor var channelOrOpenOne: ChannelURL {
        get async throws { try await channelOrOpenOne(of: words) }
    }

    /// Returns the channel that is the only one of the given words; the open channel if there is
    /// none.
    @MainActor func channelOrOpenOne(of words: [String]) async throws -> ChannelURL {
        guard let word = words.first else { return try collection.channelURL }
        guard words.count == 1 else { throw CommandError.usage }
        return try await existing(ChannelURL(word))
    }

    /// The only word, and its channel.
    @MainActor func wordInChannel() async throws -> (word: String, url: ChannelURL) {
        let (words, url) = try await wordsInChannel()
        guard words.count == 1 else { throw CommandError.usage }
        return (words[0], url)
    }

    /// The channel that is the only word, which must have data in the store; the open channel if
    /// there is no word.
    @MainActor func openChannel(or words: [String]) throws -> ChannelURL {
        if words.isEmpty, let url = workspace.device?.collection?.channelURL { return url }
        guard words.count == 1 else { throw CommandError.usage }
        return try held(ChannelURL(words[0]))
    }

    /// A duration such as `2s`.
    func duration(_ word: String) throws -> Duration {
        guard let duration = Duration(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a duration, such as 500ms, 2s, 10m, 3h or 1d")
        }
        return duration
    }

    /// A time; a number alone is not a time, since it may be the id of a message.
    func time(_ word: String) throws -> Timestamp {
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed(
                "'\(word)' is not a time, such as 2012-04-26, or @1335398400000 in milliseconds")
        }
        return time
    }

    /// A number of at least one.
    func count(_ word: String) throws -> Int {
        guard let count = Int(word), (1...1_000_000).contains(count) else {
            throw CommandError.failed("'\(word)' is not a number from 1 to 1000000")
        }
        return count
    }

    /// Parameters, changed by the JSON at the end of the line.
    ///
    /// - Parameters:
    ///   - defaults: The values of the fields that the JSON does not name.
    ///   - json: The JSON; empty for none.
    /// - Returns: The parameters.
    /// - Throws: ``CommandError`` if the JSON names an unknown field.
    func params<Value: Record>(_ defaults: Value, _ json: String) throws -> Value {
        guard !json.isEmpty else { return defaults }
        var params = defaults
        try RecordType(named: Value.schema.name).patch(Value.self, json: json).apply(to: &params)
        return params
    }
}

extension MessageCollection {
    /// Returns the message with an id or request id: as the open collection shows it or, if it does
    /// not, as it is stored.
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
