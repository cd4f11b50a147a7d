import Models

extension ChatStore {
    /// Returns an error for damage that the caller has found in a row of the cache.
    package func cacheDamage(_ text: String) -> StoreError {
        StoreError(.corruption, text, path: cache.path)
    }

    /// Returns whether an error means that the cache is damaged.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && (error.path + "/").hasPrefix(cache.path + "/")
    }

    package var cacheDamage: StoreError? { cache.firstDamage.error }

    /// Calls a closure when a read first finds damage in this or a later cache, or immediately if
    /// one already has.
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
