public import Models

// Changing a server's past: purging messages, expiring cursors, and restoring a backup.
extension EmbeddedServer {
    /// Removes the messages that were created before a time, as services with a retention period
    /// do.
    ///
    /// - Parameters:
    ///   - time: The creation time of the oldest message that stays.
    ///   - tellsDeletions: Whether the feed and the changelogs report each message as deleted. By
    ///     default the feed reports one `historyChanged` for each channel, and the changelogs
    ///     nothing.
    /// - Throws: `serverFailure`.
    public func expireMessages(
        before time: Timestamp, tellsDeletions: Bool = false
    ) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.expireMessages(before: time, isReported: tellsDeletions)
        }
    }

    /// Makes all feed cursors and changelog tokens expire, as services with limited logs do.
    ///
    /// - Throws: `serverFailure`.
    public func expireCursors() throws(BackendError) {
        try perform { state throws(BackendError) in try state.expireCursors() }
        withState { state in
            for session in state.sessions.values { session.resume(.lookAgain) }
        }
    }

    /// Makes all page cursors expire.
    ///
    /// - Throws: `serverFailure`.
    public func expirePageCursors() throws(BackendError) {
        try perform { state throws(BackendError) in state.expirePageCursors() }
    }

    /// Returns a copy of all data.
    ///
    /// - Returns: The copy.
    /// - Throws: `serverFailure`.
    /// - Complexity: O(*n*) in the amount of data, in time and memory.
    public func backup() throws(BackendError) -> Backup {
        try perform { state throws(BackendError) in Backup(rows: try state.allRows()) }
    }

    /// Restores the server from a backup.
    ///
    /// Messages, IDs and versions are those of the backup. The epoch is a new one: earlier cursors
    /// and tokens have expired. Devices stay connected.
    ///
    /// - Parameter backup: The result of ``backup()``, of this server or another one.
    /// - Throws: `serverFailure`; the server is unchanged then.
    public func restore(_ backup: Backup) throws(BackendError) {
        try perform { state throws(BackendError) in try state.restore(backup.rows) }
    }
}
