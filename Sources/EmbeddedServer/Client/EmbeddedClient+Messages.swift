public import Foundation
public import Models
public import Sync

extension EmbeddedClient {
    // MARK: Reading

    /// Returns a page of a channel's messages around an anchor.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        let answer = try connection.ask { state, session throws(BackendError) in
            try state.messages(
                in: channelURL, at: anchor, older: older, newer: newer, for: session.userID)
        }
        return connection.withoutReactions(answer, in: \.messages)
    }

    /// Returns a page of the messages of some kinds older than an anchor.
    public func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        let answer = try connection.ask(.kindFilter) { state, session throws(BackendError) in
            try state.messages(
                of: kinds, in: channelURL, at: anchor, older: older, newer: 0, for: session.userID)
        }
        return connection.withoutReactions(answer, in: \.messages)
    }

    /// Returns messages by their IDs.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        let answer = try connection.ask { state, session throws(BackendError) in
            try state.lookup(messageIDs, in: channelURL, for: session.userID)
        }
        return connection.withoutReactions(answer, in: \.found)
    }

    /// Returns the reactions to messages, by message ID.
    public func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        let found = try connection.ask(.separateReactions) { state, session throws(BackendError) in
            try state.lookup(messageIDs, in: channelURL, for: session.userID).found
        }
        return Dictionary(
            found.map { ($0.messageID ?? "", $0.reactionHistory) }, uniquingKeysWith: { $1 })
    }

    /// Returns a page of the replies to a message around an anchor.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        let answer = try connection.ask(.threads) { state, session throws(BackendError) in
            try state.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer,
                for: session.userID)
        }
        return connection.withoutReactions(answer, in: \.messages)
    }

    /// Returns the changes of a channel's messages since `point`.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        let answer = try connection.ask(point.isTime ? .messageChangelogByTime : []) {
            state, session throws(BackendError) in
            try state.messageChanges(
                in: channelURL, since: point, params: params, for: session.userID)
        }
        return connection.withoutReactions(answer, in: \.updated)
    }

    /// Returns the changes of the user's group channels since `point`.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try connection.ask(point.isTime ? .channelChangelogByTime : []) {
            state, session throws(BackendError) in
            try state.channelChanges(since: point, params: params, for: session.userID)
        }
    }

    // MARK: Writing

    /// Sends a message.
    public func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        let deduplicates = capabilities.contains(.deduplicatesRequests)
        let hasSeveralFiles = item.files.count > 1
        return try connection.ask(hasSeveralFiles ? .multipleFiles : [], of: item.targetEpoch) {
            state, session throws(BackendError) in
            try state.send(item, by: session.userID, deduplicates: deduplicates)
        }
    }

    /// Edits a message of the user.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try connection.ask(of: epoch) { state, session throws(BackendError) in
            connection.withoutReactions(
                try state.update(messageID, in: channelURL, with: update, by: session.userID))
        }
    }

    /// Deletes a message of the user or, for an operator of the channel, any message.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        try connection.ask(of: epoch) { state, session throws(BackendError) in
            try state.delete(messageID, in: channelURL, by: session.userID)
        }
    }

    /// Adds or removes a reaction.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent {
        try connection.ask(.reactions, of: epoch) { state, session throws(BackendError) in
            try state.react(
                action, with: key, to: messageID, in: channelURL, by: session.userID,
                requestID: requestID)
        }
    }

    // MARK: Files

    /// Stores a file, and returns its description for a message.
    ///
    /// - Throws: `refused` with the detail `fileSizeLimitExceeded` if the file is too large; the
    ///   errors that `source` throws.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        let size = source.byteCount
        try connection.ask(.files) { state, _ throws(BackendError) in try state.checkFileSize(size)
        }
        let bytes = try source.data()
        for step in 1...4 {
            try connection.checkCancellation()
            progress(
                TransferProgress(
                    bytesTransferred: bytes.count * step / 4, bytesInAll: bytes.count))
        }
        return try connection.ask(.files) { state, _ throws(BackendError) in
            try state.storeFile(bytes, file)
        }
    }

    /// Returns the bytes of a message's file.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        try connection.ask(.files) { state, _ throws(BackendError) in try state.fileBytes(file) }
    }
}

extension ChangelogPoint {
    fileprivate var isTime: Bool {
        if case .time = self { true } else { false }
    }
}
