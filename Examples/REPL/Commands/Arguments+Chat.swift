import EmbeddedServer
import Foundation
import Scrollback
import Sync

extension Command.Arguments {
    @MainActor var world: World { get throws { try workspace.world } }

    @MainActor var device: Device {
        get throws {
            if let device = workspace.device { return device }
            throw CommandError.failed("no user is connected: type \(workspace.firstStep)")
        }
    }

    @MainActor var client: ChatClient { get throws { try device.client } }

    @MainActor var collection: MessageCollection {
        get throws {
            guard let collection = try device.collection else {
                throw CommandError.failed("no channel is open: open CHANNEL")
            }
            return collection
        }
    }

    /// The words before the option `in CHANNEL`, and that channel or, without the option, the open
    /// one.
    @MainActor func wordsInChannel() async throws -> (words: [String], url: ChannelURL) {
        if words.count >= 2, words[words.count - 2] == "in" {
            let url = try await existing(ChannelURL(words[words.count - 1]))
            return (words.dropLast(2), url)
        }
        return (words, try collection.channelURL)
    }

    /// The only word before `in CHANNEL`, and the channel, as in ``wordsInChannel()``.
    @MainActor func wordInChannel() async throws -> (word: String, url: ChannelURL) {
        let (words, url) = try await wordsInChannel()
        guard words.count == 1 else { throw CommandError.usage }
        return (words[0], url)
    }

    @MainActor func messageInChannel() async throws -> (id: MessageID, url: ChannelURL) {
        let (word, url) = try await wordInChannel()
        return (try messageID(word, in: url), url)
    }

    /// Returns the ID of a message from a word: the ID or, of a long one, its end.
    @MainActor func messageID(_ word: String, in url: ChannelURL) throws -> MessageID {
        let store = try workspace.store
        guard try store.message(MessageID(word), in: url) == nil else { return MessageID(word) }
        var messages = try store.messages(in: url, limit: Self.searchedCount)
        if let open = workspace.device?.collection, open.channelURL == url {
            messages += open.messages
        }
        messages += workspace.device?.listedMessages.filter { $0.channelURL == url } ?? []
        let ids = messages.compactMap { $0.messageID?.rawValue }
        return MessageID(try ShortIDs.id(endingWith: word, among: ids) ?? word)
    }

    /// The number of stored messages, besides the listed ones, that a user can name by the end of
    /// their IDs.
    private static let searchedCount = 500

    /// The message that a word names in the open channel, as shown or else as stored.
    @MainActor func message(_ word: String) throws -> Message {
        let collection = try collection
        if let shown = collection.messages.first(where: {
            $0.name == word || $0.requestID == RequestID(word)
        }) {
            return shown
        }
        let store = collection.engine.store
        if let unsent = try store.outboxItem(RequestID(word))?.message { return unsent }
        let id = try messageID(word, in: collection.channelURL)
        let shown = collection.messages.first { $0.messageID == id }
        guard let message = try shown ?? store.message(id, in: collection.channelURL) else {
            throw CommandError.noMessage(word, in: collection.channelURL)
        }
        return message
    }

    @MainActor var channelOrOpenOne: ChannelURL {
        get async throws {
            guard let word = try optionalWord else { return try collection.channelURL }
            return try await existing(ChannelURL(word))
        }
    }

    /// As ``channelOrOpenOne``, but the store must have data of it.
    @MainActor var heldChannelOrOpenOne: ChannelURL {
        get throws {
            guard words.isEmpty else { return try held(onlyChannel) }
            // A store opened by hand has no open channel.
            guard workspace.device != nil else { throw CommandError.usage }
            return try collection.channelURL
        }
    }

    /// Changes parameters by JSON; an unknown field is an error.
    func params<Value: Record>(_ defaults: Value, _ json: String) throws -> Value {
        guard !json.isEmpty else { return defaults }
        var params = defaults
        try RecordType(named: Value.schema.name).patch(Value.self, json: json).apply(to: &params)
        return params
    }
}

// MARK: Channels that exist

extension Command.Arguments {
    /// Throws an error if the store has no data of the channel.
    @MainActor func held(_ url: ChannelURL) throws -> ChannelURL {
        guard try workspace.store.holds(url) else { throw CommandError.nothingHeld(of: url) }
        return url
    }

    @MainActor var isOnDevice: Bool {
        get throws {
            // Before a user has connected, the device has no store.
            guard let engine = try? client.engine else { return false }
            return try workspace.store === engine.store
        }
    }

    /// Throws an error if neither the device's store nor the server has a channel.
    ///
    /// The request bypasses the engine, so that its answer is not stored.
    @MainActor func existing(_ url: ChannelURL) async throws -> ChannelURL {
        guard try !client.engine.store.holds(url) else { return url }
        let network = try device.network
        var failure: BackendError
        do {
            _ = try await network.channel(url)
            return url
        } catch {
            failure = error
        }
        if failure.code == .notFound, network.capabilities.contains(.openChannels) {
            do {
                _ = try await network.perform(FetchOpenChannel(url))
                return url
            } catch {
                failure = error
            }
        }
        switch failure.code {
        // The server refuses requests only for existing channels.
        case .refused: return url
        case .notFound: throw BackendError(.notFound, "there is no channel \(url)")
        case .canceled: throw CancellationError()
        default:
            throw BackendError(
                failure.code,
                "the store has no data of channel \(url), and the server cannot be reached: "
                    + failure.message)
        }
    }
}

extension CommandError {
    static func nothingHeld(of url: ChannelURL) -> CommandError {
        .failed("the store has no data of channel '\(url)'")
    }

    static func noMessage(_ id: String, in url: ChannelURL) -> CommandError {
        .failed("there is no message '\(id)' in \(url)")
    }
}

extension ChatStore {
    /// `true` if the store has the row, the history or outbox items of a channel.
    func holds(_ url: ChannelURL) throws -> Bool {
        try channelURLs().contains(url) || !outboxItems(in: url, limit: 1).isEmpty
    }
}
