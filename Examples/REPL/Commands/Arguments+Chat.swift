import EmbeddedServer
import Foundation
import Scrollback

// The device that a command is given to, and what of it the command names.

extension Command.Arguments {
    /// The server and all devices.
    @MainActor var world: World { get throws { try workspace.world } }

    /// The device that the command is for.
    @MainActor var device: Device {
        get throws {
            guard let device = workspace.device else {
                throw CommandError.failed("nobody is here: connect alice, or demo")
            }
            return device
        }
    }

    /// Its application.
    @MainActor var client: ChatClient { get throws { try device.client } }

    /// The channel that it shows.
    @MainActor var collection: MessageCollection {
        get throws {
            guard let collection = try device.collection else {
                throw CommandError.failed("no channel is open: open CHANNEL")
            }
            return collection
        }
    }

    /// The words, and the channel: that behind `in` at their end, or the one that is open.
    @MainActor func wordsInChannel() async throws -> (words: [String], url: ChannelURL) {
        if words.count >= 2, words[words.count - 2] == "in" {
            let url = try await existing(ChannelURL(words[words.count - 1]))
            return (words.dropLast(2), url)
        }
        return (words, try collection.channelURL)
    }

    /// The channel that is the only word; with none, the one that is open.
    @MainActor var channelOrOpenOne: ChannelURL {
        get async throws {
            guard words.count <= 1 else { throw CommandError.usage }
            return try words.isEmpty ? collection.channelURL : await existing(channel)
        }
    }

    /// The only word, and its channel.
    @MainActor func wordInChannel() async throws -> (word: String, url: ChannelURL) {
        let (words, url) = try await wordsInChannel()
        guard words.count == 1 else { throw CommandError.usage }
        return (words[0], url)
    }

    /// The channel that is the only word, of which something is held; with none, the one that is open, if
    /// one is.
    @MainActor func openChannel(or words: [String]) throws -> ChannelURL {
        if words.isEmpty, let url = workspace.device?.collection?.channelURL { return url }
        guard words.count == 1 else { throw CommandError.usage }
        return try held(ChannelURL(words[0]))
    }

    /// A duration such as `2s`.
    func duration(_ word: String) throws -> Duration {
        guard let duration = Duration(typed: word) else {
            throw CommandError.failed("'\(word)' is no duration, such as 500ms, 2s, 10m, 3h or 1d")
        }
        return duration
    }

    /// A time as it is typed.
    func time(_ word: String) throws -> Timestamp {
        guard let time = Timestamp(typed: word) else {
            throw CommandError.failed("'\(word)' is no time, such as 2012-04-26 or milliseconds")
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

    /// What stands before the first `{` that begins a word, and all from it on; empty without one.
    var wordsAndJSON: (words: String, json: String) {
        guard let start = text.firstRange(of: /(^|\s)\{/) else { return (text, "") }
        return (
            String(text[..<start.lowerBound]),
            String(text[start.lowerBound...]).trimmingCharacters(in: .whitespaces)
        )
    }

    /// Other arguments of the same command.
    func with(_ text: String) -> Command.Arguments {
        Command.Arguments(
            text: text, words: text.split(whereSeparator: \.isWhitespace).map(String.init),
            workspace: workspace)
    }

    /// A record, where the text is JSON; `nil` where it is not.
    func record<Value: Record>(_ type: Value.Type, in text: String) throws -> Value? {
        guard text.hasPrefix("{") else { return nil }
        return try RecordType(named: Value.schema.name).record(json: text) as? Value
    }
}

extension MessageCollection {
    /// The message of an id, sent or not, if it is shown; or as the store has it.
    func message(_ word: String) throws -> Message {
        if let shown = messages.first(where: {
            $0.messageID?.rawValue == word || $0.requestID?.rawValue == word
        }) {
            return shown
        }
        let store = engine.store
        if let held = try store.message(MessageID(word), in: channelURL) { return held }
        if let unsent = try store.draft(RequestID(word))?.message { return unsent }
        throw CommandError.failed("there is no message '\(word)' in \(channelURL)")
    }
}
