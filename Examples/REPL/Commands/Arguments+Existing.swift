import EmbeddedServer
import Scrollback

// Checks that the channel of a command exists, so that a mistyped URL is an error.

extension Command.Arguments {
    /// Returns the URL of a channel of which the store has any data.
    ///
    /// - Throws: ``CommandError`` that names the channel if the store has no data of it.
    @MainActor func held(_ url: ChannelURL) throws -> ChannelURL {
        guard try workspace.store.holds(url) else { throw CommandError.nothingHeld(of: url) }
        return url
    }

    /// The channel that the first word names, checked with ``held(_:)``.
    @MainActor var heldChannel: ChannelURL { get throws { try held(channel) } }

    /// The channel that is the only word, checked with ``held(_:)``.
    @MainActor var onlyHeldChannel: ChannelURL { get throws { try held(onlyChannel) } }

    /// The channel that is the only word, to be read from the open store; the open channel if there
    /// is no word.
    ///
    /// A channel that exists only on the server is accepted for the device's store, where it is
    /// shown as one gap.
    @MainActor var channelToRead: ChannelURL {
        get async throws {
            guard !words.isEmpty, try !isOnDevice else { return try await channelOrOpenOne }
            return try onlyHeldChannel
        }
    }

    /// The channel that the first word names, to be written to in the open store.
    ///
    /// In the device's store, the channel must exist; in another store, it may be new.
    @MainActor var channelToWriteTo: ChannelURL {
        get async throws { try await isOnDevice ? existing(channel) : channel }
    }

    /// A Boolean value that indicates whether the open store is the device's.
    @MainActor private var isOnDevice: Bool {
        get throws {
            // Before a user has connected, the device has no store.
            guard let engine = try? client.engine else { return false }
            return try workspace.store === engine.store
        }
    }

    /// Returns the URL of a channel that the device's store or the server has.
    ///
    /// The request is made without the engine, so that its answer is not stored.
    ///
    /// - Throws: `BackendError` that names the channel: `notFound` if the server has none, and
    ///   another code if the request fails.
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
                _ = try await network.openChannel(url)
                return url
            } catch {
                failure = error
            }
        }
        switch failure.code {
        // If the server refuses the request, the channel exists.
        case .refused: return url
        case .notFound: throw BackendError(.notFound, "there is no channel \(url)")
        case .canceled: throw CancellationError()
        default:
            throw BackendError(
                failure.code,
                "the store has no data of channel \(url), and the server cannot be asked: "
                    + failure.message)
        }
    }
}

extension CommandError {
    /// The error for a channel of which the store has no data.
    static func nothingHeld(of url: ChannelURL) -> CommandError {
        .failed("the store has no data of channel '\(url)'")
    }
}

extension ChatStore {
    /// Returns true if the store has any data of a channel: its row, its history, or outbox items.
    func holds(_ url: ChannelURL) throws -> Bool {
        try channelURLs().contains(url) || !outboxItems(in: url, limit: 1).isEmpty
    }
}
