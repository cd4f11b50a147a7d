public import Models
import Store
public import Sync

/// The number of messages of some kinds.
public struct MessageKindCount: Hashable, Sendable {
    /// The number of stored messages.
    public let count: Int

    /// A Boolean value that indicates whether the cache has all messages of the kinds.
    ///
    /// If it is `false`, show a count such as "at least 312".
    public let isComplete: Bool
}

extension ChatClient {
    /// Creates a live list of messages of some kinds, newest first, in a channel or in all
    /// channels.
    ///
    /// The list is empty until ``MessageList/start()``. The client disposes it when another user
    /// connects. Mentions are of the current user.
    ///
    /// - Throws: `noUser`.
    public func makeMessageList(
        of kinds: MessageKinds, in channelURL: ChannelURL? = nil,
        pageSize: Int = 40
    ) throws(SyncError) -> MessageList {
        let list = MessageList(
            of: kinds, in: channelURL, userID: session?.userID, pageSize: pageSize,
            engine: try engine)
        add(list)
        return list
    }

    /// Creates a live list of threads, the one with the last reply first, as
    /// ``makeMessageList(of:in:pageSize:)`` does for messages.
    ///
    /// The rows are the messages that start the threads.
    ///
    /// - Throws: `noUser`.
    public func makeThreadList(
        in channelURL: ChannelURL? = nil, pageSize: Int = 40
    ) throws(SyncError) -> MessageList {
        let list = MessageList(
            of: .thread, in: channelURL, order: .lastReplyFirst, userID: session?.userID,
            pageSize: pageSize, engine: try engine)
        add(list)
        return list
    }

    /// Returns the number of stored messages of some kinds, in a channel or in all channels.
    ///
    /// A message of several kinds is counted once. Mentions are of the current user.
    ///
    /// - Throws: `noUser`, `store` or `closed`.
    /// - Complexity: O(*n*) in the counted messages, and in the channels if all are counted.
    public func messageCount(
        of kinds: MessageKinds, in channelURL: ChannelURL? = nil
    ) async throws(SyncError) -> MessageKindCount {
        let (store, userID) = (try engine.store, session?.userID)
        return try await onDisk { () throws(StoreError) in
            let snapshot = try store.snapshot()
            let urls = if let channelURL { [channelURL] } else { try snapshot.channelURLs() }
            var isComplete = true
            for url in urls where isComplete {
                isComplete = try snapshot.kindGaps(in: url).newest(of: kinds) == nil
            }
            return MessageKindCount(
                count: try snapshot.messageCount(of: kinds, for: userID, in: channelURL),
                isComplete: isComplete)
        }
    }
}

// MARK: Pinned messages

/// The pinned messages of a channel.
public struct PinnedMessages: Hashable, Sendable {
    /// The messages in the server's order.
    public let messages: [Message]

    /// The pinned messages that are not cached and could not be fetched.
    public let missingIDs: [MessageID]
}

extension ChatClient {
    /// Returns the messages that are pinned to a group channel, and fetches missing ones.
    ///
    /// ``ChannelDelegate`` and the channel collections report changes of the channel's
    /// `pinnedMessageIDs`.
    ///
    /// - Throws: `noUser`, `store`, `closed` or `canceled`. If the server is unavailable, the call
    ///   does not throw: see ``PinnedMessages/missingIDs``.
    public func pinnedMessages(in url: ChannelURL) async throws(SyncError) -> PinnedMessages {
        let engine = try engine
        func stored() throws(SyncError) -> (found: [Message], missing: [MessageID]) {
            try engine.stored { (reader) throws(StoreError) in
                let ids = try reader.groupChannel(url)?.pinnedMessageIDs ?? []
                var (found, missing): ([Message], [MessageID]) = ([], [])
                for id in ids {
                    if let message = try reader.message(id, in: url) {
                        found.append(message)
                    } else {
                        missing.append(id)
                    }
                }
                return (found, missing)
            }
        }
        var (found, missing) = try stored()
        guard !missing.isEmpty else { return PinnedMessages(messages: found, missingIDs: []) }
        do throws(SyncError) {
            let lookup = try await engine.fetchMessages(missing, in: url)
            (found, missing) = try stored()
            // Messages that the server no longer has are not missing.
            missing.removeAll { lookup.gone.contains($0) }
        } catch {
            guard error.code == .notConnected || error.code == .refused else { throw error }
        }
        return PinnedMessages(messages: found, missingIDs: missing)
    }
}
