public import Models

// Reads of undecoded rows, for the benchmarks and the inspector.

extension StoreReader {
    /// Calls a closure with each encoded message that is older than a time, newest first, until the
    /// closure returns `false`; the bytes are valid only during the call.
    @_spi(Measuring)
    public func forEachSerializedMessage(
        in url: ChannelURL, before time: Timestamp? = nil, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        let view = try view
        guard let number = try view.number(of: url) else { return }
        var range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        if let time {
            let atTime = ByteWriter.key {
                $0.table(.message, number)
                $0.descending { $0.timestamp(time) }
            }
            range.lower = atTime.successorOfPrefix
        }
        try view.scanMessages(range, of: number) { (_, value) throws(StoreError) in body(value) }
    }

    /// Calls a closure with the key and value of each row of the cache, in order.
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
