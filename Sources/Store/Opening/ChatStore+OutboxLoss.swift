extension ChatStore {
    /// Acknowledges the loss of outbox items, so that opening the store no longer reports it.
    ///
    /// Call this method after the user has seen ``OpeningReport/outboxLoss``. The call removes the
    /// report and the copies of damaged outboxes; the next loading of the outbox removes copies of
    /// files that belong to no item. If nothing was lost, the call has no effect.
    ///
    /// - Throws: `closed`, `permission`, `noSpace` or `io`.
    /// - Complexity: O(*n*) in the files; waits for the disk.
    public func acknowledgeOutboxLoss() throws(StoreError) {
        guard let directory else { return }
        if try view.outbox.contains(ByteWriter.key { $0.schemaKey(.loss) }) {
            try writeRows { (batch) throws(StoreError) in
                batch.recordsGeneration = true
                batch.rows.outbox.remove { $0.schemaKey(.loss) }
            }
        }
        // The report contains the name of the newest copy.
        for copy in try StoreFiles(directory: directory).outboxCopies() {
            try DiskFile.removeAll(at: copy)
        }
    }

    package func mayHaveLostOutboxItems() throws(StoreError) -> Bool {
        guard let directory else { return false }
        if try view.outbox.contains(ByteWriter.key { $0.schemaKey(.loss) }) { return true }
        return try !StoreFiles(directory: directory).outboxCopies().isEmpty
    }
}
