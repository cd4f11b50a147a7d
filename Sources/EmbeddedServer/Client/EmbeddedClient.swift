public import Models
public import Sync

/// A device of a user of an ``EmbeddedServer``.
///
/// Several devices may be connected at the same time, even of the same user. Only ``feed(since:)``
/// waits; all other calls respond immediately.
public final class EmbeddedClient: Backend {
    let server: EmbeddedServer
    let number: Int
    private let waits: Bool

    /// The capabilities that the server had when the client was created.
    public let capabilities: BackendCapabilities

    /// The time for which the server remembers request IDs, as set when the client was created.
    public let deduplicationPeriod: Duration?

    init(_ server: EmbeddedServer, _ number: Int, _ conditions: ServerConditions, waits: Bool) {
        self.server = server
        self.number = number
        capabilities = conditions.capabilities
        deduplicationPeriod = conditions.deduplicationPeriod
        self.waits = waits
    }

    deinit {
        // Disconnect a released client, so that it is no longer typing and its pending feed call
        // ends.
        let number = number
        server.withState { state in
            state.disconnect(number)
            state.wake()
        }
    }

    // MARK: The connection

    /// Connects a user, and adds the user if the user does not exist.
    ///
    /// - Throws: `sessionRevoked` if the token is wrong, if the user was revoked, or if the user
    ///   does not exist and only known users may connect.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try checkCancellation()
        let number = number
        return try server.perform { state throws(BackendError) in
            try state.connect(number, as: credentials)
        }
    }

    /// Ends the connection, and the pending feed call.
    public func disconnect() async {
        let number = number
        server.withState { state in
            state.disconnect(number)
            state.wake()
        }
    }

    // MARK: The feed

    /// Returns the next batch of events after a cursor.
    ///
    /// If there are missed events, the call returns immediately; otherwise it waits for an event.
    ///
    /// - Throws: `expired` if the cursor is too old or belongs to another epoch; `notConnected` if
    ///   the connection in which the call was made has ended, even if the device has connected
    ///   again since.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        var cursor = cursor
        var connection: Int?
        while true {
            try checkCancellation()
            switch try nextFeedStep(since: cursor, in: connection) {
            case .report(let batch): return batch
            case .wait(let next, let number):
                cursor = next
                connection = number
                try await wait(since: next, in: number)
            }
        }
    }

    private enum FeedStep: Sendable {
        case report(FeedBatch)
        case wait(FeedCursor, connection: Int)
    }

    /// Reads the feed in the connection with the given number; if the number is `nil`, in the
    /// current connection.
    private func nextFeedStep(
        since cursor: FeedCursor?, in connection: Int?
    ) throws(BackendError) -> FeedStep {
        let (number, waits) = (number, waits)
        return try server.perform { state throws(BackendError) in
            let session = try state.session(number, connection: connection)
            let wasLive = session.isLive
            var batch = try state.feed(for: session.userID, since: cursor, session: session)
            if capabilities.contains(.separateReactions) {
                batch.events = batch.events.map { event in
                    guard case .messageUpdated(let message) = event else { return event }
                    return .messageUpdated(withoutReactions(message))
                }
            }
            // Return a batch without events only if the device is not live yet, or becomes live
            // with this batch.
            let isReported = !batch.events.isEmpty || !batch.isLive || !wasLive
            return isReported || !waits
                ? .report(batch) : .wait(batch.cursor, connection: session.number)
        }
    }

    /// Waits until events after a cursor may exist.
    private func wait(
        since cursor: FeedCursor, in connection: Int
    ) async throws(BackendError) {
        let (server, number) = (server, number)
        let waitNumber = server.withState { $0.newNumber() }
        let wake = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Wake, Never>) in
                server.withState { state in
                    guard let session = state.sessions[number], session.number == connection
                    else {
                        return continuation.resume(returning: .failed(.notConnected))
                    }
                    // Only one feed call may wait, so cancel a call that is already waiting.
                    session.resume(.failed(.canceled))
                    // An event that happened before this call was registered does not wake it, so
                    // check for such an event now.
                    let hasMoved = state.feedHasMoved(session, since: cursor)
                    if Task.isCancelled || hasMoved || session.failure != nil {
                        return continuation.resume(returning: .checkAgain)
                    }
                    session.waiter = (waitNumber, continuation)
                }
            }
        } onCancel: {
            // Do not acquire the server's lock here: `cancel()` calls this closure while the
            // waiting task is locked, and the thread that holds the server's lock may be resuming
            // that task.
            Task { server.withState { $0.sessions[number]?.cancelWait(waitNumber) } }
        }
        if case .failed(let error) = wake { throw error }
    }

    // MARK: Requests

    /// Performs a request as the connected user.
    ///
    /// `epoch` is that of the message that the request names; `nil` if it is unknown, or if the
    /// request names no message.
    func ask<Result: Sendable>(
        _ capability: BackendCapabilities = [], of epoch: ServerEpoch? = nil,
        _ body: @Sendable (ServerState, Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try checkCancellation()
        let number = number
        guard capabilities.contains(capability) else {
            throw .lacking(capability)
        }
        return try server.perform { state throws(BackendError) in
            let session = try state.session(number)
            try state.checkEpoch(epoch)
            return try body(state, session)
        }
    }

    func checkCancellation() throws(BackendError) {
        if Task.isCancelled { throw .canceled }
    }
}

extension BackendError {
    static let canceled = BackendError(.canceled, "the task of the request was canceled")
}

extension ServerState {
    /// Returns a Boolean value that indicates whether events after a cursor may exist.
    func feedHasMoved(_ session: Session, since cursor: FeedCursor) -> Bool {
        guard let cursor = try? LogCursor(cursor.rawValue, counters) else {
            // The cursor is invalid; reading the feed throws the error.
            return true
        }
        return cursor.sequence < counters.sequence || session.hasPendingEvents
    }
}
