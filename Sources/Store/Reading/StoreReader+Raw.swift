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
        let anchor = time.map { HistoryAnchor.time($0) } ?? .newest
        let prefix = ByteWriter.key { $0.table(.message, number) }
        let range = anchor.keys(behind: prefix, isOlder: true, false)
        try view.scanMessages(range, of: number) { (_, value) throws(StoreError) in body(value) }
    }

    /// Calls a closure with the key and value of each row of the cache, in order.
    @_spi(Measuring)
    public func forEachRow(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(StoreError) {
        try view.cache.forEachRow(in: .all) { key, value in body(key, value) }
    }
}
