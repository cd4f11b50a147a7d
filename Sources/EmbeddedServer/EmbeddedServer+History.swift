public import Models

extension EmbeddedServer {
    /// Removes the messages older than a time, as a service with a retention period does.
    ///
    /// By default, the feed reports one `historyChanged` for each channel, and the changelogs
    /// report nothing. If `reportsDeletions` is true, both report the deletion of each message.
    ///
    /// - Throws: `serverFailure`.
    public func expireMessages(
        before time: Timestamp, reportsDeletions: Bool = false
    ) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.expireMessages(before: time, isReported: reportsDeletions)
        }
    }

    /// Makes all feed cursors and changelog tokens expire, as on a service that limits its log.
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

    /// Returns a copy of all data, in memory.
    ///
    /// The call throws `serverFailure` if the data cannot be read.
    public func backup() throws(BackendError) -> Backup {
        try perform { state throws(BackendError) in Backup(rows: try state.allRows()) }
    }

    /// Restores the server from a backup, also of another server.
    ///
    /// The server has a new epoch, so that all cursors and tokens have expired. Devices stay
    /// connected.
    ///
    /// - Throws: `serverFailure`; the server is then unchanged.
    public func restore(_ backup: Backup) throws(BackendError) {
        try perform { state throws(BackendError) in try state.restore(backup.rows) }
    }
}
