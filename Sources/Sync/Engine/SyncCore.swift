import Models
import Store

/// The state machine of an engine, with no tasks, clock or network access of its own.
///
/// A step takes an input, writes its consequences to the store, and returns the actions to perform
/// outside: calls to make, waits to begin, events to deliver. Each step reads the store again, so
/// that no decision depends on data read before a call.
struct SyncCore {
    /// An input of the state machine.
    enum Input: Sendable {
        /// A connection was requested.
        case connect(Credentials, ticket: Int)
        /// The connection was ended.
        case disconnect
        /// A new connection attempt is worthwhile at once, for example because the network is back.
        case reconnect
        /// New credentials of the user are available, or none.
        case renew(Credentials?)
        /// A call was answered.
        case answer(BackendAnswer, call: Int)
        /// A wait is over.
        case waited(Wait)
        /// A wait is pointless, because the maximum number of attempts has been reached.
        case gaveUp(Wait)
        /// A caller sends a question.
        case ask(SyncQuestion, ticket: Int)
        /// A caller waits until the engine has caught up, in one channel or in all.
        case awaitCaughtUp(ChannelURL?, ticket: Int)
        /// The caller that holds the ticket has stopped waiting.
        case abandon(ticket: Int)
        /// The store or the outbox changed without a call: something was written, withdrawn or
        /// imported.
        case changed
        /// A caller waits for the result of an outbox item.
        case deliveryResult(RequestID, ChannelURL, ticket: Int)
        /// A viewer shows a range of a channel's history, or another range than before.
        case show(ChannelURL, ShownRange?, viewer: Int)
        /// A viewer no longer shows the channel.
        case hide(ChannelURL, viewer: Int)
    }

    /// An action to perform outside.
    enum Action: Sendable {
        case call(BackendRequest, number: Int)
        case cancel(call: Int)
        /// Wait before the given attempt, counted from 1, at least as long as the server demands.
        case wait(Wait, beforeAttempt: Int, atLeast: Duration?)
        /// Cancel a wait.
        case cancelWait(Wait)
        /// Cancel all waits, and the renewal of credentials.
        case stopWaiting
        /// Let the backend end the connection.
        case disconnect
        /// Request new credentials from the application.
        case renewSession
        /// Remove the outbox's copies of files.
        case removeFiles([FileCopy])
        /// Remove all copies of files except these.
        case keepFiles([FileCopy])
        case emit(SyncEvent)
        case connected(User, BackendError?, ticket: Int)
        case reply(SyncReply, ticket: Int)
        case fail(SyncError, ticket: Int)
    }

    /// A reason to wait.
    ///
    /// The number is the connector's. A wait whose number is not the current one is obsolete.
    enum Wait: Hashable, Sendable {
        case connection(number: Int)
        case feed(number: Int)
        case healing(ChannelURL, number: Int)
        case outbox(ChannelURL, number: Int)
    }

    /// A call that has not been answered.
    struct Call {
        enum Purpose {
            case connect
            case feed(after: FeedToken?)
            case heal(ChannelURL, HealingStep, edge: Gap.Bound?)
            case newer(ChannelURL, edge: Gap.Bound?)
            /// The rest is looked up afterwards; when all are settled, the extent is no longer
            /// stale.
            case doubts(ChannelURL, PageExtent, rest: ArraySlice<MessageID>)
            case outbox(RequestID)
            case question(SyncQuestion, ticket: Int, attempt: Int)
        }
        let request: BackendRequest
        let purpose: Purpose
        /// The flight of the call, or `nil` for the feed and for connecting, which no other event
        /// overtakes.
        let flight: Flights.Flight?
    }

    let store: ChatStore
    let options: SyncOptions
    let limits: CacheLimits
    let capabilities: BackendCapabilities

    var connector = Connector()
    var state = SyncState()
    var flights = Flights()
    var calls: [Int: Call] = [:]
    var healing = Healing()
    var outbox = Outbox()
    /// The number of times each outbox item was passed to the backend since it was last saved.
    var attempts: [RequestID: Int] = [:]
    /// The tickets of the callers that wait for the result of an outbox item.
    var resultTickets: [RequestID: [Int]] = [:]
    var lastResults = LastDeliveryResults()
    /// The current time, as last set; see ``SyncOptions/outboxItemLifetime``.
    var time: Timestamp = 0
    /// The tickets that wait to be caught up, with their channels; `nil` means all channels.
    var waiting: [Int: ChannelURL?] = [:]
    /// A Boolean value that indicates whether there is a cursor from which the feed delivers
    /// changes.
    var hasFeedBegun = false
    /// A Boolean value that indicates whether the cache may have outgrown its limits.
    var areLimitsDue = false
    /// A Boolean value that indicates whether the feed delivers what was missed while there was no
    /// connection, and not live events.
    var isCatchingUp = true
    /// The channels that have changed since the engine began to catch up.
    var missedChannels: Set<ChannelURL> = []
    /// The number of failures since the feed last delivered something.
    var feedFailures = 0
    private var tombstoneCounts: [ChannelURL: Int] = [:]
    private var lastNumber = 0
    private var connectTicket: Int?
    private var actions: [Action] = []
    private var reportedState: SyncState?
    private var writeFailure: SyncError? { didSet { recordFailure() } }
    private(set) var readFailure: SyncError? { didSet { recordFailure() } }
    /// Damage that was found in the cache; it stays until the cache is cleared.
    var cacheDamage: SyncError? { didSet { recordFailure() } }

    init(
        _ store: ChatStore, _ options: SyncOptions, _ capabilities: BackendCapabilities,
        limits: CacheLimits = CacheLimits()
    ) {
        self.store = store
        self.options = options.clamped
        self.limits = limits
        self.capabilities = capabilities
    }

    /// Takes an input, and returns the actions that follow from it.
    mutating func step(_ input: Input) -> [Action] {
        handle(input)
        planOutbox()
        planHealing()
        answerWhoWaits()
        state.channelsLeft = healing.channelsLeft
        state.connection = connector.connection
        if state != reportedState {
            reportedState = state
            act(.emit(.state(state)))
        }
        defer { actions = [] }
        return actions
    }

    /// A Boolean value that indicates whether no call is on its way, and no caller waits, except
    /// for the feed.
    var isIdle: Bool {
        calls.values.allSatisfy(\.isOfFeed) && waiting.isEmpty
    }

    private mutating func handle(_ input: Input) {
        switch input {
        case .connect(let credentials, let ticket): connect(as: credentials, ticket)
        case .disconnect: disconnect()
        case .reconnect:
            healing.forgetFailures()
            perform(connector.retryAnew())
        case .renew(let credentials): perform(connector.renew(credentials))
        case .answer(let answer, let number): handle(answer, of: number)
        case .waited(let wait): handle(wait)
        case .gaveUp(let wait): giveUp(wait)
        case .ask(let question, let ticket): ask(question, ticket, attempt: 1)
        case .awaitCaughtUp(let url, let ticket):
            waiting[ticket] = .some(url)
            if let url { healing.examine(url, isWaitedFor: true) }
        case .abandon(let ticket): abandon(ticket)
        case .changed: break
        case .deliveryResult(let id, let url, let ticket): deliveryResult(of: id, in: url, ticket)
        case .show(let url, let range, let viewer):
            if healing.show(url, range, viewer) { recordAccess(to: url) }
        case .hide(let url, let viewer):
            healing.hide(url, viewer)
            if !isInUse(url), limits.retention != nil { areLimitsDue = true }
        }
    }

    private mutating func handle(_ wait: Wait) {
        switch wait {
        case .connection(let number):
            if number == connector.number { perform(connector.retry()) }
        case .feed(let number):
            if number == connector.number { startFeed() }
        case .healing(let url, let number):
            if number == connector.number { healing.resume(url) }
        case .outbox(let url, let number):
            if number == connector.number { outbox.setBusy(false, url) }
        }
    }

    /// Ends an operation whose wait was given up.
    private mutating func giveUp(_ wait: Wait) {
        switch wait {
        case .connection(connector.number), .feed(connector.number):
            connector.end()
            cutOff()
            act(.disconnect)
        case .healing(let url, connector.number): giveUp(on: url)
        case .outbox(let url, connector.number): giveUpSending(in: url)
        default: break
        }
    }

    // MARK: Acting

    mutating func act(_ action: Action) { actions.append(action) }

    /// Makes a call.
    mutating func call(_ request: BackendRequest, _ purpose: Call.Purpose) {
        lastNumber += 1
        var flight: Flights.Flight?
        switch request {
        case .connect, .feed: break
        default: flight = flights.begin(in: request.channelURL, isFollowed: hasFeedBegun)
        }
        calls[lastNumber] = Call(request: request, purpose: purpose, flight: flight)
        act(.call(request, number: lastNumber))
    }

    private mutating func handle(_ answer: BackendAnswer, of number: Int) {
        // A call that was canceled, or that belongs to an earlier connection, is ignored.
        guard let call = calls.removeValue(forKey: number) else { return }
        let interim = call.flight.map { flights.end($0) } ?? nil
        if case .failed(let error) = answer, endsConnection(error, call) {
            // All of these errors state that the item was not sent.
            if case .outbox(let id) = call.purpose { withdrawDoubt(of: id) }
            return loseConnection(error, call)
        }
        switch call.purpose {
        case .connect:
            if case .session(let session) = answer { begin(session) }
        case .feed(let token): handleFeed(answer, after: token)
        case .heal, .newer, .doubts: handleBackfill(answer, call, interim)
        case .outbox(let id): handleSending(answer, id, call, interim)
        case .question(let question, let ticket, let attempt):
            handle(answer, to: question, ticket, attempt, interim)
        }
    }

    /// Performs a write, and notes a failure of the store.
    ///
    /// - Returns: The result of the closure, or `nil` if nothing was written.
    @discardableResult
    mutating func write<Result>(_ body: (inout Ingest) throws(StoreError) -> Result) -> Result? {
        var result: Result?
        var newFlights = flights
        var newCounts = tombstoneCounts
        var endedItems: [(item: OutboxItem, result: DeliveryResult)] = []
        do {
            try store.write { batch in
                // Before the first connection, the user is the one of the last session.
                let userID = try state.user?.userID ?? batch.storedUserOrNil()?.userID
                var ingest = Ingest(
                    batch, options, userID, flights, tombstoneCounts: tombstoneCounts,
                    changes: outbox.changes)
                result = try body(&ingest)
                try removeUnkept(&ingest)
                newFlights = ingest.flights
                newCounts = ingest.tombstoneCounts
                endedItems = ingest.endedItems
            }
            flights = newFlights
            tombstoneCounts = newCounts
            writeFailure = nil
            readFailure = nil
            for (item, result) in endedItems { end(item, with: result) }
            return result
        } catch let error as StoreError {
            writeFailure = SyncError(error)
        } catch {
            writeFailure = SyncError(.store, "\(error)", cause: error)
        }
        // The cache may have been written with the messages while the outbox still has their items.
        if !endedItems.isEmpty { outbox.isCompared = false }
        return nil
    }

    /// Performs a read, and returns `nil` if it fails; the failure is noted.
    mutating func read<Result>(_ body: (Snapshot) throws(StoreError) -> Result) -> Result? {
        do throws(StoreError) {
            let result = try body(try snapshot())
            readFailure = nil
            return result
        } catch {
            readFailure = SyncError(error)
            return nil
        }
    }

    /// Returns a snapshot to read from.
    ///
    /// If the store could not reopen its files after a failure, they cannot be read until a write
    /// has reopened them. The method therefore attempts an empty write, because a caller that
    /// cannot read may never write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            // If the write fails, the snapshot fails with the same error.
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// Why the last write, or the last read, failed; `nil` if it did not.
    var lastFailure: SyncError? {
        // A successful read does not prove that the disk can be written.
        writeFailure ?? readFailure
    }

    private mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = lastFailure ?? cacheDamage
    }

    /// Returns a Boolean value that indicates whether the cache is damaged: retrying is of no use,
    /// and the outbox can still be used.
    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    /// A Boolean value that indicates whether the last read or write has failed because the cache
    /// is damaged.
    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }

    // MARK: The connection

    private mutating func connect(as credentials: Credentials, _ ticket: Int) {
        guard let stored = read({ (reader) throws(StoreError) in try reader.storedUser() }) else {
            let error = readFailure ?? SyncError(.store, "could not load the user of the store")
            return act(.fail(error, ticket: ticket))
        }
        if let user = stored, user.userID != credentials.userID {
            let message = "the store is of \(user.userID), not of \(credentials.userID)"
            return act(.fail(SyncError(.otherUser, message), ticket: ticket))
        }
        cutOff()
        if let old = connectTicket {
            act(.fail(SyncError(.canceled, "another user connects"), ticket: old))
        }
        connectTicket = ticket
        perform(connector.begin(as: credentials))
    }

    private mutating func disconnect() {
        connector.end()
        cutOff()
        act(.disconnect)
        if let ticket = connectTicket.take() {
            act(
                .fail(
                    SyncError(.closed, "the client was disconnected during the request"),
                    ticket: ticket))
        }
    }

    mutating func perform(_ step: Connector.Step, atLeast duration: Duration? = nil) {
        switch step {
        case .connect(let credentials, _):
            call(.connect(credentials), .connect)
        case .wait(let attempt, let number):
            act(.wait(.connection(number: number), beforeAttempt: attempt, atLeast: duration))
        case .renew:
            act(.emit(.sessionExpired))
            act(.renewSession)
        case .disconnect: act(.disconnect)
        case .nothing: break
        }
    }

    private mutating func begin(_ session: BackendSession) {
        connector.succeed()
        // If rows are still unreadable, the next read reports them again.
        cacheDamage = nil
        state.user = session.user
        let hasNewEpoch = write { (ingest) throws(StoreError) in
            if try ingest.batch.storedUser() != session.user { ingest.batch.setUser(session.user) }
            if try ingest.batch.storedAppInfo() != session.appInfo {
                ingest.batch.setAppInfo(session.appInfo)
            }
            let last = try ingest.batch.lastEpoch()
            // The first connection: there are no cached rows of an earlier epoch.
            guard let last else {
                ingest.batch.setLastEpoch(session.epoch)
                return false
            }
            if last != session.epoch { try ingest.lose(.newEpoch, session.epoch) }
            return last != session.epoch
        }
        if hasNewEpoch == true { act(.emit(.historyLost(.newEpoch))) }
        healing.begin()
        areLimitsDue = true
        isCatchingUp = true
        feedFailures = 0
        failUnsentItems()
        if let ticket = connectTicket.take() {
            act(.connected(session.user, nil, ticket: ticket))
        }
        startFeed()
    }

    /// Returns a Boolean value that indicates whether an error means that there is no connection
    /// any more, or that none was made.
    private func endsConnection(_ error: BackendError, _ call: Call) -> Bool {
        if case .connect = call.purpose { return error.code != .canceled }
        return [.notConnected, .sessionExpired, .sessionRevoked].contains(error.code)
    }

    private mutating func loseConnection(_ error: BackendError, _ call: Call) {
        if case .question(_, let ticket, _) = call.purpose {
            act(.fail(SyncError(error), ticket: ticket))
        }
        cutOff()
        let step = connector.fail(error)
        if let ticket = connectTicket.take() { answerConnecting(error, ticket) }
        guard connector.phase != .off else { return }
        perform(step, atLeast: error.retryAfter)
    }

    /// Reports a failed connection attempt: the stored user may continue offline, others may not.
    private mutating func answerConnecting(_ error: BackendError, _ ticket: Int) {
        let known = read { (reader) throws(StoreError) in try reader.storedUser() } ?? nil
        guard let user = known, connector.phase != .revoked else {
            if connector.phase != .revoked { connector.end() }
            return act(.fail(SyncError(error), ticket: ticket))
        }
        state.user = user
        state.unreadCount =
            read { (reader) throws(StoreError) in
                try reader.storedUnreadCount()
            } ?? nil
        act(.connected(user, error, ticket: ticket))
    }

    /// Ends all calls and waits.
    mutating func cutOff() {
        state.isLive = false
        healing.end()
        outbox.rest()
        for (number, call) in calls.sorted(by: { $0.key < $1.key }) {
            act(.cancel(call: number))
            if let flight = call.flight { _ = flights.end(flight) }
            if case .send(let item) = call.request { outbox.doubt(item.requestID) }
            if case .question(_, let ticket, _) = call.purpose {
                act(.fail(SyncError(.notConnected, "the connection ended"), ticket: ticket))
            }
        }
        calls = [:]
        flights.voidAll()
        act(.stopWaiting)
        failUnsentItems()
    }

    // MARK: Waiting callers

    private mutating func abandon(_ ticket: Int) {
        if let url = waiting.removeValue(forKey: ticket) {
            if let url, !waiting.values.contains(url) { healing.isWaitedForNoMore(url) }
        }
        if connectTicket == ticket { connectTicket = nil }
        for (id, tickets) in resultTickets where tickets.contains(ticket) {
            let others = tickets.filter { $0 != ticket }
            resultTickets[id] = others.isEmpty ? nil : others
        }
        for (number, call) in calls {
            guard case .question(_, ticket, _) = call.purpose else { continue }
            drop(number)
        }
    }

    /// Cancels a call and discards its answer.
    mutating func drop(_ number: Int) {
        guard let call = calls.removeValue(forKey: number) else { return }
        if let flight = call.flight { _ = flights.end(flight) }
        act(.cancel(call: number))
    }

    private mutating func answerWhoWaits() {
        guard !waiting.isEmpty else { return }
        for (ticket, url) in waiting.sorted(by: { $0.key < $1.key }) {
            let isDone =
                state.isLive && lastFailure == nil
                && (url.map { !healing.isLeft($0) } ?? healing.isDone)
            // A caller that waits for all channels waits, too, for the channels that are still
            // being filled.
            let error =
                (url.map { healing.failure(of: $0) } ?? (isDone ? healing.failure : nil))
                ?? (isDone ? nil : cacheDamage)
            guard isDone || error != nil else { continue }
            abandon(ticket)
            act(error.map { .fail($0, ticket: ticket) } ?? .reply(.caughtUp, ticket: ticket))
        }
    }
}

extension Connector {
    var connection: SyncState.Connection {
        switch phase {
        case .off: .offline
        case .connecting: .connecting
        case .waiting, .renewing: .waiting
        case .on: .online
        case .revoked: .revoked
        }
    }
}
