public import Foundation
import Models

extension ChatStore {
    /// Removes the cache of a closed store, so that the next opening creates an empty one.
    ///
    /// Use it for a store that cannot be opened because its cache is damaged: the error code is
    /// `corruption`, and the message names the cache. The next sync fetches the data from the
    /// server again. The user's unsent items are in the outbox, which is not changed. At the next
    /// opening, ``OpeningReport/isCacheNew`` is true.
    ///
    /// - Parameter directory: The directory of the store. If it has no cache, the call has no
    ///   effect.
    /// - Throws: ``StoreError``: `locked` if the store is open, or `newerSchema` if a newer version
    ///   of this package wrote it (in both cases nothing was changed); `permission` or `io`, after
    ///   which some files may have been removed: repeat the call.
    /// - Complexity: O(*n*) in the number of files; waits for the disk.
    public static func rebuildCache(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard access(files.cache, F_OK) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "find the cache to rebuild", path: files.cache)
        }
        let environment = LevelDB.Environment.disk()
        // Lock the outbox, because an open store always holds this lock. It may temporarily release
        // the lock of the cache, while it reopens the files after a failed write.
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            // Set the mark first: if the process ends before all files are removed, the next
            // opening rebuilds the rows of the remaining files.
            try environment.withLock(of: files.cache, files.rebuildMark.set)
            try LevelDB.destroy(at: files.cache)
            try DatabaseFiles(files.cache).checkAllAreGone()
            try DiskFile(directory: directory.path).sync()
            try files.rebuildMark.remove()
        }
    }
}

extension ChatStore {
    /// Makes the next opening rebuild all rows of a store that are derived from other rows.
    ///
    /// Use it for a closed store in which ``check()`` finds problems. The next opening rebuilds
    /// names, numbers, indexes and counts from the channels, messages and outbox items, and removes
    /// rows that cannot be decoded. It makes each channel's history one gap, so that the next sync
    /// fetches the missing messages. ``OpeningReport/isCoverageDropped`` and
    /// ``OpeningReport/isOutboxReindexed`` report this. Readable outbox items are kept.
    ///
    /// - Parameter directory: The directory of the store. If it has no store, the call has no
    ///   effect.
    /// - Throws: ``StoreError``: `locked` if a process has the store open, or `newerSchema` if a
    ///   newer version of this package wrote it (in both cases nothing was changed); `permission`
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
