extension ChatStore {
    /// Forgets a loss of outbox items that openings have reported.
    ///
    /// Call it when the user has seen ``OpeningReport/outboxLoss``. It removes the report and the
    /// kept copies of damaged outboxes: the damage cannot be examined any further afterwards. The
    /// outbox's copies of files that no item names are removed when the outbox is next loaded.
    /// Without a loss, the call has no effect.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `permission`, `noSpace` or `io`.
    /// - Complexity: O(*n*) in the files; waits for the disk.
    public func acknowledgeOutboxLoss() throws(StoreError) {
        guard let directory else { return }
        if try view.outbox.contains(ByteWriter.key { $0.schemaKey(.loss) }) {
            do {
                try write { $0.rows.outbox.remove { $0.schemaKey(.loss) } }
            } catch let error as StoreError {
                throw error
            } catch {
                preconditionFailure("ChatStore.write threw \(error), which its closure cannot.")
            }
        }
        // After the report, which names the newest copy that it covers.
        for copy in try StoreFiles(directory: directory).outboxCopies() {
            try DiskFile.removeAll(at: copy)
        }
    }

    /// Returns a Boolean value that indicates whether damage may have removed outbox items whose
    /// files still exist.
    package func mayHaveLostOutboxItems() throws(StoreError) -> Bool {
        guard let directory else { return false }
        if try view.outbox.contains(ByteWriter.key { $0.schemaKey(.loss) }) { return true }
        return try !StoreFiles(directory: directory).outboxCopies().isEmpty
    }
}
