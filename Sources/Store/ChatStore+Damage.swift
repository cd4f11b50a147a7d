import Models

extension ChatStore {
    /// Returns a Boolean value that indicates whether an error means that the current cache is
    /// damaged.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && (error.path + "/").hasPrefix(cache.path + "/")
    }

    package var cacheDamage: StoreError? { cache.firstDamage.error }

    /// Calls a closure when a read first finds damage in the cache, also in a later cache, and
    /// immediately if a read has already found damage.
    ///
    /// The closure is called on the reader's thread, and must not use the store.
    package func observeCacheDamage(_ observer: @escaping @Sendable (StoreError) -> Void) {
        damageObservers.withLock { $0.append(observer) }
        if let cacheDamage { observer(cacheDamage) }
    }

    func reportCacheDamage(_ error: StoreError) {
        for observer in damageObservers.withLock({ $0 }) { observer(error) }
    }
}
