import EmbeddedServer
import Scrollback

// Checks that the channel of a command exists, so that a mistyped URL is an error.

extension Command.Arguments {
    /// Returns the URL of a channel of which the store has data.
    ///
    /// - Throws: ``CommandError``, which names the URL, if the store has no data of the channel.
    @MainActor func held(_ url: ChannelURL) throws -> ChannelURL {
        guard try workspace.store.holds(url) else { throw CommandError.nothingHeld(of: url) }
        return url
    }

    /// The channel that the first word names, checked with ``held(_:)``.
    @MainActor var heldChannel: ChannelURL { get throws { try held(channel) } }

    /// The channel that the only word names, checked with ``held(_:)``.
    @MainActor var onlyHeldChannel: ChannelURL { get throws { try held(onlyChannel) } }

    /// The channel that the only word names, for reading from the open store; if there is no word,
    /// the open channel.
    ///
    /// The device's store may lack a channel that the server has. The channel is then shown as one
    /// gap.
    @MainActor var channelToRead: ChannelURL {
        get async throws {
            guard !words.isEmpty, try !isOnDevice else { return try await channelOrOpenOne }
            return try onlyHeldChannel
        }
    }

    /// The channel that the first word names, for writing to the open store.
    ///
    /// If the open store is the device's store, the channel must exist. In any other store, it may
    /// be new.
    @MainActor var channelToWriteTo: ChannelURL {
        get async throws { try await isOnDevice ? existing(channel) : channel }
    }

    /// A Boolean value that indicates whether the open store is the device's store.
    @MainActor private var isOnDevice: Bool {
        get throws {
            // Before a user has connected, the device has no store.
            guard let engine = try? client.engine else { return false }
            return try workspace.store === engine.store
        }
    }

    /// Returns the URL of a channel that the device's store or the server has.
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
                _ = try await network.openChannel(url)
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
}

extension ChatStore {
    /// Returns a Boolean value that indicates whether the store has the row, the history or outbox
    /// items of a channel.
    func holds(_ url: ChannelURL) throws -> Bool {
        try channelURLs().contains(url) || !outboxItems(in: url, limit: 1).isEmpty
    }
}
