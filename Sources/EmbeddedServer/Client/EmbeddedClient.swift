public import Models
public import Sync

/// A device of a user of an ``EmbeddedServer``.
///
/// Even a single user may have several connected devices. Only ``feed(since:)`` waits.
public final class EmbeddedClient: Backend {
    let connection: EmbeddedConnection
    private let waits: Bool

    private var server: EmbeddedServer { connection.server }
    var number: Int { connection.number }

    /// The capabilities that the server had when the client was created.
    public var capabilities: BackendCapabilities { connection.capabilities }

    /// The time for which the server remembered request IDs when the client was created.
    public let deduplicationPeriod: Duration?

    /// The requests that the server supports, including those of ``EmbeddedServer/on(_:_:)``.
    public let requests: RequestHandlers

    init(_ server: EmbeddedServer, _ number: Int, _ conditions: ServerConditions, waits: Bool) {
        connection = EmbeddedConnection(
            server: server, number: number, capabilities: conditions.capabilities)
        requests = connection.makeRequests()
        deduplicationPeriod = conditions.deduplicationPeriod
        self.waits = waits
    }

    /// A released client is no longer typing, and its pending feed call ends.
    deinit { endSession() }

    // MARK: The connection

    /// Connects a user, who is added if necessary.
    ///
    /// - Throws: `sessionRevoked` if the token is wrong, the user was revoked, or only known users
    ///   may connect.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try connection.checkCancellation()
        let number = number
        return try server.perform { state throws(BackendError) in
            try state.connect(number, as: credentials)
        }
    }

    /// Ends the connection, and the pending feed call.
    public func disconnect() async { endSession() }

    private func endSession() {
        let number = number
        server.withState { state in
            state.disconnect(number)
            state.wake()
        }
    }

    // MARK: The feed

    /// Returns the next batch of events after a cursor, or waits for one.
    ///
    /// - Throws: `expired` if the cursor is too old or of another epoch; `notConnected` if the
    ///   call's connection has ended, even if the device has reconnected.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        var cursor = cursor
        var session: Int?
        while true {
            try connection.checkCancellation()
            switch try nextFeedStep(since: cursor, in: session) {
            case .report(let batch): return batch
            case .wait(let next, let number):
                cursor = next
                session = number
                try await wait(since: next, in: number)
            }
        }
    }

    private enum FeedStep: Sendable {
        case report(FeedBatch)
        case wait(FeedCursor, connection: Int)
    }

    /// Reads the feed in the connection with a number; `nil` for the current one.
    private func nextFeedStep(
        since cursor: FeedCursor?, in connectionNumber: Int?
    ) throws(BackendError) -> FeedStep {
        let (connection, number, waits) = (connection, number, waits)
        return try server.perform { state throws(BackendError) in
            let session = try state.session(number, connection: connectionNumber)
            let wasLive = session.isLive
            var batch = try state.feed(for: session.userID, since: cursor, session: session)
            if capabilities.contains(.separateReactions) {
                batch.events = batch.events.map { event in
                    guard case .messageUpdated(let message) = event else { return event }
                    return .messageUpdated(connection.withoutReactions(message))
                }
            }
            // Return an empty batch only if the device is not live yet, or becomes live with it.
            let isReported = !batch.events.isEmpty || !batch.isLive || !wasLive
            return isReported || !waits
                ? .report(batch) : .wait(batch.cursor, connection: session.number)
        }
    }

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
                    // Only one feed call may wait.
                    session.resume(.failed(.canceled))
                    let hasMoved = state.feedHasMoved(session, since: cursor)
                    if Task.isCancelled || hasMoved || session.failure != nil {
                        return continuation.resume(returning: .checkAgain)
                    }
                    session.waiter = (waitNumber, continuation)
                }
            }
        } onCancel: {
            // Do not acquire the server's lock here: `cancel()` calls this closure with the waiting
            // task locked, and the holder of the server's lock may be resuming that task.
            Task { server.withState { $0.sessions[number]?.cancelWait(waitNumber) } }
        }
        if case .failed(let error) = wake { throw error }
    }
}

extension BackendError {
    static let canceled = BackendError(.canceled, "the task of the request was canceled")
}

extension ServerState {
    func feedHasMoved(_ session: Session, since cursor: FeedCursor) -> Bool {
        guard let cursor = try? LogCursor(cursor.rawValue, counters) else {
            // Reading the feed throws the error.
            return true
        }
        return cursor.sequence < counters.sequence || session.hasPendingEvents
    }
}
