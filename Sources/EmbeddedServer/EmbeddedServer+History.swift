public import Models

// What becomes of a server's past: it is forgotten, cut off, or put back.
extension EmbeddedServer {
    /// Removes the messages that were created before a time, as services with a retention period do.
    ///
    /// - Parameters:
    ///   - time: The creation time of the oldest message that stays.
    ///   - tellsDeletions: Whether the feed and the changelogs report each message as deleted. By
    ///     default the feed reports one `historyChanged` for each channel, and the changelogs nothing.
    /// - Throws: `serverFailure`.
    public func expireMessages(
        before time: Timestamp, tellsDeletions: Bool = false
    ) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.expireMessages(before: time, tellsFeed: tellsDeletions)
        }
    }

    /// Makes the feed cursors and changelog tokens expire that were given so far, as services do that
    /// keep their log for some days.
    ///
    /// - Throws: `serverFailure`.
    public func expireCursors() throws(BackendError) {
        try perform { state throws(BackendError) in try state.expireCursors() }
        withState { state in
            for session in state.sessions.values { session.resume(.lookAgain) }
        }
    }

    /// Makes the page cursors expire that were given so far.
    ///
    /// - Throws: `serverFailure`.
    public func expirePageCursors() throws(BackendError) {
        try perform { state throws(BackendError) in state.expirePageCursors() }
    }

    /// Copies all that the server holds.
    ///
    /// - Returns: The copy.
    /// - Throws: `serverFailure`.
    /// - Complexity: O(*n*) in what there is, and as much memory.
    public func backup() throws(BackendError) -> Backup {
        try perform { state throws(BackendError) in Backup(rows: try state.allRows()) }
    }

    /// Puts the server back to what it was when a copy was made.
    ///
    /// Messages, ids and versions go back, and the epoch is one that there never was: cursors and
    /// tokens of before have expired. Devices stay connected.
    ///
    /// - Parameter backup: What ``backup()`` gave, of this server or another one.
    /// - Throws: `serverFailure`; then the server is as it was.
    public func restore(_ backup: Backup) throws(BackendError) {
        try perform { state throws(BackendError) in try state.restore(backup.rows) }
    }
}
