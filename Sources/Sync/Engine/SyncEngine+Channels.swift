public import Models
import Store

// The user's operations on channels. They need a connection and are not queued. A channel that a
// call returns is stored, and reported to observers of the store. All other effects of an operation
// arrive through the feed.
extension SyncEngine {
    /// Creates a group channel.
    ///
    /// - Returns: The new channel, or the existing one if the parameters ask for a distinct channel
    ///   and there is one with the same members.
    /// - Throws: ``SyncError`` with code `notConnected`; `refused`, with the reason as its cause;
    ///   `store`, `closed`, `canceled`.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(SyncError) -> GroupChannel {
        try await channel(.createChannel(params))
    }

    /// Changes the name, cover image, data, custom type or metadata of a group channel.
    ///
    /// - Returns: The channel after the change.
    /// - Throws: ``SyncError``, as ``createChannel(_:)`` does.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(SyncError) -> GroupChannel {
        try await channel(.updateChannel(url, patch))
    }

    /// Joins a public group channel.
    ///
    /// - Returns: The channel.
    /// - Throws: ``SyncError``, as ``createChannel(_:)`` does.
    public func join(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await channel(.join(url))
    }

    /// Enters an open channel.
    ///
    /// The feed does not report earlier events of the channel, so the ranges of the stored history
    /// that viewers show are fetched again.
    ///
    /// - Returns: The channel, which the call has stored.
    /// - Throws: ``SyncError``, as ``createChannel(_:)`` does.
    package func enter(_ url: ChannelURL) async throws(SyncError) -> OpenChannel {
        // Add the gap before entering, so that a message that arrives immediately after entering is
        // newer than the gap's lower bound.
        try change { (core) throws(SyncError) in try core.leave(openChannel: url) }
        let channel = try await perform { (backend) throws(BackendError) in
            try await backend.enter(url)
        }
        try change { (core) throws(SyncError) in try core.enter(channel) }
        return channel
    }

    func channel(_ question: SyncQuestion) async throws(SyncError) -> GroupChannel {
        guard case .channel(let channel) = try await reply(to: question) else {
            throw .unexpectedReply
        }
        return channel
    }

    /// Calls the backend for an operation that does not involve the store.
    ///
    /// - Parameter call: A closure that makes the call.
    /// - Returns: The result of the closure.
    /// - Throws: ``SyncError`` with code `notConnected`, `refused` or `canceled`, with the
    ///   backend's error as its cause.
    public nonisolated func perform<Value: Sendable>(
        _ call: (any Backend) async throws(BackendError) -> Value
    ) async throws(SyncError) -> Value {
        do throws(BackendError) {
            return try await call(backend)
        } catch {
            throw SyncError(error)
        }
    }

    /// Calls the backend for an operation that changes something and names a message.
    ///
    /// - Parameters:
    ///   - id: The ID of the message.
    ///   - url: The URL of the message's channel.
    ///   - call: A closure that makes the call with the given epoch, which is that of the stored
    ///     message.
    /// - Returns: The result of the closure.
    /// - Throws: ``SyncError`` with code `notFound` if the server was restored to an earlier state
    ///   and has not returned the message since; `store`, `closed`; the errors of the call.
    package nonisolated func perform<Value: Sendable>(
        on id: MessageID, in url: ChannelURL,
        _ call: (any Backend, ServerEpoch?) async throws(BackendError) -> Value
    ) async throws(SyncError) -> Value {
        let epoch = try stored { (reader) throws(StoreError) in try reader.epoch(of: id, in: url) }
        return try await perform { (backend) throws(BackendError) in
            try await call(backend, epoch)
        }
    }
}
