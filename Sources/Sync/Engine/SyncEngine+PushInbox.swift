public import Models
public import Store

extension SyncEngine {
    /// The maximum number of messages in a write, so that other writes do not wait long.
    private static let messagesOfABatch = 500

    /// The number of messages after which a call ends, so that other calls do not wait long.
    private static let messagesOfACall = 5_000

    /// Stores the messages that other processes left in the store's `PushInbox`, and creates the
    /// inbox if there is none.
    ///
    /// The messages are stored even inside a gap, and close no gap. A message replaces only an
    /// older stored one. Once the feed has reported all channels, messages of other channels are
    /// not stored.
    ///
    /// A file is removed only after its messages were synced to disk; after a crash before that, it
    /// is read again, without further effect. Unreadable parts are reported, and removed with the
    /// file.
    ///
    /// An entry that is not a regular file, or is too large, is renamed and reported as damage. A
    /// file that cannot be read, for example because a newer version of the package wrote it, stays
    /// in the inbox; the other files are processed, and ``ReceivedPushes/failure`` is the error.
    /// One call ends after as many files and bytes as the inbox may contain, or about 5,000
    /// messages; the next call continues.
    ///
    /// - Returns: The content of the inbox; empty for a store in memory, and for a user whose
    ///   session was revoked.
    /// - Throws: `store` or `closed`, if no file could be processed.
    /// - Complexity: One write that is synced to disk for each 500 messages.
    @discardableResult
    public func readPushInbox() throws(SyncError) -> ReceivedPushes {
        var received = ReceivedPushes()
        guard store.directory != nil, state.connection != .revoked else { return received }
        // Throw the error of a closed or suspended store before the inbox is changed.
        _ = try stored { (reader) throws(StoreError) in reader.number }
        let names = try translatingStoreErrors { () throws(StoreError) in
            try store.makePushInbox()
            return try store.pushNames()
        }
        var rest = names[...]
        while !rest.isEmpty, received.messages.count < SyncEngine.messagesOfACall {
            do throws(SyncError) {
                try receiveFiles(&rest, into: &received)
            } catch {
                // The files of the messages that were processed before no longer exist: return
                // these.
                guard received.pushCount > 0 else { throw error }
                received.failure = received.failure ?? error
                break
            }
        }
        return received
    }

    private func receiveFiles(
        _ rest: inout ArraySlice<String>, into received: inout ReceivedPushes
    ) throws(SyncError) {
        var drops: [String] = []
        var messages: [Message] = []
        var damage: [PushInbox.Damage] = []
        while messages.count < SyncEngine.messagesOfABatch, let name = rest.popFirst() {
            let drop: (messages: [Message], damage: [PushInbox.Damage])?
            do throws(SyncError) {
                drop = try translatingStoreErrors { () throws(StoreError) in
                    try store.contents(ofPush: name)
                }
            } catch {
                // Keep the file: a newer version of the package, or a later call, may read it.
                received.failure = received.failure ?? error
                continue
            }
            guard let drop else { continue }
            drops.append(name)
            messages += drop.messages
            damage += drop.damage
        }
        let stored = try storePushed(messages)
        received.pushCount += drops.count
        received.messages += messages
        received.storedCount += stored
        received.damage += damage
        try translatingStoreErrors { () throws(StoreError) in try store.removePushes(drops) }
    }

    /// Removes the push inbox, for example at logout: other processes cannot store messages until
    /// ``readPushInbox()`` creates a new one.
    ///
    /// - Throws: `store` or `closed`.
    package func removePushInbox() throws(SyncError) {
        try translatingStoreErrors { () throws(StoreError) in try store.removePushInbox() }
    }

    private func storePushed(_ messages: [Message]) throws(SyncError) -> Int {
        guard !messages.isEmpty else { return 0 }
        return try change { (core) throws(SyncError) in
            try core.ingestMessages(messages, .messageBackgroundSync, arePushed: true)
        }
    }
}

/// The content that was moved from a push inbox to the cache.
public struct ReceivedPushes: Sendable {
    /// The number of files that were read and removed, or renamed because they do not belong there.
    public internal(set) var pushCount = 0

    /// The messages, in the order in which other processes stored them, of at most
    /// `PushInbox.maximumByteCount` bytes in total.
    public internal(set) var messages: [Message] = []

    /// The number of ``messages`` that are now stored, in this version or a newer one.
    public internal(set) var storedCount = 0

    /// The parts of the files that could not be read.
    public internal(set) var damage: [PushInbox.Damage] = []

    /// The first error of reading a file, which stays in the inbox, or of processing further files.
    public internal(set) var failure: SyncError?

    /// Whether the inbox was empty.
    public var isEmpty: Bool { pushCount == 0 && failure == nil }
}
