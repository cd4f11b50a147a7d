import Foundation
public import Models
public import Store
public import Sync

extension ChatClient {
    /// Returns the size of the user's cache in bytes, without the downloaded files, with a system
    /// call for each file of about two megabytes.
    ///
    /// - Throws: `noUser` or `store`.
    public func cachedDataSize() throws(SyncError) -> Int {
        let store = try engine.store
        return try translatingStoreErrors { () throws(StoreError) in try store.cachedDataSize() }
    }

    /// Removes the cached messages of channels, also from the files, but neither the channels nor
    /// the outbox.
    ///
    /// Collections of the channels show a gap instead of the messages, and report them as deleted
    /// with the source `cacheCleared`. Visible messages are fetched again.
    ///
    /// - Throws: `noUser` or `store`.
    /// - Complexity: O(*n*) in the number of rows of the cache, whose files are rewritten on
    ///   another thread.
    public func clearCachedMessages(in urls: [ChannelURL]) async throws(SyncError) {
        let engine = try self.engine
        try await engine.clearCachedMessages(in: urls)
        try await onDisk { () throws(StoreError) in try engine.store.purgeCleared() }
    }

    /// Removes the user's cache: all data that can be fetched again, also the downloaded files.
    ///
    /// If the user has stores with and without an encryption key, both caches are removed. When the
    /// call returns, the files contain neither the removed data nor the messages that were sent
    /// from the outbox.
    ///
    /// Message collections show a gap instead of their messages; channel collections become empty.
    /// Both report the removed rows with the source `cacheCleared`.
    ///
    /// The call replaces the files of a damaged cache. If the client works in memory because of the
    /// damage, collections are disposed, and the user has to connect again.
    ///
    /// - Throws: `noUser` or `store`.
    public func clearCachedData() async throws(SyncError) {
        try await clearCachedData(source: .cacheCleared)
        try await removeOtherCachedData()
    }

    /// Removes all downloaded files of the user from this device.
    ///
    /// A file that is being downloaded during the call is not kept.
    ///
    /// - Throws: `noUser` or `store`.
    public func removeDownloads() async throws(SyncError) {
        guard let downloads = try engine.store.downloads else { return }
        try await onDisk { () throws(StoreError) in try downloads.removeAll() }
    }

    /// Clears the cache of the store that this client has open.
    func clearCachedData(source: CollectionEventSource) async throws(SyncError) {
        let engine = try self.engine
        // The client works in memory.
        if cachingError?.code == .corruption { return try await removeCache(of: engine) }
        try await engine.clearCachedData(source: source)
        try await onDisk { () throws(StoreError) in try engine.store.removeCleared() }
    }

    /// Acknowledges the loss of outbox items, and removes the report from ``storageDamage``.
    ///
    /// The copies of damaged files, and of outgoing files without an outbox item, are removed.
    ///
    /// - Throws: `noUser`, or `store` if the disk fails; then call it again.
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

    /// Removes the caches of the user's stores that this client does not open.
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

    /// Returns the messages that ``shrinkCache(to:)`` would evict for a size in bytes.
    ///
    /// The default is ``/Sync/CacheLimits/maximumByteCount``.
    ///
    /// - Throws: `noUser` or `store`.
    public func evictionPlan(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine.evictionPlan(to: size)
    }

    /// Evicts messages until the cache has at most a given size, as
    /// ``/Sync/SyncEngine/shrinkCache(to:)`` does.
    ///
    /// The default size is that of ``evictionPlan(to:)``.
    ///
    /// - Throws: `noUser` or `store`.
    @discardableResult
    public func shrinkCache(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine.shrinkCache(to: size)
    }

    /// Sets whether a channel's messages are kept when the cache exceeds its maximum size; the
    /// setting is stored.
    ///
    /// - Throws: `noUser` or `store`.
    public func setKeptInCache(_ isKept: Bool, for url: ChannelURL) async throws(SyncError) {
        try await engine.setKeptInCache(isKept, for: url)
    }

    /// Saves what the user is writing in a channel or in a thread, as
    /// ``/Sync/SyncEngine/setDraft(_:of:inThreadOf:)`` does.
    ///
    /// An empty text without a message to reply to removes the draft.
    ///
    /// - Throws: `noUser` or `store`.
    public func setDraft(
        _ text: String, of url: ChannelURL, inThreadOf parentMessageID: MessageID? = nil,
        replyingTo messageID: MessageID? = nil
    ) async throws(SyncError) {
        try await engine.setDraft(
            Draft(text, replyingTo: messageID), of: url, inThreadOf: parentMessageID)
    }

    /// Checks the user's files for damage, and returns a report without user data that an app can
    /// submit.
    ///
    /// If the cache could not be opened, the report contains only the reason.
    ///
    /// - Throws: `noUser`, `store` or `closed`.
    /// - Complexity: O(*n*) in the number of rows, all of which are decoded on another thread.
    public func damageReport() async throws(SyncError) -> DamageReport {
        let store = try engine.store
        if let cachingError { return DamageReport(failure: cachingError) }
        var report = try await onDisk { () throws(StoreError) in try store.damageReport() }
        // The check does not find damage of the push inbox, because processed files are removed
        // from it.
        if case .success(let received) = lastReceivedPushes { report.add(received.damage) }
        return report
    }
}
