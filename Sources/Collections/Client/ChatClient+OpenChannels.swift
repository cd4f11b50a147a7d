public import Models
import Store
public import Sync

extension ChatClient {
    /// Returns a page of the open channels, newest first.
    ///
    /// A `cursor` of `nil` requests the first page. `limit` is clamped to 1...10,000.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func openChannels(
        after cursor: PageCursor? = nil, limit: Int = 20
    ) async throws(SyncError) -> Page<OpenChannel> {
        try await perform(ListOpenChannels(after: cursor, limit: limit))
    }

    /// Returns an open channel from the server.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func openChannel(_ url: ChannelURL) async throws(SyncError) -> OpenChannel {
        try await perform(FetchOpenChannel(url))
    }

    /// Creates an open channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(SyncError) -> OpenChannel {
        try await perform(CreateOpenChannel(params))
    }

    /// Enters an open channel, so that its messages arrive live until the user exits it.
    ///
    /// After each reconnection, the client enters the channel again, and its ``MessageCollection``
    /// fetches the missed messages and changes.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func enter(_ url: ChannelURL) async throws(SyncError) -> OpenChannel {
        let channel = try await perform(EnterOpenChannel(url))
        enteredChannels.insert(url)
        return channel
    }

    /// Exits an open channel, also after a reconnection if the call throws.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func exit(_ url: ChannelURL) async throws(SyncError) {
        enteredChannels.remove(url)
        try await perform(ExitOpenChannel(url))
    }

    func enterAgain() {
        guard let session, !enteredChannels.isEmpty else { return }
        session.tasks.add(
            Task { @MainActor [weak self, engine = session.engine] in
                for url in (self?.enteredChannels ?? []).sorted() {
                    do throws(SyncError) {
                        _ = try await engine.perform(EnterOpenChannel(url))
                    } catch  where error.code == .refused || error.code == .notFound {
                        // The user was banned, or the channel was deleted.
                        self?.enteredChannels.remove(url)
                    } catch {
                        // If the connection was lost, the next reconnection enters the channel.
                    }
                }
            })
    }
}
