import Foundation
public import Models
public import Store
public import Sync

// What is kept on this device.
extension ChatClient {
    /// Returns how many bytes the user's cache takes.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    /// - Complexity: A system call for each file, of two megabytes.
    public func cachedDataSize() throws(SyncError) -> Int {
        let store = try engine().store
        do throws(StoreError) {
            return try store.cachedDataSize()
        } catch {
            throw SyncError(error)
        }
    }

    /// Removes the messages of channels from this device; channels, and what waits to be sent, stay.
    ///
    /// They come again when they are shown.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    public func clearCachedMessages(in urls: [ChannelURL]) async throws(SyncError) {
        try await engine().clearCachedMessages(in: urls)
    }

    /// Removes all that the server can give again from this device; what waits to be sent stays.
    ///
    /// The cache that a client with another key setting has of the user is removed, too.
    ///
    /// Works at any time. Where the cache is damaged, its files are removed, and an empty one is begun;
    /// collections are disposed of then, and the user has to connect again.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    public func clearCachedData() async throws(SyncError) {
        let engine = try engine()
        try await removeOtherCachedData()
        if cachingError?.code == .corruption || storageDamage.cache != nil {
            return try await rebuildCache(of: engine)
        }
        do throws(SyncError) {
            try await engine.clearCachedData()
            try await onDisk { () throws(StoreError) in try engine.store.purgeCleared() }
        } catch {
            guard let cause = error.cause as? StoreError, engine.store.isCacheDamage(cause) else {
                throw error
            }
            try await rebuildCache(of: engine)
        }
    }

    private func rebuildCache(of engine: SyncEngine) async throws(SyncError) {
        guard let userID = session?.userID else { return }
        let directory = options.directory(of: userID)
        try await reopen(engine) { () throws(StoreError) in
            try ChatStore.removeCachedData(at: directory)
        }
    }

    /// Removes what the server can give again from the stores of the user that the client does not open.
    func removeOtherCachedData() async throws(SyncError) {
        guard let userID = session?.userID, options.isLocalCachingEnabled,
            cachingError?.code != .wrongKey
        else { return }
        let options = options
        try await onDisk { () throws(StoreError) in
            for directory in try UserDirectories(options).others(of: userID) {
                try ChatStore.removeCachedData(at: directory)
            }
        }
    }

    /// Says what would go out of the user's cache, and removes nothing, as
    /// ``/Sync/SyncEngine/evictionPlan(to:)`` does.
    ///
    /// - Parameter size: How many bytes it may take, as ``shrinkCache(to:)`` is told it.
    /// - Returns: What would go.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    public func evictionPlan(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine().evictionPlan(to: size)
    }

    /// Makes the user's cache smaller, as ``/Sync/SyncEngine/shrinkCache(to:)`` does.
    ///
    /// - Parameter size: How many bytes it may take; by default, what ``/Sync/CacheLimits/maxSize`` of
    ///   ``ChatClientOptions/cacheLimits`` says.
    /// - Returns: What went.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    @discardableResult
    public func shrinkCache(to size: Int? = nil) async throws(SyncError) -> Eviction {
        try await engine().shrinkCache(to: size)
    }

    /// Says whether a channel's messages are never taken out of the cache for its size.
    ///
    /// It is on the disk, and stays so until it is said otherwise.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`.
    public func setPinned(_ isPinned: Bool, _ url: ChannelURL) async throws(SyncError) {
        try await engine().setPinned(isPinned, url)
    }

    /// Looks for what is damaged on this device, and returns a report to hand in: figures, and nothing of
    /// what the user has.
    ///
    /// Where the cache could not be opened, it says why, and no more.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected; `store`, `closed`.
    /// - Complexity: O(*n*) in the rows; reads and decodes each, on another thread.
    public func damageReport() async throws(SyncError) -> DamageReport {
        let store = try engine().store
        if let cachingError { return DamageReport(failure: cachingError) }
        var report = try await onDisk { () throws(StoreError) in try store.damageReport() }
        // What was taken in is not there any more.
        if case .success(let absorbed) = lastAbsorption { report.add(absorbed.damage) }
        return report
    }
}
