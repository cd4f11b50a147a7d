import Foundation
public import Models
public import Store
public import Sync

extension ChatClient {
    /// Returns the size of the user's cache in bytes.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    /// - Complexity: A system call for each file of about two megabytes.
    public func cachedDataSize() throws(SyncError) -> Int {
        let store = try engine.store
        do throws(StoreError) {
            return try store.cachedDataSize()
        } catch {
            throw SyncError(error)
        }
    }

    /// Removes the cached messages of channels.
    ///
    /// The channels and the outbox are kept. The messages are fetched again when they become
    /// visible. When the call returns, the files do not contain the messages any more.
    ///
    /// Collections of the channels show a gap instead of the messages, and report them as deleted
    /// with the source `cacheCleared`.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    /// - Complexity: O(*n*) in the number of rows of the cache, whose files are rewritten on
    ///   another thread.
    public func clearCachedMessages(in urls: [ChannelURL]) async throws(SyncError) {
        let engine = try self.engine
        try await engine.clearCachedMessages(in: urls)
        try await onDisk { () throws(StoreError) in try engine.store.purgeCleared() }
    }

    /// Removes the user's cache: all data that can be fetched from the server again.
    ///
    /// Outbox items are kept. The user has a second store if the app has opened clients both with
    /// and without an encryption key. The cache of that store is removed, too. When the call
    /// returns, the files contain neither the removed data nor the messages that were sent from the
    /// outbox.
    ///
    /// Message collections stay open and show a gap instead of their messages; channel collections
    /// become empty. Both report the removed rows with the source `cacheCleared`, and list them
    /// again when they are fetched.
    ///
    /// If the cache is damaged, the call also replaces its files. If the client works in memory
    /// because the cache cannot be opened, collections are disposed, and the user has to connect
    /// again.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    public func clearCachedData() async throws(SyncError) {
        try await clearCachedData(source: .cacheCleared)
    }

    func clearCachedData(source: CollectionEventSource) async throws(SyncError) {
        let engine = try self.engine
        try await removeOtherCachedData()
        // The client works in memory, because the files cannot be opened.
        if cachingError?.code == .corruption { return try await removeCache(of: engine) }
        try await engine.clearCachedData(source: source)
        try await onDisk { () throws(StoreError) in try engine.store.purgeCleared() }
    }

    /// Acknowledges the loss of outbox items, so that ``storageDamage`` no longer reports it.
    ///
    /// Call this method after the user has seen the report. The call removes the copies of the
    /// damaged files, and those copies of outgoing files that belong to no outbox item.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet; `store`
    ///   if the disk fails; then call it again.
    public func acknowledgeOutboxLoss() async throws(SyncError) {
        let store = try engine.store
        try await onDisk { () throws(StoreError) in try store.acknowledgeOutboxLoss() }
        guard session?.store === store else { return }
        storageDamage.outbox = nil
    }

    private func removeCache(of engine: SyncEngine) async throws(SyncError) {
        guard let userID = session?.userID else { return }
        let directory = UserDirectories(options)?.directory(of: userID)
        let user = currentUser ?? User(id: userID)
        try await reopen(engine) { () throws(StoreError) in
            if let directory { try ChatStore.removeCachedData(at: directory) }
        }
        guard let session, session.userID == userID else { return }
        try translatingStoreErrors { () throws(StoreError) in try session.store.recordOwner(user) }
        currentUser = user
    }

    /// Removes the caches of those stores of the user that this client does not open.
    func removeOtherCachedData() async throws(SyncError) {
        guard let userID = session?.userID, let directories = UserDirectories(options),
            cachingError?.code != .wrongKey
        else { return }
        try await onDisk { () throws(StoreError) in
            if let directory = directories.other(of: userID) {
                try ChatStore.removeCachedData(at: directory)
            }
        }
    }

    /// Returns the messages that ``shrinkCache(to:)`` would evict, without evicting them.
    ///
    /// - Parameter size: The maximum size in bytes. The default is the
    ///   ``/Sync/CacheLimits/maximumByteCount`` of ``ChatClientOptions/cacheLimits``.
    /// - Returns: The messages that ``/Sync/SyncEngine/evictionPlan(to:)`` returns.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    public func evictionPlan(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine.evictionPlan(to: size)
    }

    /// Evicts messages until the cache has at most a given size, as
    /// ``/Sync/SyncEngine/shrinkCache(to:)`` does.
    ///
    /// - Parameter size: The maximum size in bytes. The default is the
    ///   ``/Sync/CacheLimits/maximumByteCount`` of ``ChatClientOptions/cacheLimits``.
    /// - Returns: The evicted messages.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    @discardableResult
    public func shrinkCache(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine.shrinkCache(to: size)
    }

    /// Sets whether a channel's messages are kept when the cache exceeds its maximum size.
    ///
    /// The setting is stored, and also applies after the client is next opened.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    public func setKeptInCache(_ isKept: Bool, for url: ChannelURL) async throws(SyncError) {
        try await engine.setKeptInCache(isKept, for: url)
    }

    /// Saves what the user is writing in a channel or in a thread, as
    /// ``/Sync/SyncEngine/setDraft(_:of:inThreadOf:)`` does.
    ///
    /// ``MessageCollection/draft`` and ``GroupChannelCollection/drafts`` show the saved text.
    ///
    /// - Parameters:
    ///   - text: The text; empty, without a message to reply to, to remove the draft.
    ///   - url: The channel.
    ///   - parentMessageID: The parent message of the thread; `nil`, the default, for the channel.
    ///   - messageID: The message to which the text replies.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`.
    public func setDraft(
        _ text: String, of url: ChannelURL, inThreadOf parentMessageID: MessageID? = nil,
        replyingTo messageID: MessageID? = nil
    ) async throws(SyncError) {
        try await engine.setDraft(
            Draft(text, replyingTo: messageID), of: url, inThreadOf: parentMessageID)
    }

    /// Checks the user's files for damage, and returns a report that an app can submit.
    ///
    /// The report contains numbers and no user data. If the cache could not be opened, it contains
    /// only the reason.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet;
    ///   `store`, `closed`.
    /// - Complexity: O(*n*) in the number of rows. The call reads and decodes all rows on another
    ///   thread.
    public func damageReport() async throws(SyncError) -> DamageReport {
        let store = try engine.store
        if let cachingError { return DamageReport(failure: cachingError) }
        var report = try await onDisk { () throws(StoreError) in try store.damageReport() }
        // The check of the files does not find damage of the push inbox, because processed files of
        // the inbox are removed. The last result of processing the inbox contains that damage.
        if case .success(let received) = lastReceivedPushes { report.add(received.damage) }
        return report
    }
}
