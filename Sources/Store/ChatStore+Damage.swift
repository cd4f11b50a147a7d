extension ChatStore {
    /// Whether an error of this store says that its cache is damaged; the outbox is another database.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && error.path.hasPrefix(cache.path)
    }
}
