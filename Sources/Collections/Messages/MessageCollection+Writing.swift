public import Models
import Sync

// What the user does to the channel that is shown. All of it is on the disk, and in the rows, when a call
// returns; what becomes of it changes the rows later. Nothing is to be added to a view by hand.
extension MessageCollection {
    /// Writes a text.
    ///
    /// - Returns: The message, pending; it is among ``items`` already, where the newest end is shown.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`; nothing is written then.
    @discardableResult
    public func send(
        _ params: UserMessageCreateParams
    ) async throws(CollectionError) -> Message {
        try await write { (engine, url) throws(SyncError) in try await engine.send(params, in: url)
        }
    }

    /// Writes a message with a file.
    ///
    /// - Parameters:
    ///   - params: What to say, and the file.
    ///   - keepsCopies: Whether the file is copied; else it has to stay where it is until it is sent.
    /// - Returns: The message, pending.
    /// - Throws: ``CollectionError``, as for a text; with code `refused` if the file is larger than the
    ///   server takes, or is not there.
    @discardableResult
    public func send(
        _ params: FileMessageCreateParams, keepsCopies: Bool = false
    ) async throws(CollectionError) -> Message {
        try await write { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url, keepsCopies: keepsCopies)
        }
    }

    /// Writes a message with several files.
    ///
    /// - Parameters:
    ///   - params: What to say, and the files.
    ///   - keepsCopies: Whether the files are copied.
    /// - Returns: The message, pending.
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
    /// or was changed. The error message of its draft says which file.
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

    /// Takes back a message that was not sent yet.
    ///
    /// One that is on its way may reach the server nevertheless, and is there then as any other.
    ///
    /// - Returns: Whether it was there.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(CollectionError) -> Bool {
        try await write { (engine, _) throws(SyncError) in try await engine.cancel(id) }
    }

    /// Takes out messages that could not be sent.
    ///
    /// - Returns: Those that were there.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func removeFailedMessages(
        _ ids: [RequestID]
    ) async throws(CollectionError) -> [RequestID] {
        try await write { (engine, _) throws(SyncError) in
            try await engine.removeFailedMessages(ids)
        }
    }

    /// Takes out all messages of the channel that could not be sent.
    ///
    /// - Returns: What was there.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `canceled`.
    @discardableResult
    public func removeAllFailedMessages() async throws(CollectionError) -> [RequestID] {
        try await write { (engine, url) throws(SyncError) in
            try await engine.removeAllFailedMessages(in: url)
        }
    }

    /// Edits a message of the user's own, sent or not.
    ///
    /// - Throws: ``CollectionError`` with code `refused` if the message has no id, or nothing waits under its
    ///   name; `store`, `disposed`, `canceled`.
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

    /// Deletes a message, sent or not; one that was not sent is taken back.
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

    /// Gives a reaction to a message, sent or not.
    ///
    /// - Throws: ``CollectionError``, as ``update(_:with:)`` does.
    public func addReaction(
        _ key: String, to message: Message
    ) async throws(CollectionError) { try await react(.add, key, message) }

    /// Takes a reaction to a message back.
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
        throw CollectionError(.refused, "the message has neither an id nor the name of a request")
    }

    /// Has the engine write, and shows what has come of it.
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
