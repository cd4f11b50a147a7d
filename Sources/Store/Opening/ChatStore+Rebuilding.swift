public import Foundation
import Models

extension ChatStore {
    /// Removes the cache of a closed store, so that the next opening creates an empty one.
    ///
    /// For a store that cannot be opened because its cache is damaged: the error code is
    /// `corruption`, and the message names the cache. The next sync fetches the data of the server
    /// again. Unsent items of the user are in the outbox, which is not changed.
    /// ``OpeningReport/isCacheNew`` reports it at the next opening.
    ///
    /// - Parameter directory: The directory of the store. If it has no cache, the call has no
    ///   effect.
    /// - Throws: ``StoreError``: `locked` if the store is open, `newerSchema` if a newer version of
    ///   this package wrote it (in both cases nothing was changed), `permission` or `io`. After the
    ///   latter two, repeat the call: some files may have been removed.
    /// - Complexity: O(*n*) in the number of files; waits for the disk.
    public static func rebuildCache(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard access(files.cache, F_OK) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "find", path: files.cache)
        }
        let environment = LevelDB.Environment.disk()
        // A store that cannot write its cache closes it temporarily, but never the outbox.
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            // If this is interrupted, the remaining files must not be trusted.
            try environment.withLock(of: files.cache, files.distrust.set)
            try LevelDB.destroy(at: files.cache)
            try DatabaseFiles(files.cache).checkAllAreGone()
            try DiskFile(directory: directory.path).sync()
            try files.distrust.remove()
        }
    }
}

extension ChatStore {
    /// Makes the next opening rebuild the derived rows of a store.
    ///
    /// For a store in which ``check()`` finds problems, and that no process has open. The next
    /// opening rebuilds names, numbers, indexes and counts from the channels, messages and outbox
    /// items themselves, removes rows that cannot be decoded, and makes each channel's history one
    /// gap, so that the next sync fetches the missing messages. ``OpeningReport/isCoverageDropped``
    /// and ``OpeningReport/isOutboxReindexed`` report it. Outbox items that can be read stay.
    ///
    /// - Parameter directory: The directory of the store. If it has no store, nothing is done.
    /// - Throws: ``StoreError``: `locked` if a process has the store open, `newerSchema` if a newer
    ///   version of this package wrote it (in both cases nothing was touched), `permission` or
    ///   `io`.
    /// - Complexity: O(1); the next opening is O(*n*) in the rows.
    public static func rebuildIndexes(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard files.exist else { return }
        let environment = LevelDB.Environment.disk()
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            try environment.withLock(of: files.cache) { () throws(StoreError) in
                try files.distrust.set()
                try files.outboxDistrust.set()
            }
        }
    }
}
