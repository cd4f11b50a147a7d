public import Models

// For the benchmarks, which are a package of their own: what lies below the decoding.

extension StoreReader {
    /// Lends the bytes of a channel's messages that are older than a time, newest first, until the
    /// closure returns false.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages.
    ///   - time: Not included. The default, `nil`, begins behind the newest message.
    ///   - body: Is lent each message in its binary form, which is gone when it returns.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    @_spi(Measuring)
    public func forEachSerializedMessage(
        in url: ChannelURL, before time: Timestamp? = nil, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        let view = try view
        guard let number = try view.number(of: url) else { return }
        var range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        if let time {
            // All of that time begin with its bytes.
            let atTime = ByteWriter.key {
                $0.table(.message, number)
                $0.descending { $0.timestamp(time) }
            }
            range.lower = atTime.successorOfPrefix
        }
        try view.scanMessages(range, of: number) { (_, value) throws(StoreError) in body(value) }
    }

    /// Calls a closure with the key and the value of each row of the cache, in the order of the keys.
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
