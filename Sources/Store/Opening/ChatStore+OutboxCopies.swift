extension ChatStore {
    /// Removes the copies of damaged outboxes that openings and salvages have kept.
    ///
    /// Call it when the user has seen the losses: the damage cannot be examined any further
    /// afterwards. While a copy exists, the outbox's copies of files stay too, also those that no
    /// item names.
    ///
    /// - Throws: ``StoreError`` with code `permission` or `io`.
    /// - Complexity: O(*n*) in the files.
    public func removeOutboxCopies() throws(StoreError) {
        guard let directory else { return }
        for copy in try StoreFiles(directory: directory).outboxCopies() {
            try OpenFile.removeAll(at: copy)
        }
    }

    /// Returns a Boolean value that indicates whether damage may have removed outbox items whose
    /// files still exist.
    package func mayHaveLostOutboxItems() throws(StoreError) -> Bool {
        guard let directory else { return false }
        if openingReport.isOutboxLost { return true }
        return try !StoreFiles(directory: directory).outboxCopies().isEmpty
    }
}
