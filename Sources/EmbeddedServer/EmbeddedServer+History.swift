public import Models

// Operations that change the server's past: removing messages, expiring cursors, and restoring a
// backup.
extension EmbeddedServer {
    /// Removes the messages that are older than a time, as a service with a retention period does.
    ///
    /// - Parameters:
    ///   - time: The creation time of the oldest message that is kept.
    ///   - reportsDeletions: A Boolean value that indicates whether the feed and the changelogs
    ///     report the deletion of each message. By default, the feed reports one `historyChanged`
    ///     for each channel, and the changelogs report nothing.
    /// - Throws: `serverFailure`.
    public func expireMessages(
        before time: Timestamp, reportsDeletions: Bool = false
    ) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.expireMessages(before: time, isReported: reportsDeletions)
        }
    }

    /// Makes all feed cursors and changelog tokens expire, as on a service that keeps its log only
    /// for a limited time.
    ///
    /// - Throws: `serverFailure`.
    public func expireCursors() throws(BackendError) {
        try perform { state throws(BackendError) in try state.expireCursors() }
        withState { state in
            for session in state.sessions.values { session.resume(.checkAgain) }
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
    /// Messages, IDs and versions are then those of the backup. The server has a new epoch, so that
    /// all cursors and tokens have expired. Devices stay connected.
    ///
    /// - Parameter backup: The result of ``backup()``, of this server or another one.
    /// - Throws: `serverFailure`; the server is then unchanged.
    public func restore(_ backup: Backup) throws(BackendError) {
        try perform { state throws(BackendError) in try state.restore(backup.rows) }
    }
}
