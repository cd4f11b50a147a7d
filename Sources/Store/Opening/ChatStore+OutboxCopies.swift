extension ChatStore {
    /// Removes the copies of damaged outboxes that openings and salvages have kept.
    ///
    /// For when the user has seen what was lost: nothing more can be found out of the damage then. While
    /// a copy is there, the outbox's copies of files stay too, also those that no item names.
    ///
    /// - Throws: ``StoreError`` with code `permission` or `io`.
    /// - Complexity: O(*n*) in the files.
    public func removeOutboxCopies() throws(StoreError) {
        guard let directory else { return }
        for copy in try StoreFiles(directory: directory).outboxCopies() {
            try OpenFile.removeAll(at: copy)
        }
    }

    /// Whether damage may have taken outbox items whose files are still there.
    package func mayHaveLostOutboxItems() throws(StoreError) -> Bool {
        guard let directory else { return false }
        if openingReport.isOutboxLost { return true }
        return try !StoreFiles(directory: directory).outboxCopies().isEmpty
    }
}
