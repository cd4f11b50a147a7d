public import Models

// What the user does to channels. It needs a connection, and nothing of it is queued. A channel that is returned is
// stored, and told to those who observe the store; all else the feed tells, as it does to other devices.
extension SyncEngine {
    /// Creates a group channel.
    ///
    /// - Returns: The channel, which may have been there before where distinct channels are asked for.
    /// - Throws: ``SyncError`` with code `notConnected`; `refused`, where the cause says why; `store`,
    ///   `closed`, `canceled`.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(SyncError) -> GroupChannel {
        try await channel(.createChannel(params))
    }

    /// Changes what a group channel says of itself.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - patch: What is to change: its name, picture, data, custom type, metadata.
    /// - Returns: The channel as it is then.
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

    private func channel(_ question: SyncQuestion) async throws(SyncError) -> GroupChannel {
        guard case .channel(let channel) = try await reply(to: question) else { throw .unasked }
        return channel
    }

    /// Calls the backend for something that the store has no part in.
    ///
    /// - Parameter call: The call.
    /// - Returns: What it answers.
    /// - Throws: ``SyncError`` with code `notConnected`, `refused` or `canceled`; its cause is what the
    ///   backend said.
    public nonisolated func perform<Value: Sendable>(
        _ call: (any Backend) async throws(BackendError) -> Value
    ) async throws(SyncError) -> Value {
        do throws(BackendError) {
            return try await call(backend)
        } catch {
            throw SyncError(error)
        }
    }
}
