public import Models
public import Sync

/// One device of a user of an ``EmbeddedServer``.
///
/// Any number of them may be there at a time, also of one user. Each call but ``feed(since:)`` answers
/// without waiting for anything.
public final class EmbeddedClient: Backend {
    let server: EmbeddedServer
    let number: Int
    private let waits: Bool

    /// What the server could do when the client was made.
    public let capabilities: BackendCapabilities

    init(
        _ server: EmbeddedServer, _ number: Int, _ capabilities: BackendCapabilities, waits: Bool
    ) {
        self.server = server
        self.number = number
        self.capabilities = capabilities
        self.waits = waits
    }

    deinit {
        // A device that is gone types and waits no more.
        let number = number
        server.withState { state in
            state.disconnect(number)
            state.wake()
        }
    }

    // MARK: The connection

    /// Lets a user in, who is added if there is no such user yet.
    ///
    /// - Throws: `sessionRevoked` if the token is wrong, the user was revoked, or only users who were
    ///   added may connect.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try checkCancellation()
        let number = number
        return try server.perform { state throws(BackendError) in
            try state.connect(number, as: credentials)
        }
    }

    /// Ends the connection, and with it the feed that waits.
    public func disconnect() async {
        let number = number
        server.withState { state in
            state.disconnect(number)
            state.wake()
        }
    }

    // MARK: The feed

    /// Tells what comes after a cursor: at once if something was missed, else when it happens.
    ///
    /// - Throws: `expired` if the cursor is too old, or of another epoch; `notConnected` if the
    ///   connection in which it was called has ended, even if there is another one.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        var cursor = cursor
        var connection: Int?
        while true {
            try checkCancellation()
            switch try look(since: cursor, in: connection) {
            case .tell(let batch): return batch
            case .wait(let next, let number):
                cursor = next
                connection = number
                try await wait(since: next, in: number)
            }
        }
    }

    private enum Look: Sendable {
        case tell(FeedBatch)
        case wait(FeedCursor, connection: Int)
    }

    /// Looks at the feed in one connection; in that of now, if none is named.
    private func look(
        since cursor: FeedCursor?, in connection: Int?
    ) throws(BackendError) -> Look {
        let (number, waits) = (number, waits)
        return try server.perform { state throws(BackendError) in
            let session = try state.session(number, connection: connection)
            let wasLive = session.isLive
            let batch = try state.feed(for: session.userID, since: cursor, session: session)
            // Whoever is live already need not hear that nothing has happened.
            let isNews = !batch.events.isEmpty || !batch.isLive || !wasLive
            return isNews || !waits
                ? .tell(batch) : .wait(batch.cursor, connection: session.number)
        }
    }

    /// Waits until there may be something behind a cursor.
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
                    // One call at a time: the one that waited gives way.
                    session.resume(.failed(.canceled))
                    // What happened since the look is not told by a wake.
                    let isBehind = state.feedHasMoved(session, since: cursor)
                    if Task.isCancelled || isBehind || session.failure != nil {
                        return continuation.resume(returning: .lookAgain)
                    }
                    session.waiter = (waitNumber, continuation)
                }
            }
        } onCancel: {
            // Not within `cancel()`, which has locked the task: who has the server's lock may be waking it.
            Task { server.withState { $0.sessions[number]?.cancelWait(waitNumber) } }
        }
        if case .failed(let error) = wake { throw error }
    }

    // MARK: Asking the server

    /// Does a request as the user who is connected.
    func ask<Result: Sendable>(
        _ capability: BackendCapabilities = [],
        _ body: @Sendable (ServerState, Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try checkCancellation()
        let number = number
        guard capabilities.contains(capability) else {
            throw .lacking(capability)
        }
        return try server.perform { state throws(BackendError) in
            try body(state, try state.session(number))
        }
    }

    func checkCancellation() throws(BackendError) {
        if Task.isCancelled { throw .canceled }
    }
}

extension BackendError {
    static let canceled = BackendError(.canceled, "the task was canceled")
}

extension ServerState {
    /// Whether something may have happened since a feed was looked at.
    func feedHasMoved(_ session: Session, since cursor: FeedCursor) -> Bool {
        guard let place = try? LogCursor(cursor.rawValue, counters) else {
            // A cursor that is no good is told by looking.
            return true
        }
        return place.sequence < counters.sequence || session.hasNews
    }
}
