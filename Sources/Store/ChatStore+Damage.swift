package import Foundation

extension ChatStore {
    /// Returns a Boolean value that indicates whether an error of this store means that its cache
    /// is damaged; the outbox is another database.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && error.path.hasPrefix(cache.path)
    }

    /// Returns a Boolean value that indicates whether an error of opening means that the cache is
    /// damaged.
    package static func isCacheDamage(_ error: StoreError, at directory: URL) -> Bool {
        error.code == .corruption
            && (error.path + "/").hasPrefix(StoreFiles(directory: directory).cache + "/")
    }

    /// The first damage of the cache's files that a read has found; `nil` if none has.
    package var cacheDamage: StoreError? { cache.firstDamage.error }

    /// Calls a closure once: now, or when a read finds that the cache's files are damaged.
    ///
    /// The closure is called on the reader's thread, and must not use the store.
    package func observeCacheDamage(_ observer: @escaping @Sendable (StoreError) -> Void) {
        cache.firstDamage.observe(observer)
    }
}
