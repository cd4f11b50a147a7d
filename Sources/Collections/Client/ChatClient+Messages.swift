public import Foundation
public import Models
import Store
public import Sync

// Messages, beside what collections show. What is written is on the disk when a call returns, online or
// not; what is read comes from the cache where that is complete.
extension ChatClient {
    // MARK: Writing

    /// Writes a text into a channel.
    ///
    /// - Returns: The message, pending.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`,
    ///   `closed`.
    @discardableResult
    public func send(
        _ params: UserMessageCreateParams, in url: ChannelURL
    ) async throws(SyncError) -> Message {
        try await engine().send(params, in: url)
    }

    /// Writes a message with a file into a channel.
    ///
    /// - Parameters:
    ///   - params: What to say, and the file.
    ///   - url: The channel.
    ///   - keepsCopies: Whether the file is copied; else it has to stay where it is until it is sent.
    /// - Returns: The message, pending.
    /// - Throws: ``/Sync/SyncError``, as for a text; with code `refused` if the file is larger than the
    ///   server takes, or is not there.
    @discardableResult
    public func send(
        _ params: FileMessageCreateParams, in url: ChannelURL, keepsCopies: Bool = false
    ) async throws(SyncError) -> Message {
        try await engine().send(params, in: url, keepsCopies: keepsCopies)
    }

    /// Writes a message with several files into a channel.
    ///
    /// - Parameters:
    ///   - params: What to say, and the files.
    ///   - url: The channel.
    ///   - keepsCopies: Whether the files are copied.
    /// - Returns: The message, pending.
    /// - Throws: ``/Sync/SyncError``, as for one file.
    @discardableResult
    public func send(
        _ params: MultipleFilesMessageCreateParams, in url: ChannelURL, keepsCopies: Bool = false
    ) async throws(SyncError) -> Message {
        try await engine().send(params, in: url, keepsCopies: keepsCopies)
    }

    /// Writes a message anew into another channel: its text, or its files where they are.
    ///
    /// - Parameters:
    ///   - message: A message that was sent.
    ///   - url: The channel.
    /// - Returns: The copy, pending.
    /// - Throws: ``/Sync/SyncError``, as for a text; with code `refused` for what a channel said itself.
    @discardableResult
    public func copy(_ message: Message, to url: ChannelURL) async throws(SyncError) -> Message {
        switch message.type {
        case .user:
            var params = UserMessageCreateParams(message.text)
            params.data = message.data
            params.customType = message.customType
            params.metaArrays = message.metaArrays
            return try await send(params, in: url)
        case .file:
            let files = message.files.isEmpty ? [message.file].compactMap { $0 } : message.files
            guard files.count < 2 else {
                var params = MultipleFilesMessageCreateParams()
                params.files = files.map(UploadableFile.init(uploaded:))
                params.data = message.data
                params.customType = message.customType
                return try await send(params, in: url)
            }
            var params = FileMessageCreateParams()
            params.file = files.first.map(UploadableFile.init(uploaded:))
            params.data = message.data
            params.customType = message.customType
            return try await send(params, in: url)
        case .admin:
            throw SyncError(.refused, "message \(message.messageID ?? "-") is nobody's to copy")
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
    /// - Throws: ``/Sync/SyncError`` with code `refused` if no message of that request id has failed, if it has no
    ///   file of an index, or if a file is larger than the server accepts or cannot be read; `store`. The message
    ///   is unchanged then.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) async throws(SyncError) -> Message? {
        try await engine().resend(id, replacing: files).message
    }

    /// Takes back a message that was not sent yet, and stops its upload.
    ///
    /// - Returns: Whether it was there.
    /// - Throws: ``/Sync/SyncError`` with code `store` or `closed`.
    @discardableResult
    public func cancel(_ id: RequestID) async throws(SyncError) -> Bool {
        try await engine().cancel(id)
    }

    /// Edits a message of the user's own; shown at once, and told to the server when it can be.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store` or `closed`.
    public func update(
        _ id: MessageID, in url: ChannelURL, with update: MessageUpdate
    ) async throws(SyncError) { _ = try await engine().update(id, in: url, with: update) }

    /// Deletes a message of the user's own; gone at once, and on the server when it can be.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store` or `closed`.
    public func delete(_ id: MessageID, in url: ChannelURL) async throws(SyncError) {
        _ = try await engine().delete(id, in: url)
    }

    /// Gives a reaction to a message.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store` or `closed`.
    public func addReaction(
        _ key: String, to id: MessageID, in url: ChannelURL
    ) async throws(SyncError) { _ = try await engine().react(.add, key, to: id, in: url) }

    /// Takes a reaction to a message back.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store` or `closed`.
    public func deleteReaction(
        _ key: String, from id: MessageID, in url: ChannelURL
    ) async throws(SyncError) { _ = try await engine().react(.delete, key, to: id, in: url) }

    // MARK: Reading

    /// Returns a message: from the cache if it is held, else from the server.
    ///
    /// - Returns: The message; `nil` if the server does not have it.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` if it is not held and there is no connection;
    ///   `refused`, `store`, `closed`, `canceled`.
    public func message(
        _ id: MessageID, in url: ChannelURL
    ) async throws(SyncError) -> Message? {
        let engine = try engine()
        let held = try engine.stored { (reader) throws(StoreError) in
            try reader.message(id, in: url)
        }
        if let held { return held }
        return try await engine.fetchMessages([id], in: url).found.first
    }

    /// Returns the messages of a channel around a time.
    ///
    /// From the server, which is asked for a page around the time; from the cache, as far as it goes,
    /// where there is no connection.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - time: The time, by the server's clock.
    ///   - params: Which messages, in which order, and how many on each side.
    /// - Returns: The messages that are held there then.
    /// - Throws: ``/Sync/SyncError`` with code `refused`, `store`, `closed` or `canceled`.
    public func messages(
        in url: ChannelURL, around time: Timestamp, params: MessageListParams = MessageListParams()
    ) async throws(SyncError) -> [Message] {
        let engine = try engine()
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

    /// Returns the replies to a message around a time: the server's, or those that are held where there is
    /// no connection.
    ///
    /// - Parameters:
    ///   - parentID: The message that is answered.
    ///   - url: Its channel.
    ///   - time: The time, by the server's clock; `nil` for the newest ones.
    ///   - params: Which replies, in which order, and how many on each side.
    /// - Returns: The replies.
    /// - Throws: ``/Sync/SyncError`` with code `refused`, `store`, `closed` or `canceled`.
    public func threadedMessages(
        of parentID: MessageID, in url: ChannelURL, around time: Timestamp? = nil,
        params: ThreadedMessageListParams = ThreadedMessageListParams()
    ) async throws(SyncError) -> [Message] {
        let engine = try engine()
        let (older, newer) = (params.olderPageSize, time == nil ? 0 : params.newerPageSize)
        var replies: [Message]
        do throws(SyncError) {
            let page = try await engine.fetchReplies(
                to: parentID, in: url, at: time.map { .time($0) } ?? .newest, older: older,
                newer: newer)
            replies = page.messages
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

    /// Reads a page of what became of a channel's messages since a point; it is stored.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - point: Since when; `nil` to go on from the end of the last changelog of the channel.
    /// - Returns: What changed, and the token to go on from.
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/messageChanges(in:since:)`` does.
    public func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint? = nil
    ) async throws(SyncError) -> MessageChangelog {
        try await engine().messageChanges(in: url, since: point)
    }

    /// Reads a page of what became of the user's group channels since a point; it is stored.
    ///
    /// - Parameter point: Since when; `nil` to go on from the end of the last changelog of channels.
    /// - Returns: What changed, and the token to go on from.
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/channelChanges(since:)`` does.
    public func channelChanges(
        since point: ChangelogPoint? = nil
    ) async throws(SyncError) -> GroupChannelChangelog {
        try await engine().channelChanges(since: point)
    }

    /// Returns the bytes of a file that a message names.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` or `refused`.
    public func download(_ file: FileInfo) async throws(SyncError) -> Data {
        try await engine().perform { (backend) throws(BackendError) in
            try await backend.download(file)
        }
    }

    /// Takes in messages that came with a push notification: they show at once, and claim nothing about
    /// what lies beside them.
    ///
    /// - Returns: How many of them are held now, as they came or newer.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`,
    ///   `closed`.
    @discardableResult
    public func ingest(push messages: [Message]) async throws(SyncError) -> Int {
        try await engine().ingest(messages, source: .eventMessageReceived)
    }

    /// Takes in what other processes, such as a push extension, have left in the user's `DropBox`: as
    /// ``ingest(push:)`` does, and each once.
    ///
    /// The client does it by itself when it opens, connects, reconnects and resumes; ``lastAbsorption`` has what
    /// it found. Call it when another process says that it has left something.
    ///
    /// - Returns: What was there, and what of it could not be read.
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/absorbDrops()`` does, and with code
    ///   `notConnected` before anybody has connected.
    @discardableResult
    public func absorbDrops() async throws(SyncError) -> AbsorbedDrops {
        let engine = try engine()
        let absorbed = try await engine.absorbDrops()
        note(.success(absorbed), by: engine)
        return absorbed
    }
}

extension UploadableFile {
    /// A file that the server has already.
    fileprivate init(uploaded file: FileInfo) {
        self.init()
        url = file.url
        name = file.name
        mimeType = file.mimeType
        size = file.size
    }
}
