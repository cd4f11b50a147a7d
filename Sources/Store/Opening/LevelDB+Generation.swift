import Models

// A store must not send the items of an earlier copy of its outbox. Each commit of the outbox
// therefore increases a number. The cache records it only after the commit is on disk, so the
// number in the cache is never greater.

extension ChatStore {
    /// Writes the outbox's generation to the cache.
    ///
    /// After an error, the next commit of the cache writes the row.
    func recordGeneration(_ writer: inout Writer) {
        guard writer.next.recordedGeneration != writer.next.generation, !cache.hasFailed else {
            return
        }
        let batch = Overlay()
        batch.put({ $0.schemaKey(.generation) }, { $0.integer(writer.next.generation) })
        do throws(StoreError) {
            try cache.write(batch, isDurable: false)
            writer.next.recordedGeneration = writer.next.generation
        } catch {
        }
    }
}

extension LevelDB {
    func generation() throws(StoreError) -> UInt64 {
        let key = ByteWriter.key { $0.schemaKey(.generation) }
        return try Rows(snapshot: try snapshot()).withValue(of: key) { (value) throws(StoreError) in
            guard let value, value.count == MemoryLayout<UInt64>.size else { return 0 }
            let number = value.reduce(0) { $0 << 8 | UInt64($1) }
            // The store never writes a greater number, to which adding could overflow.
            return number <= .maximumAssigned ? number : 0
        }
    }

    /// If this outbox is older than recorded, or has lost records, makes its pending items fail,
    /// because a cancellation or an edit may be lost, and stores a report unless `isReported`.
    func failOutdatedItems(
        recorded: UInt64, hasLostRecords: Bool, isReported: Bool
    ) throws(StoreError) {
        let generation = try generation()
        guard generation < recorded || hasLostRecords else { return }
        let rows = Rows(snapshot: try snapshot())
        let batch = Overlay()
        try rows.forEachRow(in: KeyRange(OutboxTable.outboxItem)) { key, value in
            if var item: OutboxItem = rows.readableRecord(value), item.state == .pending {
                if item.requireConfirmation() {
                    batch.put({ $0.raw(key) }, { $0.raw(item.serializedBytes) })
                } else {
                    batch.remove { $0.raw(KeyBytes(key)) }
                    batch.remove { $0.outboxItemRequestKey(item.requestID) }
                }
            }
        }
        let next = Swift.max(generation, recorded) + 1
        batch.put({ $0.schemaKey(.generation) }, { $0.integer(next) })
        if !isReported {
            var loss = try outboxLoss() ?? OutboxLoss()
            loss.isRolledBack = true
            batch.put(loss)
        }
        try write(batch, isDurable: true)
    }
}
