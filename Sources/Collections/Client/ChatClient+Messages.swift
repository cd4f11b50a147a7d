public import Foundation
public import Models
import Store
public import Sync

// A write is on disk when its call returns, whether or not the client is connected.
extension ChatClient {
    // MARK: Writing

    /// Sends a text to a channel, as ``send(_:in:keepsCopies:)`` does.
    @discardableResult
    public func send(
        _ text: String, in url: ChannelURL
    ) async throws(SyncError) -> OutgoingMessage {
        try await send(NewMessage(text), in: url)
    }

    /// Sends a message to a channel.
    ///
    /// Pass `true` for `keepsCopies` to copy the message's files. Do not move or remove files that
    /// are not copied until the message is sent.
    ///
    /// - Returns: The pending message, and its delivery result.
    /// - Throws: `noUser` if no user has connected yet; `notPermitted` if the stored channel shows
    ///   that the server would refuse the message; `invalidFile` if a file does not exist, is
    ///   larger than the server accepts, or has a URL that only this device can read; `store`,
    ///   `closed`.
    @discardableResult
    public func send(
        _ new: NewMessage, in url: ChannelURL, keepsCopies: Bool = false
    ) async throws(SyncError) -> OutgoingMessage {
        let engine = try self.engine
        return OutgoingMessage(
            try await engine.send(new, in: url, keepsCopies: keepsCopies), engine)
    }

    /// Sends a copy of a message to another channel: its text, or its uploaded files.
    ///
    /// A copied text has the custom data and meta arrays of the original, such as the HTML of a
    /// message on Matrix, which may differ from the text.
    ///
    /// - Throws: As ``send(_:in:keepsCopies:)``; `invalidArgument` if it is an admin message.
    @discardableResult
    public func forward(
        _ message: Message, to url: ChannelURL
    ) async throws(SyncError) -> OutgoingMessage {
        var new = NewMessage()
        switch message.type {
        case .text:
            new.text = message.text
            new.metaArrays = message.metaArrays
        case .file:
            new.files = message.files.map(UploadableFile.init(uploaded:))
        default:
            throw SyncError(
                .invalidArgument,
                "message \(message.messageID ?? "-") is an admin message: only texts and files "
                    + "can be forwarded")
        }
        new.data = message.data
        new.customType = message.customType
        return try await send(new, in: url)
    }

    /// Retries a failed outbox item, with the same request ID.
    ///
    /// If a message has failed with the error code `fileDamaged`, the outbox's copy of a file is
    /// missing or was changed. Then pass replacements in `files`, by their indices in the message;
    /// the item's error message names the file. A replacement is copied if the replaced file was.
    ///
    /// - Throws: `notFound` if no failed item has that request ID; `notPermitted` if the resend
    ///   policy is `off`; `invalidArgument` if no file has one of the indices; `invalidFile` if a
    ///   file is larger than the server accepts or cannot be read; `store`, `closed`. The item is
    ///   then unchanged.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) async throws(SyncError) -> Delivery {
        let engine = try self.engine
        let item = try await engine.resend(id, replacing: files)
        return Delivery(requestID: id, channelURL: item.channelURL, engine: engine)
    }

    /// Cancels an unsent outbox item, and stops its upload.
    ///
    /// - Returns: `true` if there was such an item.
    /// - Throws: `store` or `closed`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(SyncError) -> Bool {
        try await engine.cancel(id)
    }

    /// Returns the user's failed messages, edits, deletions and reactions, channel by channel,
    /// oldest first.
    ///
    /// ``resend(_:replacing:)`` retries an item, and ``cancel(_:)`` discards it.
    ///
    /// - Throws: `noUser`, `store` or `closed`.
    public func failedOutboxItems() async throws(SyncError) -> [OutboxItem] {
        try await onDisk { [store = try engine.store] () throws(StoreError) in
            try store.outboxItems(state: .failed)
        }
    }

    /// Edits a message of the user, whether or not it was sent.
    ///
    /// Lists show the edit immediately. The engine sends it once it is connected.
    ///
    /// - Throws: `notFound` if the message is neither in the outbox nor in the cache, or if its
    ///   deletion is in the outbox; `invalidArgument` if it has another type than the update;
    ///   `notPermitted` if another user sent it; `store`, `closed`.
    @discardableResult
    public func update(
        _ target: MessageReference, in url: ChannelURL, with update: MessageUpdate
    ) async throws(SyncError) -> Delivery {
        try await deliver(in: url) { (engine) throws(SyncError) in
            try await engine.update(target, in: url, with: update)
        }
    }

    /// Edits a message of the user, as ``update(_:in:with:)`` does.
    @discardableResult
    public func update(
        _ message: Message, with update: MessageUpdate
    ) async throws(SyncError) -> Delivery {
        try await self.update(MessageReference(message), in: message.channelURL, with: update)
    }

    /// Deletes a message of the user, with its unsent edits and reactions.
    ///
    /// Lists remove the message immediately. The engine sends the deletion once it is connected.
    ///
    /// - Returns: The delivery of the deletion or, if the message was not sent, the delivery of the
    ///   message, with the result `canceled`.
    /// - Throws: `notFound` if the message is neither in the outbox nor in the cache;
    ///   `notPermitted` if another user sent it and the user is not an operator of the channel;
    ///   `store`, `closed`.
    @discardableResult
    public func delete(
        _ target: MessageReference, in url: ChannelURL
    ) async throws(SyncError) -> Delivery {
        try await deliver(in: url) { (engine) throws(SyncError) in
            try await engine.delete(target, in: url)
        }
    }

    /// Deletes a message of the user, as ``delete(_:in:)`` does.
    @discardableResult
    public func delete(_ message: Message) async throws(SyncError) -> Delivery {
        try await delete(MessageReference(message), in: message.channelURL)
    }

    /// Adds a reaction to a message.
    ///
    /// A reaction to an unsent message is sent after the message.
    ///
    /// - Throws: `notFound` if the message is neither in the outbox nor in the cache, or if its
    ///   deletion is in the outbox; `store`, `closed`.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageReference, in url: ChannelURL
    ) async throws(SyncError) -> Delivery {
        try await deliver(in: url) { (engine) throws(SyncError) in
            try await engine.addReaction(key, to: target, in: url)
        }
    }

    /// Adds a reaction to a message, as ``addReaction(_:to:in:)`` does.
    @discardableResult
    public func addReaction(
        _ key: String, to message: Message
    ) async throws(SyncError) -> Delivery {
        try await addReaction(key, to: MessageReference(message), in: message.channelURL)
    }

    /// Removes a reaction from a message.
    ///
    /// - Throws: As ``addReaction(_:to:in:)``.
    @discardableResult
    public func deleteReaction(
        _ key: String, from target: MessageReference, in url: ChannelURL
    ) async throws(SyncError) -> Delivery {
        try await deliver(in: url) { (engine) throws(SyncError) in
            try await engine.deleteReaction(key, from: target, in: url)
        }
    }

    /// Removes a reaction from a message, as ``deleteReaction(_:from:in:)`` does.
    @discardableResult
    public func deleteReaction(
        _ key: String, from message: Message
    ) async throws(SyncError) -> Delivery {
        try await deleteReaction(key, from: MessageReference(message), in: message.channelURL)
    }

    private func deliver(
        in url: ChannelURL, _ write: (SyncEngine) async throws(SyncError) -> RequestID
    ) async throws(SyncError) -> Delivery {
        let engine = try self.engine
        return Delivery(requestID: try await write(engine), channelURL: url, engine: engine)
    }

    // MARK: Polls

    /// Creates a poll, in which users can vote once a message has its `pollID`.
    ///
    /// - Throws: `notConnected`; `refused`, with the server's reason as its cause; `closed`,
    ///   `canceled`.
    public func createPoll(
        _ title: String, options: [String], allowsMultipleVotes: Bool = false
    ) async throws(SyncError) -> Poll {
        var poll = Poll()
        poll.title = title
        poll.allowsMultipleVotes = allowsMultipleVotes
        poll.options = options.map { text in
            var option = PollOption()
            option.text = text
            return option
        }
        return try await perform(CreatePoll(poll))
    }

    /// Votes in the poll of a message, and replaces the user's earlier vote.
    ///
    /// An empty array withdraws the vote. The returned message has the new counts, and is stored.
    ///
    /// - Throws: As ``createPoll(_:options:allowsMultipleVotes:)``; `store`.
    @discardableResult
    public func vote(
        for optionIDs: [Int64], inPollOf id: MessageID, in url: ChannelURL
    ) async throws(SyncError) -> Message {
        try await perform(VoteInPoll(for: optionIDs, inPollOf: id, in: url))
    }

    // MARK: Reading

    /// Returns a message from the cache or, if it is not stored, from the server.
    ///
    /// - Returns: The message; `nil` if the server does not have it.
    /// - Throws: `notConnected` if the message is not stored and there is no connection; `refused`,
    ///   `store`, `closed`, `canceled`.
    public func message(
        _ id: MessageID, in url: ChannelURL
    ) async throws(SyncError) -> Message? {
        let engine = try self.engine
        let stored = try engine.stored { (reader) throws(StoreError) in
            try reader.message(id, in: url)
        }
        if let stored { return stored }
        return try await engine.fetchMessages([id], in: url).found.first
    }

    /// Returns the messages of a channel around a time, from the cache.
    ///
    /// The call first fetches and stores a page from the server, if there is a connection. The time
    /// is on the server's clock.
    ///
    /// - Throws: `refused`, `store`, `closed` or `canceled`.
    public func messages(
        in url: ChannelURL, around time: Timestamp, params: MessageListParams = MessageListParams()
    ) async throws(SyncError) -> [Message] {
        let engine = try self.engine
        do throws(SyncError) {
            _ = try await engine.fetchMessages(
                in: url, at: .time(time), older: params.olderPageSize,
                newer: params.newerPageSize, source: .requestMessage)
        } catch {
            guard error.code == .notConnected else { throw error }
        }
        return try engine.stored { (reader) throws(StoreError) in
            try reader.messages(in: url, around: .time(time), params: params)
        }
    }

    /// Returns the replies to a message around a time, from the server or, without a connection,
    /// from the cache.
    ///
    /// The time is on the server's clock; `nil` requests the newest replies.
    ///
    /// - Throws: `refused`, `store`, `closed` or `canceled`.
    public func threadedMessages(
        of parentID: MessageID, in url: ChannelURL, around time: Timestamp? = nil,
        params: ThreadedMessageListParams = ThreadedMessageListParams()
    ) async throws(SyncError) -> [Message] {
        let engine = try self.engine
        let (older, newer) = (params.olderPageSize, time == nil ? 0 : params.newerPageSize)
        var replies: [Message]
        do throws(SyncError) {
            let fetched = try await engine.fetchReplies(
                to: parentID, in: url, at: time.map { .time($0) } ?? .newest, older: older,
                newer: newer)
            replies = fetched.page.messages
        } catch {
            guard error.code == .notConnected else { throw error }
            let anchor = time.map { HistoryAnchor.time($0) } ?? .newest
            replies = try engine.stored { (reader) throws(StoreError) in
                try reader.replies(to: parentID, in: url, before: anchor, limit: older).reversed()
                    + reader.replies(
                        to: parentID, in: url, after: anchor, isInclusive: true, limit: newer)
            }
        }
        replies.removeAll { !params.belongsTo($0, parentMessageID: parentID) }
        return params.isReversed ? replies.reversed() : replies
    }

    /// Fetches and stores a page of the changes of a channel's messages since a point in time or a
    /// token.
    ///
    /// A `point` of `nil` continues from the end of the channel's last changelog; only calls
    /// without `params` change this end. `params` selects the edited messages to return; deleted
    /// messages are always returned.
    ///
    /// - Throws: As ``/Sync/SyncEngine/messageChanges(in:since:params:)``.
    public func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint? = nil,
        params: MessageChangelogParams? = nil
    ) async throws(SyncError) -> MessageChangelog {
        try await engine.messageChanges(in: url, since: point, params: params)
    }

    /// Fetches and stores a page of the changes of the user's group channels, as
    /// ``messageChanges(in:since:params:)`` does for messages.
    ///
    /// Channels that the user can no longer read are always returned.
    ///
    /// - Throws: As ``/Sync/SyncEngine/channelChanges(since:params:)``.
    public func channelChanges(
        since point: ChangelogPoint? = nil, params: GroupChannelChangelogParams? = nil
    ) async throws(SyncError) -> GroupChannelChangelog {
        try await engine.channelChanges(since: point, params: params)
    }

    /// Returns the bytes of a message's file, which are downloaded once and then kept on this
    /// device.
    ///
    /// Kept bytes are returned without a request, also without a connection. They stay within the
    /// limits of ``ChatClientOptions/cacheLimits``, until the cached data is removed, or until a
    /// message with the file is deleted or edited. The file's URL, size and custom type identify
    /// the bytes: the server must not return other bytes later. A file without a URL, or with that
    /// of a local file, is not kept. A file that the user has sent from this device is kept, too,
    /// if its bytes were in the message or in a copy.
    ///
    /// - Throws: `noUser`, also after ``close()``; `notConnected` or `refused` if the file is not
    ///   kept; `closed` if the client is closed meanwhile, `canceled`.
    public func download(_ file: FileInfo) async throws(SyncError) -> Data {
        try await engine.download(file, keeping: options.cacheLimits.downloads)
    }

    /// Returns the bytes of a file of an unsent message, for example to show it after a restart.
    ///
    /// - Parameters:
    ///   - index: The index of the file in ``/Models/OutboxItem/files``.
    ///   - requestID: The request ID of the message.
    /// - Returns: The bytes of the message itself, of the outbox's copy, or of the file at the path
    ///   that the app passed; `nil` if the outbox has no such message, or the message no such file.
    /// - Throws: `invalidFile` if the file is damaged, cannot be read, is larger than the server
    ///   accepts, or has a URL instead of bytes; `noUser`, `store`, `closed`.
    public func outgoingFile(
        _ index: Int, of requestID: RequestID
    ) async throws(SyncError) -> Data? {
        try await engine.outgoingFile(index, of: requestID)
    }

    /// Stores messages that came with a push notification, which lists show immediately.
    ///
    /// The messages close no gap: their neighbors are unknown. They acknowledge no outbox item:
    /// only the answer to its request, or the server's copy of the message, does.
    ///
    /// - Returns: The number of messages that are now stored in this version or a newer one.
    ///   Messages are not stored if they were deleted, are older than the user's history, or belong
    ///   to a channel that the user does not have or is only invited to.
    /// - Throws: `noUser`, `store` or `closed`.
    @discardableResult
    public func ingest(push messages: [Message]) async throws(SyncError) -> Int {
        try await engine.ingest(messages, source: .eventMessageReceived)
    }

    /// Stores the messages that other processes have left in the user's `PushInbox`, and sets
    /// ``lastReceivedPushes``.
    ///
    /// The client does so when it opens, connects, reconnects and resumes. Call this method when
    /// another process reports new messages.
    ///
    /// - Throws: As ``/Sync/SyncEngine/readPushInbox()``; `noUser`.
    @discardableResult
    public func readPushInbox() async throws(SyncError) -> ReceivedPushes {
        let engine = try self.engine
        let received = try await engine.readPushInbox()
        record(.success(received), by: engine)
        return received
    }
}

extension UploadableFile {
    fileprivate init(uploaded file: FileInfo) {
        self.init()
        url = file.url
        name = file.name
        mimeType = file.mimeType
        size = file.size
    }
}
