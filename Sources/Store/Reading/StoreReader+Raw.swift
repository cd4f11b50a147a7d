public import Models

// Reads of undecoded rows for the benchmarks, which are a separate package.

extension StoreReader {
    /// Calls a closure with each encoded message of a channel that is older than a time, newest
    /// first, until the closure returns `false`.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel. An unknown channel has no messages.
    ///   - time: The upper bound, exclusive. The default, `nil`, includes the newest message.
    ///   - body: A closure that receives each message in its binary form. The bytes are valid only
    ///     during the call.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    @_spi(Measuring)
    public func forEachSerializedMessage(
        in url: ChannelURL, before time: Timestamp? = nil, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        let view = try view
        guard let number = try view.number(of: url) else { return }
        var range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        if let time {
            // The keys of all messages with the same time have the time's bytes as their prefix.
            let atTime = ByteWriter.key {
                $0.table(.message, number)
                $0.descending { $0.timestamp(time) }
            }
            range.lower = atTime.successorOfPrefix
        }
        try view.scanMessages(range, of: number) { (_, value) throws(StoreError) in body(value) }
    }

    /// Calls a closure with the key and the value of each row of the cache, in the order of the
    /// keys.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    @_spi(Measuring)
    public func forEachRow(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(StoreError) {
        try view.cache.scan(.all) { (key, value) throws(StoreError) in
            body(key, value)
            return true
        }
    }
}
