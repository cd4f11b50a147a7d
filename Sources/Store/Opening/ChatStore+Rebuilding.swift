public import Foundation
import Models

extension ChatStore {
    /// Removes the cache of a closed store, so that the next opening creates an empty cache.
    ///
    /// Call this method if opening the store fails with the code `corruption` and a message that
    /// names the cache. The next sync fetches the data from the server again. The outbox, which
    /// contains the user's unsent items, is not changed. The next opening sets
    /// ``OpeningReport/isCacheNew``.
    ///
    /// - Parameter directory: The directory of the store. If it has no cache, the call has no
    ///   effect.
    /// - Throws: ``StoreError``. With `locked` (the store is open) and `newerSchema` (a newer
    ///   version of this package wrote the files), nothing was changed. With `permission` and `io`,
    ///   some files may already be removed: repeat the call.
    /// - Complexity: O(*n*) in the number of files; waits for the disk.
    public static func rebuildCache(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard access(files.cache, F_OK) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "find the cache to rebuild", path: files.cache)
        }
        let environment = LevelDB.Environment.disk()
        // Also lock the outbox. An open store always holds the lock of the outbox, but not always
        // that of the cache: it releases that lock while it reopens the files after a failed write.
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            // Set the mark first. If the process ends before all files are removed, the mark makes
            // the next opening rebuild the derived rows of the remaining files.
            try environment.withLock(of: files.cache, files.rebuildMark.set)
            try LevelDB.destroy(at: files.cache)
            try DatabaseFiles(files.cache).checkAllAreGone()
            try DiskFile(directory: directory.path).sync()
            try files.rebuildMark.remove()
        }
    }
}

extension ChatStore {
    /// Makes the next opening of a closed store rebuild all rows that are derived from other rows.
    ///
    /// Call this method if ``check()`` has found problems. The next opening then rebuilds names,
    /// numbers, indexes and counts from the channels, messages and outbox items. It removes rows
    /// that cannot be decoded, but keeps all readable outbox items. Each channel's history becomes
    /// one gap, so that the engine fetches missing messages from the server.
    /// ``OpeningReport/isCoverageDropped`` and ``OpeningReport/isOutboxReindexed`` report the
    /// result.
    ///
    /// - Parameter directory: The directory of the store. If it has no store, the call has no
    ///   effect.
    /// - Throws: ``StoreError``. With `locked` (the store is open) and `newerSchema` (a newer
    ///   version of this package wrote the files), nothing was changed. Other codes: `permission`
    ///   or `io`.
    /// - Complexity: O(1); the next opening is O(*n*) in the rows.
    public static func rebuildIndexes(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard files.exist else { return }
        let environment = LevelDB.Environment.disk()
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            try environment.withLock(of: files.cache) { () throws(StoreError) in
                try files.rebuildMark.set()
                try files.outboxDistrust.set()
            }
        }
    }
}
