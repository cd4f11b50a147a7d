import Models
import Store

extension SyncCore {
    mutating func connect(as credentials: Credentials, _ ticket: Int) {
        guard let stored = storedUser else {
            let error = readFailure ?? SyncError(.store, "the stored user could not be read")
            return act(.fail(error, ticket: ticket))
        }
        if let user = stored, user.userID != credentials.userID {
            let error = SyncError(
                .otherUser,
                "the store belongs to \(user.userID): open another one for \(credentials.userID)")
            return act(.fail(error, ticket: ticket))
        }
        resetConnection()
        if let old = connectTicket {
            let error = SyncError(.canceled, "another call of connect(as:) has started")
            act(.fail(error, ticket: old))
        }
        connectTicket = ticket
        changeConnection(by: connector.begin(as: credentials))
    }

    /// The user of the store, or of the last connection if the row is damaged; `nil` if the store
    /// cannot be read.
    private var storedUser: User?? {
        mutating get {
            let stored = read { (reader) throws(StoreError) in try reader.storedUser() }
            if stored == nil, isHaltedByDamage, let user = state.user { return user }
            return stored
        }
    }

    mutating func disconnect() {
        let wasConnected = connector.end()
        resetConnection()
        // The engine of the next user may be using the backend.
        if wasConnected { act(.disconnect) }
        if let ticket = connectTicket.take() {
            act(
                .fail(
                    SyncError(.closed, "the client was disconnected during the request"),
                    ticket: ticket))
        }
    }

    mutating func changeConnection(by step: Connector.Step, atLeast duration: Duration? = nil) {
        switch step {
        case .connect(let credentials): call(CoreCall.Connect(credentials: credentials), .connect)
        case .wait(let attempt):
            let wait = Wait.connection(generation: connector.generation)
            act(.wait(wait, beforeAttempt: attempt, atLeast: duration))
        case .renew:
            act(.emit(.sessionExpired))
            act(.renewSession)
        case .disconnect: act(.disconnect)
        case .nothing: break
        }
    }

    mutating func goOnline(_ session: BackendSession) {
        connector.succeed()
        self.session = session
        isReplacementRefused = false
        state.user = session.user
        let hasNewEpoch = write { (ingest) throws(StoreError) in
            if try ingest.batch.storedUser() != session.user { ingest.batch.setUser(session.user) }
            if try ingest.batch.storedAppInfo() != session.appInfo {
                ingest.batch.setAppInfo(session.appInfo)
            }
            let last = try ingest.batch.lastEpoch()
            // On the first connection, the cache has no rows of an earlier epoch.
            guard let last else {
                ingest.batch.setLastEpoch(session.epoch)
                return false
            }
            if last != session.epoch {
                try ingest.recordLoss(.newEpoch, session.epoch)
            }
            return last != session.epoch
        }
        if hasNewEpoch == true { act(.emit(.historyLost(.newEpoch))) }
        backfill.begin()
        for url in (knownReactions?.needed ?? [:]).keys.sorted() { backfill.enqueue(url) }
        areLimitsDue = true
        isCatchingUp = true
        feedFailures = 0
        endItemsOfFormerEpochs()
        failUnsentItemsUnlessAutomatic()
        if let ticket = connectTicket.take() {
            act(.reply(ConnectOutcome.online(session.user), ticket: ticket))
        }
        requestFeedBatch()
    }

    func endsConnection(_ error: BackendError, _ call: Call) -> Bool {
        if case .connect = call.purpose { return true }
        return [.notConnected, .sessionExpired, .sessionRevoked].contains(error.code)
    }

    mutating func loseConnection(_ error: BackendError, _ call: Call) {
        for ticket in call.tickets { act(.fail(SyncError(error), ticket: ticket)) }
        resetConnection()
        let step = connector.fail(error)
        if let ticket = connectTicket.take() { answerConnecting(error, ticket) }
        guard connector.phase != .off else { return }
        changeConnection(by: step, atLeast: error.retryAfter)
    }

    /// With stored data, the user may continue offline after a failed attempt.
    mutating func answerConnecting(_ error: BackendError, _ ticket: Int) {
        guard let user = storedUser ?? nil, connector.phase != .revoked else {
            if connector.phase != .revoked { connector.end() }
            return act(.fail(SyncError(error), ticket: ticket))
        }
        state.user = user
        act(.reply(ConnectOutcome.offline(user, reason: error), ticket: ticket))
    }

    mutating func resetConnection() {
        state.isLive = false
        polling = FeedPolling()
        endTyping()
        backfill.end()
        outbox.reset()
        for (number, call) in calls.sorted(by: { $0.key < $1.key }) {
            act(.cancel(call: number))
            if let flight = call.flight { _ = flights.end(flight) }
            if let send = call.value as? CoreCall.Send {
                outbox.markPossiblySent(send.item.requestID)
            }
            for ticket in call.tickets {
                act(
                    .fail(
                        SyncError(.notConnected, "the connection was lost during the request"),
                        ticket: ticket))
            }
        }
        calls = [:]
        flights.voidAll()
        act(.stopWaiting)
        storeRetry.isWaiting = false
        failUnsentItemsUnlessAutomatic()
    }

    mutating func forgetCache() {
        (writeFailure, readFailure, cacheDamage) = (nil, nil, nil)
        flights.voidAll()
        if knownReactions != nil { knownReactions = KnownReactions() }
        unreadItems = nil
    }

    // MARK: Unread items

    mutating func countUnreadItems() {
        if unreadItems == nil, capabilities.contains(.unreadCounts) {
            do throws(StoreError) {
                unreadItems = try UnreadItems(in: snapshot())
            } catch {
                readFailure = SyncError(error)
            }
        }
        state.unreadCount = unreadItems?.total
    }
}

extension Connector {
    var connection: ConnectionState {
        switch phase {
        case .off: .offline
        case .connecting: .connecting
        case .waiting, .renewing: .waiting
        case .on: .online
        case .revoked: .revoked
        }
    }
}
