public import Models

extension Batch {
    /// Sets whether a channel's messages are exempt from eviction.
    ///
    /// The pin is on disk when the write returns. A channel without stored data can be pinned, too.
    /// Like drafts, pins are kept when their channel is removed or the cache is cleared.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the URL is empty or longer than 65,535
    ///   bytes; `io`.
    /// - Complexity: One lookup. An unchanged pin is not written.
    public func setPinned(_ isPinned: Bool, for url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(.invalid, "the pin needs a channel", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        let key = ByteWriter.key { $0.pinKey(url) }
        guard try outbox.contains(key) != isPinned else { return }
        if isPinned {
            rows.outbox.put({ $0.raw(key) }, { _ in })
        } else {
            rows.outbox.remove { $0.raw(key) }
        }
    }

    /// Removes the pins of all channels.
    package func removePins() throws(StoreError) {
        var keys: [KeyBytes] = []
        try outbox.scan(KeyRange(prefix: [OutboxTable.pin.rawValue])) {
            (key, _) throws(StoreError) in
            keys.append(KeyBytes(key))
            return true
        }
        for key in keys { rows.outbox.remove { $0.raw(key) } }
    }
}
