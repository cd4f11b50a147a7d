public import Models

extension Batch {
    /// Sets whether a channel's messages are exempt from eviction.
    ///
    /// The setting is durable, and stays when the channel is removed or the cache is cleared. The
    /// channel need not be stored.
    ///
    /// - Throws: `invalid` if the URL is empty or longer than 65,535 bytes.
    public func setKeptInCache(_ isKept: Bool, for url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(
                .invalid, "the channel to keep in the cache has no URL", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        let key = ByteWriter.key { $0.pinKey(url) }
        guard try outbox.contains(key) != isKept else { return }
        recordsGeneration = true
        if isKept {
            rows.outbox.put({ $0.raw(key) }, { _ in })
        } else {
            rows.outbox.remove { $0.raw(key) }
        }
    }

    package func removeAllKeptInCache() throws(StoreError) {
        recordsGeneration = true
        for key in try outbox.keys(in: KeyRange(OutboxTable.pin)) {
            rows.outbox.remove { $0.raw(key) }
        }
    }
}
