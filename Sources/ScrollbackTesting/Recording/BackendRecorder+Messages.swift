public import Foundation
public import Models
public import Sync

// Calls for the connection, the feed, changelogs and messages.
extension BackendRecorder {
    /// Forwards and records the call.
    public func connect(
        as credentials: Credentials
    ) async throws(BackendError) -> BackendSession {
        try await record("connect", ["as": credentials]) { () async throws(BackendError) in
            try await base.connect(as: credentials)
        }
    }

    /// Forwards and records the call.
    public func disconnect() async {
        await base.disconnect()
        add("disconnect", [:]) { "done" }
    }

    /// Forwards and records the call.
    public func feed(
        since cursor: FeedCursor?
    ) async throws(BackendError) -> FeedBatch {
        try await record("feed", ["since": cursor]) { () async throws(BackendError) in
            try await base.feed(since: cursor)
        }
    }

    /// Forwards and records the call.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await record(
            "messages", ["in": channelURL, "at": anchor, "older": older, "newer": newer]
        ) { () async throws(BackendError) in
            try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards and records the call.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try await record("lookup", ["": messageIDs, "in": channelURL]) {
            () async throws(BackendError) in
            try await base.lookup(messageIDs, in: channelURL)
        }
    }

    /// Forwards and records the call.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await record(
            "replies",
            ["to": parentID, "in": channelURL, "at": anchor, "older": older, "newer": newer]
        ) { () async throws(BackendError) in
            try await base.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards and records the call.
    public func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        try await record("countMessages", ["in": channelURL, "from": lower, "to": upper]) {
            () async throws(BackendError) in
            try await base.countMessages(in: channelURL, from: lower, to: upper)
        }
    }

    /// Forwards and records the call.
    public func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        try await record(
            "searchMessages", ["matching": params.text, "after": cursor, "limit": limit]
        ) { () async throws(BackendError) in
            try await base.searchMessages(matching: params, after: cursor, limit: limit)
        }
    }

    /// Forwards and records the call.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        try await record("messageChanges", ["in": channelURL, "since": point]) {
            () async throws(BackendError) in
            try await base.messageChanges(in: channelURL, since: point, params: params)
        }
    }

    /// Forwards and records the call.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await record("channelChanges", ["since": point]) {
            () async throws(BackendError) in
            try await base.channelChanges(since: point, params: params)
        }
    }

    /// Forwards and records the call.
    public func send(
        _ item: OutboxItem
    ) async throws(BackendError) -> Message {
        try await record("send", ["": item]) { () async throws(BackendError) in
            try await base.send(item)
        }
    }

    /// Forwards and records the call.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message {
        try await record(
            "update", ["": messageID, "in": channelURL, "with": update, "requestID": requestID]
        ) { () async throws(BackendError) in
            try await base.update(messageID, in: channelURL, with: update, requestID: requestID)
        }
    }

    /// Forwards and records the call.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) {
        try await record("delete", ["": messageID, "in": channelURL, "requestID": requestID]) {
            () async throws(BackendError) in
            try await base.delete(messageID, in: channelURL, requestID: requestID)
        }
    }

    /// Forwards and records the call.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent {
        try await record(
            "react",
            ["": action, "": key, "to": messageID, "in": channelURL, "requestID": requestID]
        ) { () async throws(BackendError) in
            try await base.react(
                action, with: key, to: messageID, in: channelURL, requestID: requestID)
        }
    }

    /// Forwards and records the call.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        try await record("upload", ["": file, "requestID": requestID]) {
            () async throws(BackendError) in
            try await base.upload(file, from: source, requestID: requestID, progress: progress)
        }
    }

    /// Forwards and records the call.
    public func download(
        _ file: FileInfo
    ) async throws(BackendError) -> Data {
        try await record("download", ["": file]) { () async throws(BackendError) in
            try await base.download(file)
        }
    }
}
