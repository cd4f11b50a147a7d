package import Foundation

extension ChatStore {
    /// Returns a Boolean value that indicates whether an error of this store means that its cache,
    /// and not its outbox, is damaged.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && error.path.hasPrefix(cache.path)
    }

    /// Returns a Boolean value that indicates whether an error of opening the store at `directory`
    /// means that the cache of the store is damaged.
    package static func isCacheDamage(_ error: StoreError, at directory: URL) -> Bool {
        error.code == .corruption
            && (error.path + "/").hasPrefix(StoreFiles(directory: directory).cache + "/")
    }

    /// The first damage that a read has found in the cache's files; `nil` if there is none.
    package var cacheDamage: StoreError? { cache.firstDamage.error }

    /// Calls a closure once: when a read first finds damage in the cache's files, or immediately if
    /// a read has already found damage.
    ///
    /// The closure is called on the reader's thread, and must not use the store.
    package func observeCacheDamage(_ observer: @escaping @Sendable (StoreError) -> Void) {
        cache.firstDamage.observe(observer)
    }
}
