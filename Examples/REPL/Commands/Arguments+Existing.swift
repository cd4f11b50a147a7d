import EmbeddedServer
import Scrollback

// Whether there is such a channel: of one that is mistyped, nothing is told as if it were there.

extension Command.Arguments {
    /// A channel that something is held of in the store.
    ///
    /// - Parameter url: Its URL.
    /// - Returns: The same.
    /// - Throws: ``CommandError`` that names it if nothing is held of it.
    @MainActor func held(_ url: ChannelURL) throws -> ChannelURL {
        guard try workspace.store.holds(url) else { throw CommandError.nothingHeld(of: url) }
        return url
    }

    /// The channel that the first word names, if something is held of it.
    @MainActor var heldChannel: ChannelURL { get throws { try held(channel) } }

    /// The same, where it is the only word.
    @MainActor var onlyHeldChannel: ChannelURL { get throws { try held(onlyChannel) } }

    /// The only word, or with none the channel that is open, to read of it from the store that is open.
    ///
    /// In the device's, a channel that the server has is one of which all is missing.
    @MainActor var channelToRead: ChannelURL {
        get async throws {
            guard !words.isEmpty, try !isOnDevice else { return try await channelOrOpenOne }
            return try onlyHeldChannel
        }
    }

    /// The channel that the first word names, to write into the store that is open.
    ///
    /// In the device's, there has to be one; in others, it may be new.
    @MainActor var channelToWriteTo: ChannelURL {
        get async throws { try await isOnDevice ? existing(channel) : channel }
    }

    /// Whether the store that is open is the device's.
    @MainActor private var isOnDevice: Bool {
        get throws {
            // Where nobody has connected, there is none.
            guard let engine = try? client.engine() else { return false }
            return try workspace.store === engine.store
        }
    }

    /// A channel that the device holds something of, or else the server has for its user.
    ///
    /// The server is asked beside the engine, so that what it tells is not kept.
    ///
    /// - Parameter url: Its URL.
    /// - Returns: The same.
    /// - Throws: `BackendError` that names the channel: `notFound` if the server says that there is none,
    ///   and another code if it cannot be asked.
    @MainActor func existing(_ url: ChannelURL) async throws -> ChannelURL {
        guard try !client.engine().store.holds(url) else { return url }
        let network = try device.network
        var failure: BackendError
        do {
            _ = try await network.channel(url)
            return url
        } catch {
            failure = error
        }
        if failure.code == .notFound {
            do {
                _ = try await network.openChannel(url)
                return url
            } catch {
                failure = error
            }
        }
        switch failure.code {
        // Of what it refuses to show, it knows.
        case .refused: return url
        case .notFound: throw BackendError(.notFound, "there is no channel \(url)")
        case .canceled: throw CancellationError()
        default:
            throw BackendError(
                failure.code,
                "nothing is held of a channel \(url), and the server cannot be asked: "
                    + failure.message)
        }
    }
}

extension CommandError {
    /// What is said of a channel that the store knows nothing of.
    static func nothingHeld(of url: ChannelURL) -> CommandError {
        .failed("nothing is held of a channel '\(url)'")
    }
}

extension ChatStore {
    /// Whether anything is held of a channel: itself, its history, or what is not sent.
    func holds(_ url: ChannelURL) throws -> Bool {
        try channelURLs().contains(url) || !drafts(in: url, limit: 1).isEmpty
    }
}
