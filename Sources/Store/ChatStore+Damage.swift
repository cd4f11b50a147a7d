extension ChatStore {
    /// Returns a Boolean value that indicates whether an error of this store means that its cache
    /// is damaged; the outbox is another database.
    package func isCacheDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && error.path.hasPrefix(cache.path)
    }
}
