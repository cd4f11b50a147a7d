public import Foundation
import Models

extension ChatStore {
    /// Removes the cache of a store that nobody has open, so that the next opening begins an empty one.
    ///
    /// For a store that does not open any more, with the code `corruption`, because of its cache, as
    /// the message says. What the server has comes back with the next sync; what the user wrote and
    /// the server does not have yet is in the outbox, which is not touched.
    /// ``OpeningReport/isCacheNew`` tells of it at the next opening.
    ///
    /// Where an opening fails with `corruption` even after this, it is the outbox that is damaged:
    /// ``salvageOutbox(at:encryptionKey:)`` saves what can be read of it.
    ///
    /// - Parameter directory: The directory of the store. If there is no cache, nothing is done.
    /// - Throws: ``StoreError``: `locked` if somebody has the store open, `newerSchema` if a newer
    ///   version of this package wrote it (in both cases nothing was touched), `permission` or `io`.
    ///   After either of these, call it again: some files may be gone.
    /// - Complexity: O(*n*) in the number of files; waits for the disk.
    public static func rebuildCache(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard access(files.cache, F_OK) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "find", path: files.cache)
        }
        let environment = LevelDB.Environment.disk()
        // A store whose cache cannot be written lets go of that for moments, but not of the outbox.
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            // Should this be interrupted, nobody is to believe what may be left.
            try environment.withLock(of: files.cache, files.distrust.set)
            try LevelDB.destroy(at: files.cache)
            try DatabaseFiles(files.cache).checkAllAreGone()
            try OpenFile(directory: directory.path).sync()
            try files.distrust.remove()
        }
    }
}
