public import Models
import Sync

// The user's operations on the visible channel. They are on disk and in the rows when a call
// returns; delivery results change the rows later. Do not add rows to a view yourself.
extension MessageCollection {
    /// Sends a text message.
    ///
    /// - Returns: The pending message. It is already in ``items`` if the newest end is visible.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`; nothing is
    ///   written then.
    @discardableResult
    public func send(
        _ params: UserMessageCreateParams
    ) async throws(CollectionError) -> Message {
        try await write { (engine, url) throws(SyncError) in try await engine.send(params, in: url)
        }
    }

    /// Sends a message with a file.
    ///
    /// - Parameters:
    ///   - params: The text and the file.
    ///   - keepsCopies: A Boolean value that indicates whether the file is copied; otherwise, it
    ///     must not be moved or removed until it is sent.
    /// - Returns: The pending message.
    /// - Throws: ``CollectionError``, as for a text; with code `refused` if the file does not exist
    ///   or is larger than the server accepts.
    @discardableResult
    public func send(
        _ params: FileMessageCreateParams, keepsCopies: Bool = false
    ) async throws(CollectionError) -> Message {
        try await write { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url, keepsCopies: keepsCopies)
        }
    }

    /// Sends a message with several files.
    ///
    /// - Parameters:
    ///   - params: The text and the files.
    ///   - keepsCopies: A Boolean value that indicates whether the files are copied.
    /// - Returns: The pending message.
    /// - Throws: ``CollectionError``, as for one file.
    @discardableResult
    public func send(
        _ params: MultipleFilesMessageCreateParams, keepsCopies: Bool = false
    ) async throws(CollectionError) -> Message {
        try await write { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url, keepsCopies: keepsCopies)
        }
    }

    /// Sends a failed message again, with the same request id.
    ///
    /// A message that failed with the error code `fileDamaged` needs its file again: the outbox's copy is missing
    /// or was changed. The error message of its item says which file.
    ///
    /// - Parameters:
    ///   - id: The request id of the message.
    ///   - files: The files to send in place of the message's own, by index. None by default. A new file is
    ///     copied where the one that it replaces was.
    /// - Returns: The message, pending.
    /// - Throws: ``CollectionError`` with code `refused` if no message of that request id has failed, if it has no
    ///   file of an index, or if a file is larger than the server accepts or cannot be read; `store`, `disposed`,
    ///   `canceled`. The message is unchanged then.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) async throws(CollectionError) -> Message? {
        try await write { (engine, _) throws(SyncError) in
            try await engine.resend(id, replacing: files)
        }.message
    }

    /// Cancels an unsent message.
    ///
    /// A message in flight may reach the server nevertheless, and then appears like any other.
    ///
    /// - Returns: `true` if there was such a message.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(CollectionError) -> Bool {
        try await write { (engine, _) throws(SyncError) in try await engine.cancel(id) }
    }

    /// Removes failed messages.
    ///
    /// - Returns: The request IDs of the removed messages.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func removeFailedMessages(
        _ ids: [RequestID]
    ) async throws(CollectionError) -> [RequestID] {
        try await write { (engine, _) throws(SyncError) in
            try await engine.removeFailedMessages(ids)
        }
    }

    /// Removes all failed messages of the channel.
    ///
    /// - Returns: The request IDs of the removed messages.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func removeAllFailedMessages() async throws(CollectionError) -> [RequestID] {
        try await write { (engine, url) throws(SyncError) in
            try await engine.removeAllFailedMessages(in: url)
        }
    }

    /// Edits a sent or unsent message of the user.
    ///
    /// - Throws: ``CollectionError`` with code `refused` if the message has no ID, or no item with
    ///   its request ID is pending; `store`, `disposed`, `canceled`.
    public func update(
        _ message: Message, with update: MessageUpdate
    ) async throws(CollectionError) {
        let target = try target(message)
        try await write { (engine, url) throws(SyncError) in
            switch target {
            case .sent(let id): _ = try await engine.update(id, in: url, with: update)
            case .unsent(let id): _ = try await engine.updateUnsent(id, in: url, with: update)
            }
        }
    }

    /// Deletes a message.
    ///
    /// An unsent message is canceled.
    ///
    /// - Throws: ``CollectionError``, as ``update(_:with:)`` does.
    public func delete(_ message: Message) async throws(CollectionError) {
        let target = try target(message)
        try await write { (engine, url) throws(SyncError) in
            switch target {
            case .sent(let id): _ = try await engine.delete(id, in: url)
            case .unsent(let id): _ = try await engine.cancel(id)
            }
        }
    }

    /// Adds a reaction to a sent or unsent message.
    ///
    /// - Throws: ``CollectionError``, as ``update(_:with:)`` does.
    public func addReaction(
        _ key: String, to message: Message
    ) async throws(CollectionError) { try await react(.add, key, message) }

    /// Removes a reaction from a message.
    ///
    /// - Throws: ``CollectionError``, as ``update(_:with:)`` does.
    public func deleteReaction(
        _ key: String, from message: Message
    ) async throws(CollectionError) { try await react(.delete, key, message) }

    private func react(
        _ action: ReactionEventAction, _ key: String, _ message: Message
    ) async throws(CollectionError) {
        let target = try target(message)
        try await write { (engine, url) throws(SyncError) in
            switch target {
            case .sent(let id): _ = try await engine.react(action, key, to: id, in: url)
            case .unsent(let id): _ = try await engine.reactToUnsent(action, key, to: id, in: url)
            }
        }
    }

    private enum Target {
        case sent(MessageID)
        case unsent(RequestID)
    }

    private func target(_ message: Message) throws(CollectionError) -> Target {
        if let id = message.messageID { return .sent(id) }
        if let id = message.requestID { return .unsent(id) }
        throw CollectionError(.refused, "the message has neither an id nor a request id")
    }

    /// Performs a write of the engine, and shows the result.
    @discardableResult
    private func write<Value>(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> Value
    ) async throws(CollectionError) -> Value {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        let value: Value
        do throws(SyncError) {
            value = try await body(engine, channelURL)
        } catch {
            throw CollectionError(error)
        }
        catchUp()
        return value
    }
}
