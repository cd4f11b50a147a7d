public import Models
import Store
public import Sync

// When a call that writes an outbox item returns, the item is on disk and the rows show it.
extension MessageCollection {
    /// Sends a text, as ``send(_:keepsCopies:)`` does.
    @discardableResult
    public func send(_ text: String) async throws(SyncError) -> OutgoingMessage {
        try await send(NewMessage(text))
    }

    /// Sends a message, which is a reply if the collection shows a thread.
    ///
    /// In a channel, a message with a `parentMessageID` quotes that message: the collection sets
    /// `isReplyToChannel`, so that the message is also shown in the channel. Until it is sent, it
    /// is listed even if it does not match the list or the window does not reach the newest end.
    /// `keepsCopies` is as for ``ChatClient/send(_:in:keepsCopies:)``.
    ///
    /// - Returns: The message as it was written, pending, and its delivery result. It is already in
    ///   ``items``, as failed if nothing will send it by itself.
    /// - Throws: As ``ChatClient/send(_:in:keepsCopies:)``; `disposed`, `canceled`. The message is
    ///   not stored then.
    @discardableResult
    public func send(
        _ new: NewMessage, keepsCopies: Bool = false
    ) async throws(SyncError) -> OutgoingMessage {
        var new = new
        if let parentMessageID {
            new.parentMessageID = new.parentMessageID ?? parentMessageID
        } else if new.parentMessageID != nil {
            new.isReplyToChannel = true
        }
        let message = try await write { [new] (engine, url) throws(SyncError) in
            try await engine.send(new, in: url, keepsCopies: keepsCopies)
        }
        if let id = message.requestID, !isDisposed { showRegardlessOfFilter(id) }
        return OutgoingMessage(message, engine)
    }

    /// Retries a failed outbox item, as ``ChatClient/resend(_:replacing:)`` does.
    ///
    /// - Throws: As that method does; `disposed`, `canceled`.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, _) throws(SyncError) in
            try await engine.resend(id, replacing: files).requestID
        }
    }

    /// Sends a failed message again, as ``resend(_:replacing:)-(RequestID,_)`` does.
    ///
    /// - Throws: As that method does; `notFound` for a message that was sent.
    @discardableResult
    public func resend(
        _ message: Message, replacing files: [Int: UploadableFile] = [:]
    ) async throws(SyncError) -> Delivery {
        if let id = message.messageID {
            throw SyncError(.notFound, "message \(id) in \(message.channelURL) was already sent")
        }
        return try await resend(try message.writtenID, replacing: files)
    }

    /// Removes an unsent message, as ``cancel(_:)`` does.
    ///
    /// - Returns: `true` if there was such a message.
    /// - Throws: As ``cancel(_:)``, and with code `notFound` if the message was not written on this
    ///   device.
    @discardableResult
    public func discard(_ message: Message) async throws(SyncError) -> Bool {
        try await cancel(try message.writtenID)
    }

    /// Cancels an unsent message, pending or failed.
    ///
    /// A message whose request is in flight may reach the server nevertheless, and is then listed
    /// as sent.
    ///
    /// - Returns: `true` if there was such a message.
    /// - Throws: `store`, `disposed`, `closed` or `canceled`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(SyncError) -> Bool {
        try await write { (engine, _) throws(SyncError) in try await engine.cancel(id) }
    }

    /// Removes failed outbox items, and returns the request IDs of the removed ones.
    ///
    /// - Throws: As ``cancel(_:)``.
    @discardableResult
    public func discardFailedItems(
        _ ids: [RequestID]
    ) async throws(SyncError) -> [RequestID] {
        try await write { (engine, _) throws(SyncError) in
            try await engine.discardFailedItems(ids)
        }
    }

    /// Removes all failed messages and changes of the channel or, in a thread, the failed messages
    /// of the thread, as ``discardFailedItems(_:)`` does.
    @discardableResult
    public func discardAllFailedItems() async throws(SyncError) -> [RequestID] {
        if parentMessageID != nil {
            return try await discardFailedItems(failedMessages.compactMap(\.requestID))
        }
        return try await write { (engine, url) throws(SyncError) in
            try await engine.discardAllFailedItems(in: url)
        }
    }

    /// Edits the text of a message of the user, as ``update(_:with:)-(MessageReference,_)`` does.
    @discardableResult
    public func edit(_ message: Message, text: String) async throws(SyncError) -> Delivery {
        var params = UserMessageUpdateParams()
        params.text = text
        var fileParams = FileMessageUpdateParams()
        fileParams.text = text
        return try await update(
            message, with: message.type == .file ? .file(fileParams) : .text(params))
    }

    /// Edits a message of the user, whether or not it was sent.
    ///
    /// - Throws: As ``ChatClient/update(_:in:with:)``; `disposed`, `canceled`.
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

    /// Deletes a message of the user, as ``ChatClient/delete(_:in:)`` does.
    ///
    /// - Throws: As that method does; `disposed`, `canceled`.
    @discardableResult
    public func delete(_ message: Message) async throws(SyncError) -> Delivery {
        let target: MessageReference = try MessageReference(message)
        return try await deliver { (engine, url) throws(SyncError) in
            try await engine.delete(target, in: url)
        }
    }

    /// Adds a reaction to a message, as ``ChatClient/addReaction(_:to:in:)`` does.
    ///
    /// - Throws: As that method does; `disposed`, `canceled`.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageReference
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.addReaction(key, to: target, in: url)
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
    /// - Throws: As ``addReaction(_:to:)-(_,MessageReference)``.
    @discardableResult
    public func deleteReaction(
        _ key: String, from target: MessageReference
    ) async throws(SyncError) -> Delivery {
        try await deliver { (engine, url) throws(SyncError) in
            try await engine.deleteReaction(key, from: target, in: url)
        }
    }

    /// Removes a reaction from a message, as ``deleteReaction(_:from:)-(_,MessageReference)`` does.
    @discardableResult
    public func deleteReaction(
        _ key: String, from message: Message
    ) async throws(SyncError) -> Delivery {
        try await deleteReaction(key, from: MessageReference(message))
    }

    private func deliver(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> RequestID
    ) async throws(SyncError) -> Delivery {
        let id = try await write(body)
        return Delivery(requestID: id, channelURL: channelURL, engine: engine)
    }

    /// Marks the channel as read up to the current time.
    ///
    /// - Throws: As ``ChatClient/markAsRead(_:)``; `disposed`.
    public func markAsRead() async throws(SyncError) {
        try await write { (engine, url) throws(SyncError) in
            try await engine.perform(MarkAsRead(url))
        }
    }

    /// Saves what the user is writing in the channel or in the thread as ``draft`` and
    /// ``draftReplyingTo``.
    ///
    /// An empty text without a message removes the draft. Sending a message does not remove it.
    ///
    /// - Throws: As ``/Sync/SyncEngine/setDraft(_:of:inThreadOf:)``; `disposed`.
    public func setDraft(
        _ text: String, replyingTo messageID: MessageID? = nil
    ) async throws(SyncError) {
        let thread = parentMessageID
        try await write { (engine, url) throws(SyncError) in
            try await engine.setDraft(
                Draft(text, replyingTo: messageID), of: url, inThreadOf: thread)
        }
    }

    @discardableResult
    private func write<Value>(
        _ body: (SyncEngine, ChannelURL) async throws(SyncError) -> Value
    ) async throws(SyncError) -> Value {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        let value = try await body(engine, channelURL)
        processQueued()
        return value
    }
}

extension Message {
    /// The request ID; throws `notFound` if the message was not written on this device.
    fileprivate var writtenID: RequestID {
        get throws(SyncError) {
            if let requestID { return requestID }
            throw SyncError(
                .notFound,
                "message \(messageID ?? "-") in \(channelURL) was not written on this device")
        }
    }
}
