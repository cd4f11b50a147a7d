public import Models
public import Sync

// The user's operations on messages of the channel.
//
// When a call returns, the operation is on disk and the rows show it. When the delivery result
// arrives, it changes the rows. An app need not add rows to a view itself.
extension MessageCollection {
    /// Sends a text message, which is a reply if the collection shows a thread.
    ///
    /// The message is shown until it is sent, even if the window does not reach the newest end, or
    /// if the message does not match the list, such as a reply in a list without replies.
    ///
    /// - Returns: The pending message, which is already in ``items``, and its delivery result.
    /// - Throws: ``/Sync/SyncError`` with code `store`, `disposed`, `closed` or `canceled`; the
    ///   message is not stored then.
    @discardableResult
    public func send(
        _ params: UserMessageCreateParams
    ) async throws(SyncError) -> OutgoingMessage {
        let params = inThread(params)
        return try await written { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url)
        }
    }

    /// Sends a message with a file, which is a reply if the collection shows a thread.
    ///
    /// - Parameters:
    ///   - params: The text and the file.
    ///   - keepsCopies: A Boolean value that indicates whether the file is copied. If the file is
    ///     not copied, do not move or remove it until the message is sent.
    /// - Returns: The pending message, and its delivery result.
    /// - Throws: ``/Sync/SyncError``, as ``send(_:)`` does, and with code `invalidFile` if the file
    ///   does not exist or is larger than the server accepts.
    @discardableResult
    public func send(
        _ params: FileMessageCreateParams, keepsCopies: Bool = false
    ) async throws(SyncError) -> OutgoingMessage {
        let params = inThread(params)
        return try await written { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url, keepsCopies: keepsCopies)
        }
    }

    /// Sends a message with several files, which is a reply if the collection shows a thread.
    ///
    /// - Parameters:
    ///   - params: The text and the files.
    ///   - keepsCopies: A Boolean value that indicates whether the files are copied.
    /// - Returns: The pending message, and its delivery result.
    /// - Throws: ``/Sync/SyncError``, as ``send(_:keepsCopies:)-(FileMessageCreateParams,_)`` does.
    @discardableResult
    public func send(
        _ params: MultipleFilesMessageCreateParams, keepsCopies: Bool = false
    ) async throws(SyncError) -> OutgoingMessage {
        let params = inThread(params)
        return try await written { (engine, url) throws(SyncError) in
            try await engine.send(params, in: url, keepsCopies: keepsCopies)
        }
    }

    /// Retries a failed outbox item, with the same request ID.
    ///
    /// If a message has failed with the error code `fileDamaged`, the outbox's copy of a file is
    /// missing or was changed. The error message of the outbox item names that file. Pass a
    /// replacement for it in `files`.
    ///
    /// - Parameters:
    ///   - id: The request ID of the item.
    ///   - files: The replacements for files of the message, by index; empty by default. A
    ///     replacement is copied if the replaced file was copied.
    /// - Returns: The delivery.
    /// - Throws: ``/Sync/SyncError`` with code `notFound` if no failed item has that request ID, if
    ///   its message has no file at one of the indices, or if a file is larger than the server
    ///   accepts or cannot be read; `store`, `disposed`, `closed`, `canceled`. The item is then
    ///   unchanged.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, _) throws(SyncError) in
            try await engine.resend(id, replacing: files).requestID
        }
    }

    /// Cancels an unsent message.
    ///
    /// If the message's request is in flight, the message may reach the server nevertheless, and is
    /// then listed as sent.
    ///
    /// - Returns: `true` if there was such a message.
    /// - Throws: ``/Sync/SyncError`` with code `store`, `disposed`, `closed` or `canceled`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(SyncError) -> Bool {
        try await write { (engine, _) throws(SyncError) in try await engine.cancel(id) }
    }

    /// Removes failed messages.
    ///
    /// - Returns: The request IDs of the removed messages.
    /// - Throws: ``/Sync/SyncError`` with code `store`, `disposed`, `closed` or `canceled`.
    @discardableResult
    public func removeFailedMessages(
        _ ids: [RequestID]
    ) async throws(SyncError) -> [RequestID] {
        try await write { (engine, _) throws(SyncError) in
            try await engine.removeFailedMessages(ids)
        }
    }

    /// Removes all failed messages of the channel or, in a thread, of the thread.
    ///
    /// - Returns: The request IDs of the removed messages.
    /// - Throws: ``/Sync/SyncError`` with code `store`, `disposed`, `closed` or `canceled`.
    @discardableResult
    public func removeAllFailedMessages() async throws(SyncError) -> [RequestID] {
        if parentMessageID != nil {
            return try await removeFailedMessages(failedMessages.compactMap(\.requestID))
        }
        return try await write { (engine, url) throws(SyncError) in
            try await engine.removeAllFailedMessages(in: url)
        }
    }

    /// Edits a message of the user, whether or not it was sent.
    ///
    /// - Returns: The delivery of the edit.
    /// - Throws: ``/Sync/SyncError`` with code `notFound` if the message is neither in the outbox
    ///   nor in the cache, or has another type than the update; `store`, `disposed`, `closed`,
    ///   `canceled`.
    @discardableResult
    public func update(
        _ target: MessageReference, with update: MessageUpdate
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.update(target, in: url, with: update)
        }
    }

    /// Edits a message of the user, as ``update(_:with:)-(MessageReference,_)`` does.
    @discardableResult
    public func update(
        _ message: Message, with update: MessageUpdate
    ) async throws(SyncError) -> Delivery {
        try await self.update(MessageReference(message), with: update)
    }

    /// Deletes a message of the user.
    ///
    /// A message that was not sent is canceled.
    ///
    /// - Returns: The delivery of the deletion. For an unsent message, it is the delivery of the
    ///   message, with the result `canceled`.
    /// - Throws: ``/Sync/SyncError`` with code `notFound` if the message is neither in the outbox
    ///   nor in the cache; `store`, `disposed`, `closed`, `canceled`.
    @discardableResult
    public func delete(_ target: MessageReference) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.delete(target, in: url)
        }
    }

    /// Deletes a message of the user, as ``delete(_:)-(MessageReference)`` does.
    @discardableResult
    public func delete(_ message: Message) async throws(SyncError) -> Delivery {
        try await delete(MessageReference(message))
    }

    /// Adds a reaction to a message.
    ///
    /// A reaction to an unsent message is sent after the message.
    ///
    /// - Returns: The delivery of the reaction.
    /// - Throws: ``/Sync/SyncError``, as ``delete(_:)-(MessageReference)`` does.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageReference
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.react(.add, with: key, to: target, in: url)
        }
    }

    /// Adds a reaction to a message, as ``addReaction(_:to:)-(_,MessageReference)`` does.
    @discardableResult
    public func addReaction(
        _ key: String, to message: Message
    ) async throws(SyncError) -> Delivery {
        try await addReaction(key, to: MessageReference(message))
    }

    /// Removes a reaction from a message.
    ///
    /// - Returns: The delivery of the removal.
    /// - Throws: ``/Sync/SyncError``, as ``delete(_:)-(MessageReference)`` does.
    @discardableResult
    public func deleteReaction(
        _ key: String, from target: MessageReference
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.react(.delete, with: key, to: target, in: url)
        }
    }

    /// Removes a reaction from a message, as ``deleteReaction(_:from:)-(_,MessageReference)`` does.
    @discardableResult
    public func deleteReaction(
        _ key: String, from message: Message
    ) async throws(SyncError) -> Delivery {
        try await deleteReaction(key, from: MessageReference(message))
    }

    /// Returns the parameters for a reply to the shown thread's parent message, if the collection
    /// shows a thread and the parameters have no parent message.
    private func inThread<Params: MessageCreateParams>(_ params: Params) -> Params {
        guard let parentMessageID, params.parentMessageID == nil else { return params }
        var params = params
        params.parentMessageID = parentMessageID
        return params
    }

    /// Writes a message, and shows it.
    private func written(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> Message
    ) async throws(SyncError) -> OutgoingMessage {
        let message = try await write(body)
        if let id = message.requestID, !isDisposed { showWritten(id) }
        return OutgoingMessage(message, engine)
    }

    private func deliver(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> RequestID
    ) async throws(SyncError) -> Delivery {
        let id = try await write(body)
        return Delivery(requestID: id, channelURL: channelURL, engine: engine)
    }

    /// Saves the text that the user is writing as ``draft``; an empty text removes the draft.
    ///
    /// Sending a message does not remove the draft.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/setDraft(_:of:)`` does; `disposed`.
    public func setDraft(_ text: String) async throws(SyncError) {
        try await write { (engine, url) throws(SyncError) in
            try await engine.setDraft(text, of: url)
        }
    }

    /// Performs a write of the engine, and applies the resulting changes to the rows.
    @discardableResult
    private func write<Value>(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> Value
    ) async throws(SyncError) -> Value {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        let value = try await body(engine, channelURL)
        catchUp()
        return value
    }
}
