import EmbeddedServer
import Foundation
import Scrollback
import Sync

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
        if words.count >= 2, words[words.count - 2] == "in" {
            let url = try await existing(ChannelURL(words[words.count - 1]))
            return (words.dropLast(2), url)
        }
        return (words, try collection.channelURL)
    }

    /// The only word before the option `in CHANNEL`, and that channel; if the option is missing,
    /// the open channel.
    @MainActor func wordInChannel() async throws -> (word: String, url: ChannelURL) {
        let (words, url) = try await wordsInChannel()
        guard words.count == 1 else { throw CommandError.usage }
        return (words[0], url)
    }

    /// The message that the only word before the option `in CHANNEL` names, and its channel.
    @MainActor func messageInChannel() async throws -> (id: MessageID, url: ChannelURL) {
        let (word, url) = try await wordInChannel()
        return (try messageID(word, in: url), url)
    }

    /// Returns the ID of a message that a word names: the word or, of a long ID, its end.
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

    /// The number of stored messages among which a user can name one by the end of its ID, in
    /// addition to those that are listed.
    private static let searchedCount = 500

    /// The message of the open channel that a word names: as the channel shows it, or as stored if
    /// it does not show it.
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

    /// The channel that the only word names; if there is no word, the open channel.
    @MainActor var channelOrOpenOne: ChannelURL {
        get async throws {
            guard let word = try optionalWord else { return try collection.channelURL }
            return try await existing(ChannelURL(word))
        }
    }

    /// The channel that the only word names, of which the store must have data; if there is no
    /// word, the open channel.
    @MainActor var heldChannelOrOpenOne: ChannelURL {
        get throws {
            guard words.isEmpty else { return try held(onlyChannel) }
            // A store that was opened by hand has no open channel.
            guard workspace.device != nil else { throw CommandError.usage }
            return try collection.channelURL
        }
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

// MARK: Channels that exist

extension Command.Arguments {
    /// Returns the URL of a channel of which the store has data.
    ///
    /// - Throws: ``CommandError``, which names the URL, if the store has no data of the channel.
    @MainActor func held(_ url: ChannelURL) throws -> ChannelURL {
        guard try workspace.store.holds(url) else { throw CommandError.nothingHeld(of: url) }
        return url
    }

    /// A Boolean value that indicates whether the open store is the device's store.
    @MainActor var isOnDevice: Bool {
        get throws {
            // Before a user has connected, the device has no store.
            guard let engine = try? client.engine else { return false }
            return try workspace.store === engine.store
        }
    }

    /// Returns the URL of a channel that the device's store or the server has, so that a mistyped
    /// URL is an error.
    ///
    /// The request to the server bypasses the engine, so that its answer is not stored.
    ///
    /// - Throws: `BackendError`, which names the URL: with code `notFound` if the server does not
    ///   have the channel, or with another code if the request fails.
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
        // The channel exists: the server refuses requests only for existing channels.
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
    /// Returns a Boolean value that indicates whether the store has the row, the history or outbox
    /// items of a channel.
    func holds(_ url: ChannelURL) throws -> Bool {
        try channelURLs().contains(url) || !outboxItems(in: url, limit: 1).isEmpty
    }
}
