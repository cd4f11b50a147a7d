import Models
import Store

/// The state machine of an engine, without tasks, a clock or network access.
///
/// Each step processes an input, writes to the store, and returns the actions that the engine must
/// perform: calls, waits and events. A step reads the data that it needs from the store. Therefore
/// no decision depends on data that was read before a call, and may be outdated.
struct SyncCore {
    /// An input of the state machine.
    enum Input: Sendable {
        /// The app requests a connection.
        case connect(Credentials, ticket: Int)
        /// The app ends the connection.
        case disconnect
        /// An attempt to connect should be made immediately, for example because the network is
        /// available again.
        case reconnect
        /// The app has answered the request for new credentials; `nil` if it has none.
        case renew(Credentials?)
        /// The backend has answered a call.
        case answer(CallResult, call: Int)
        /// A wait has ended.
        case waited(Wait)
        /// The maximum number of attempts was reached, so the engine does not wait for another one.
        case gaveUp(Wait)
        /// A caller of the engine makes a call.
        case make(any CallerCall, ticket: Int)
        /// A caller of the engine requests a page of messages or replies, which is stored.
        ///
        /// Observers are notified with the given source of the change.
        case fetch(PageRequest, CollectionEventSource, ticket: Int)
        /// A caller waits until the engine has caught up in a channel or, if the URL is `nil`, in
        /// all channels.
        case awaitCaughtUp(ChannelURL?, ticket: Int)
        /// A caller no longer waits, because its task was canceled.
        case abandon(ticket: Int)
        /// The store or the outbox was changed without a call of the backend: the user wrote or
        /// canceled something, or messages were imported.
        case changed
        /// A caller waits for the result of an outbox item.
        case deliveryResult(RequestID, ChannelURL, ticket: Int)
        /// A viewer's visible range has changed.
        case show(ChannelURL, ShownRange?, viewer: Int)
        /// A viewer no longer shows the channel.
        case hide(ChannelURL, viewer: Int)
    }

    /// An action that the engine performs for the core.
    enum Action: Sendable {
        case call(any BackendCall, number: Int)
        case cancel(call: Int)
        /// Wait before an attempt, at least as long as the server demands.
        ///
        /// Attempts are counted from 1.
        case wait(Wait, beforeAttempt: Int, atLeast: Duration?)
        case cancelWait(Wait)
        /// Cancel all waits, and the request for new credentials.
        case stopWaiting
        /// Tell the backend to end the connection.
        case disconnect
        /// Request new credentials from the app.
        case renewSession
        /// Remove the given copies of files from the outbox.
        case removeFiles([FileCopy])
        /// Remove all copies of files from the outbox, except for the given ones.
        case keepFiles([FileCopy])
        case emit(SyncEvent)
        case connected(User, BackendError?, ticket: Int)
        case reply(any Sendable, ticket: Int)
        case fail(SyncError, ticket: Int)
    }

    /// A delay before an attempt.
    ///
    /// The generation is the connector's. If a delay of an earlier generation ends, it is ignored.
    enum Wait: Hashable, Sendable {
        case connection(generation: Int)
        case feed(generation: Int)
        /// The wait before the next request of a feed that returns empty batches at once or, while
        /// such a request is in flight, the time for which callers wait for its answer.
        case poll(generation: Int)
        case backfill(ChannelURL, generation: Int)
        case outbox(ChannelURL, generation: Int)
        /// The time for which a report of typing users is valid.
        case typing(ChannelURL, number: Int)
        /// A delay after which files that could not be read or written are opened again.
        case store

        /// A Boolean value that indicates whether the wait follows a failure, so that its duration
        /// grows with each attempt.
        var followsFailure: Bool {
            switch self {
            case .connection, .feed, .backfill, .outbox, .store: true
            case .poll, .typing: false
            }
        }
    }

    /// A call that has no answer yet.
    struct Call {
        enum Purpose {
            case connect
            case feed(after: FeedToken?)
            /// A page for a backfill, for callers, or for both.
            case page(PageFetch)
            /// A page of a channel's message changelog, for a backfill.
            case changes
            /// A lookup of stored messages that a page did not contain.
            ///
            /// When the messages of `rest` have also been looked up, the page's extent is no longer
            /// stale.
            case lookup(ChannelURL, PageExtent, rest: ArraySlice<MessageID>)
            /// The reactions of shown messages.
            case reactions
            case outbox(RequestID)
            case caller(any CallerCall, ticket: Int, attempt: Int)
        }
        let value: any BackendCall
        var purpose: Purpose
        /// The key to the changes that are stored between the request and the answer.
        ///
        /// It is `nil` for `connect` and `feed`, because no event can arrive before their answers.
        let flight: Flights.Flight?

        /// The tickets of the callers that wait for the answer.
        var tickets: [Int] {
            switch purpose {
            case .caller(_, let ticket, _): [ticket]
            case .page(let fetch): fetch.callers.map(\.ticket)
            case .connect, .feed, .changes, .lookup, .reactions, .outbox: []
            }
        }
    }

    let store: ChatStore
    let options: SyncOptions
    let limits: CacheLimits
    let capabilities: BackendCapabilities
    /// See ``Backend/deduplicationPeriod``.
    let deduplicationPeriod: Duration?
    /// The requests that may be in the outbox.
    let requestTypes: [any BackendRequest.Type]

    var connector = Connector()
    var state = SyncState()
    var flights = Flights()
    /// The messages whose reactions are complete; `nil` if the server returns messages with their
    /// reactions.
    private(set) var knownReactions: KnownReactions?
    var calls: [Int: Call] = [:]
    var backfill = Backfill()
    var outbox = Outbox()
    /// The number of times that each outbox item was passed to the backend since it was last saved.
    var attempts: [RequestID: Int] = [:]
    /// The tickets of the callers that wait for the result of an outbox item.
    var resultTickets: [RequestID: [Int]] = [:]
    var lastResults = LastDeliveryResults()
    /// The device's time, set by the engine before each step.
    var time: Timestamp = 0
    /// The channels that callers of `caughtUp` wait for, by ticket; `nil` for all channels.
    var waiting: [Int: ChannelURL?] = [:]
    /// A Boolean value that indicates whether a feed cursor is stored, so that the feed reports all
    /// later changes.
    var hasFeedBegun = false
    /// A Boolean value that indicates whether the cache may have outgrown its limits.
    var areLimitsDue = false
    /// A Boolean value that indicates whether the feed reports events that happened without a
    /// connection, rather than live events.
    var isCatchingUp = true
    /// The channels that have changed since the engine began to catch up.
    var missedChannels: Set<ChannelURL> = []
    /// The channels in which the feed has reported typing users.
    var typing = TypingChannels()
    /// The number of failures since the feed last reported a batch.
    var feedFailures = 0
    var polling = FeedPolling()
    /// The unread items of each stored channel; `nil` until they are read from the store.
    private var unreadItems: UnreadItems?
    private var lastNumber = 0
    private var connectTicket: Int?
    private var actions: [Action] = []
    private var reportedState: SyncState?
    /// The session of the last connection.
    private(set) var session: BackendSession?
    /// A Boolean value that indicates whether the store has refused to replace the cache again.
    var isReplacementRefused = false
    var writeFailure: SyncError? { didSet { recordFailure() } }
    var readFailure: SyncError? { didSet { recordFailure() } }
    var storeRetry = StoreRetry()
    /// The damage found in the cache; kept until the cache is cleared or replaced.
    var cacheDamage: SyncError? { didSet { recordFailure() } }

    init(
        _ store: ChatStore, _ options: SyncOptions, _ capabilities: BackendCapabilities,
        deduplicationPeriod: Duration? = nil, limits: CacheLimits = CacheLimits(),
        requestTypes: [any BackendRequest.Type] = StandardRequests.types
    ) {
        self.store = store
        self.options = options.clamped
        self.limits = limits
        self.capabilities = capabilities
        knownReactions = capabilities.contains(.separateReactions) ? KnownReactions() : nil
        self.deduplicationPeriod = deduplicationPeriod
        self.requestTypes = requestTypes
    }

    /// Processes an input, and returns the resulting actions.
    mutating func step(_ input: Input) -> [Action] {
        handle(input)
        plan()
        if replaceDamagedCache() { plan() }
        answerWaitingCallers()
        state.channelsLeft = backfill.channelsLeft
        state.connection = connector.connection
        if state != reportedState {
            reportedState = state
            act(.emit(.state(state)))
        }
        defer { actions = [] }
        return actions
    }

    private mutating func plan() {
        planOutbox()
        planBackfill()
        countUnreadItems()
        planStoreRetry()
    }

    /// A Boolean value that indicates whether no caller waits until the engine has caught up, and
    /// no call is in flight except the feed's.
    var isIdle: Bool {
        calls.values.allSatisfy(\.isOfFeed) && waiting.isEmpty
    }

    private mutating func handle(_ input: Input) {
        switch input {
        case .connect(let credentials, let ticket): connect(as: credentials, ticket)
        case .disconnect: disconnect()
        case .reconnect:
            backfill.clearFailures()
            perform(connector.retryNow())
            pollNow()
        case .renew(let credentials): perform(connector.renew(credentials))
        case .answer(let answer, let number): handle(answer, of: number)
        case .waited(let wait): handle(wait)
        case .gaveUp(let wait): handleLastAttempt(wait)
        case .make(let call, let ticket): make(call, ticket, attempt: 1)
        case .fetch(let request, let source, let ticket):
            fetch(request, for: PageFetch.Caller(ticket: ticket, attempt: 1, source: source))
        case .awaitCaughtUp(let url, let ticket):
            waiting[ticket] = .some(url)
            pollForCallers()
            if let url { backfill.examine(url, isAwaited: true) }
        case .abandon(let ticket): abandon(ticket)
        case .changed: break
        case .deliveryResult(let id, let url, let ticket): deliveryResult(of: id, in: url, ticket)
        case .show(let url, let range, let viewer):
            if backfill.show(url, range, viewer) {
                recordAccess(to: url)
                pollNow()
            }
        case .hide(let url, let viewer):
            backfill.hide(url, viewer)
            if !isInUse(url), limits.retention != nil { areLimitsDue = true }
        }
    }

    private mutating func handle(_ wait: Wait) {
        switch wait {
        case .connection(let generation):
            if generation == connector.generation { perform(connector.retry()) }
        case .feed(let generation):
            if generation == connector.generation { startFeed() }
        case .poll(let generation):
            if generation == connector.generation { endPollWait() }
        case .backfill(let url, let generation):
            if generation == connector.generation { backfill.resume(url) }
        case .outbox(let url, let generation):
            if generation == connector.generation { outbox.setBusy(false, url) }
        case .typing(let url, _): endTyping(in: url, after: wait)
        case .store: retryStore()
        }
    }

    /// Ends the work whose last attempt has failed.
    private mutating func handleLastAttempt(_ wait: Wait) {
        switch wait {
        case .connection(connector.generation), .feed(connector.generation):
            connector.end()
            cancelCallsAndWaits()
            act(.disconnect)
        case .backfill(let url, connector.generation): stopAfterLastAttempt(url)
        case .outbox(let url, connector.generation): giveUpSending(in: url)
        // The next write opens the files again.
        case .store: break
        default: break
        }
    }

    // MARK: Acting

    mutating func act(_ action: Action) { actions.append(action) }

    mutating func call(_ call: any BackendCall, _ purpose: Call.Purpose) {
        lastNumber += 1
        var flight: Flights.Flight?
        switch call {
        case is CoreCall.Connect, is CoreCall.Feed: break
        case is SearchMessages: flight = flights.begin(in: nil, isFollowed: false, isSearch: true)
        default: flight = flights.begin(in: call.channel, isFollowed: hasFeedBegun)
        }
        calls[lastNumber] = Call(value: call, purpose: purpose, flight: flight)
        act(.call(call, number: lastNumber))
    }

    private mutating func handle(_ answer: CallResult, of number: Int) {
        // Ignore the answers of canceled calls and of earlier connections.
        guard let call = calls.removeValue(forKey: number) else { return }
        let interim = call.flight.map { flights.end($0) } ?? nil
        if case .failure(let error) = answer, endsConnection(error, call) {
            // If an error ends the connection, the item has not reached the server.
            if case .outbox(let id) = call.purpose { clearDoubtfulMark(of: id) }
            return loseConnection(error, call)
        }
        switch call.purpose {
        case .connect:
            if case .success(let session) = answer.of(CoreCall.Connect.self) { begin(session) }
        case .feed(let token): handleFeed(answer.of(CoreCall.Feed.self), after: token)
        case .page(let fetch): handlePage(answer.of(CoreCall.Messages.self), fetch, interim)
        case .changes, .lookup, .reactions: handleBackfill(answer, call, interim)
        case .outbox(let id):
            handleSending(answer, id, call, interim)
            pollNow()
        case .caller(let made, let ticket, let attempt):
            handle(answer, to: made, ticket, attempt, interim)
        }
        if let knownReactions, let url = call.value.channel,
            backfill.isShown(url) || knownReactions.needed[url] != nil
        {
            // The answer may contain shown messages, whose reactions have to be requested.
            backfill.examine(url)
        }
    }

    /// Writes to the store, and records whether the store has failed.
    ///
    /// - Returns: The result of the closure; `nil` if nothing was written.
    @discardableResult
    mutating func write<Result>(_ body: (inout Ingest) throws(StoreError) -> Result) -> Result? {
        var result: Result?
        var newFlights = flights
        var reactionChanges: [KnownReactions.Change] = []
        var endedItems: [(item: OutboxItem, result: DeliveryResult)] = []
        var addedChannels: [ChannelURL] = []
        var dividedChannels: [ChannelURL] = []
        var newUnreadItems = unreadItems
        do {
            try store.write { batch in
                // Before the engine has connected, the user is the stored one of the last session.
                var user = state.user
                if user == nil {
                    user = try batch.unlessDamaged { () throws(StoreError) in
                        try batch.storedUser()
                    }
                }
                var ingest = Ingest(
                    batch, options, user?.userID, flights,
                    hasSeparateReactions: knownReactions != nil,
                    changes: outbox.changes)
                result = try body(&ingest)
                try removeMessagesThatMustNotBeCached(&ingest)
                newFlights = ingest.flights
                reactionChanges = ingest.reactionChanges ?? []
                endedItems = ingest.endedItems
                addedChannels = ingest.addedChannels
                dividedChannels = ingest.dividedChannels
                newUnreadItems?.update(ingest.batch.savedGroupChannels)
            }
            flights = newFlights
            unreadItems = newUnreadItems
            knownReactions?.apply(reactionChanges)
            writeFailure = nil
            readFailure = nil
            for (item, result) in endedItems { end(item, with: result) }
            // A viewer may have shown the channel before the user lost it, or before it was stored.
            for url in addedChannels where backfill.isShown(url) {
                backfill.examine(url, isNew: true)
            }
            for url in dividedChannels where backfill.isShown(url) { backfill.examine(url) }
            return result
        } catch let error as StoreError {
            writeFailure = SyncError(error)
        } catch {
            writeFailure = SyncError(.store, "a write failed: \(error)", cause: error)
        }
        recoverFromFailedWrite(reactionChanges, hasEndedItems: !endedItems.isEmpty)
        return nil
    }

    /// Prepares for a cache that a failed write has changed, because it failed only in the outbox's
    /// database.
    private mutating func recoverFromFailedWrite(
        _ reactionChanges: [KnownReactions.Change], hasEndedItems: Bool
    ) {
        // The changes that answers to requests in flight have to be compared with are unknown.
        flights.voidAll()
        unreadItems = nil
        knownReactions?.apply(reactionChanges.filter(\.isRemoval))
        // The cache may have new gaps.
        backfill.enqueueInUse()
        // The cache may contain the messages of items that are still in the outbox. Compare the
        // items with the cache again.
        if hasEndedItems { outbox.areFailedItemsChecked = false }
    }

    /// Writes to the store like `write(_:)`.
    ///
    /// If nothing was written, throws the failure of the store or, if there is none, an error with
    /// code `store` and the given message.
    @discardableResult
    mutating func write<Result>(
        orFail message: String, _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else { throw state.failure ?? SyncError(.store, message) }
        return result
    }

    /// Reads from the store, and records whether the store has failed.
    ///
    /// - Returns: The result of the closure; `nil` if the read failed.
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
    /// If the store could not reopen its files after a failed write, only another write reopens
    /// them. A caller that cannot read may never write, so this method then attempts an empty
    /// write.
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

    /// The error of the last write or, if the last write succeeded, of the last read; `nil` if both
    /// succeeded.
    var lastFailure: SyncError? {
        // Prefer the failure of a write: a successful read does not prove that the disk can be
        // written.
        writeFailure ?? readFailure
    }

    private mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = lastFailure ?? cacheDamage
    }

    /// Returns a Boolean value that indicates whether an error means that the cache is damaged.
    ///
    /// A retry would then fail too, while the outbox remains usable.
    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    /// A Boolean value that indicates whether the last read or write has failed because the cache
    /// is damaged.
    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }

    // MARK: The connection

    private mutating func connect(as credentials: Credentials, _ ticket: Int) {
        guard let stored = read({ (reader) throws(StoreError) in try reader.storedUser() }) else {
            let error = readFailure ?? SyncError(.store, "the stored user could not be read")
            return act(.fail(error, ticket: ticket))
        }
        if let user = stored, user.userID != credentials.userID {
            let error = SyncError(
                .otherUser,
                "the store belongs to \(user.userID): open another one for \(credentials.userID)")
            return act(.fail(error, ticket: ticket))
        }
        cancelCallsAndWaits()
        if let old = connectTicket {
            let error = SyncError(.canceled, "another call of connect(as:) has started")
            act(.fail(error, ticket: old))
        }
        connectTicket = ticket
        perform(connector.begin(as: credentials))
    }

    private mutating func disconnect() {
        connector.end()
        cancelCallsAndWaits()
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

    private mutating func begin(_ session: BackendSession) {
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
            if last != session.epoch { try ingest.recordLoss(.newEpoch, session.epoch) }
            return last != session.epoch
        }
        if hasNewEpoch == true { act(.emit(.historyLost(.newEpoch))) }
        backfill.begin()
        for url in (knownReactions?.needed ?? [:]).keys.sorted() { backfill.examine(url) }
        areLimitsDue = true
        isCatchingUp = true
        feedFailures = 0
        endItemsOfFormerEpochs()
        failUnsentItems()
        if let ticket = connectTicket.take() {
            act(.connected(session.user, nil, ticket: ticket))
        }
        startFeed()
    }

    /// Returns a Boolean value that indicates whether an error means that the connection was lost
    /// or could not be established.
    private func endsConnection(_ error: BackendError, _ call: Call) -> Bool {
        if case .connect = call.purpose { return error.code != .canceled }
        return [.notConnected, .sessionExpired, .sessionRevoked].contains(error.code)
    }

    private mutating func loseConnection(_ error: BackendError, _ call: Call) {
        for ticket in call.tickets { act(.fail(SyncError(error), ticket: ticket)) }
        cancelCallsAndWaits()
        let step = connector.fail(error)
        if let ticket = connectTicket.take() { answerConnecting(error, ticket) }
        guard connector.phase != .off else { return }
        perform(step, atLeast: error.retryAfter)
    }

    /// Answers the caller of `connect` after a failed attempt.
    ///
    /// If the store has the user's data, the user may continue offline. Otherwise, the call fails.
    private mutating func answerConnecting(_ error: BackendError, _ ticket: Int) {
        let known = read { (reader) throws(StoreError) in try reader.storedUser() } ?? nil
        guard let user = known, connector.phase != .revoked else {
            if connector.phase != .revoked { connector.end() }
            return act(.fail(SyncError(error), ticket: ticket))
        }
        state.user = user
        act(.connected(user, error, ticket: ticket))
    }

    mutating func cancelCallsAndWaits() {
        state.isLive = false
        polling = FeedPolling()
        endTyping()
        backfill.end()
        outbox.reset()
        for (number, call) in calls.sorted(by: { $0.key < $1.key }) {
            act(.cancel(call: number))
            if let flight = call.flight { _ = flights.end(flight) }
            if let send = call.value as? CoreCall.Send {
                outbox.markDoubtful(send.item.requestID)
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
        failUnsentItems()
    }

    /// Forgets the failures, and what the engine knows about the rows, of a cache that was replaced.
    mutating func forgetCache() {
        (writeFailure, readFailure, cacheDamage) = (nil, nil, nil)
        flights.voidAll()
        if knownReactions != nil { knownReactions = KnownReactions() }
        discardUnreadItems()
    }

    // MARK: Unread items

    /// Sets the unread count of the state to the sum over the stored channels.
    ///
    /// The sum is unknown until the store has all channels of the user.
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

    /// Reads the unread items again before they are counted the next time.
    mutating func discardUnreadItems() { unreadItems = nil }

    // MARK: Waiting callers

    private mutating func abandon(_ ticket: Int) {
        if let url = waiting.removeValue(forKey: ticket) {
            if let url, !waiting.values.contains(url) { backfill.removeWaiter(url) }
        }
        if connectTicket == ticket { connectTicket = nil }
        for (id, tickets) in resultTickets where tickets.contains(ticket) {
            let others = tickets.filter { $0 != ticket }
            resultTickets[id] = others.isEmpty ? nil : others
        }
        for (number, call) in calls where call.tickets.contains(ticket) {
            guard case .page(var fetch) = call.purpose else {
                cancelCall(number)
                continue
            }
            fetch.callers.removeAll { $0.ticket == ticket }
            setFetch(fetch, of: number)
        }
    }

    /// Cancels a call and ignores its answer.
    mutating func cancelCall(_ number: Int) {
        guard let call = calls.removeValue(forKey: number) else { return }
        if let flight = call.flight { _ = flights.end(flight) }
        act(.cancel(call: number))
    }

    private mutating func answerWaitingCallers() {
        guard !waiting.isEmpty else { return }
        for (ticket, url) in waiting.sorted(by: { $0.key < $1.key }) {
            let isDone =
                state.isLive && lastFailure == nil && !polling.isAwaited
                && (url.map { !backfill.isUnfinished($0) } ?? backfill.isDone)
            // A caller that waits for all channels receives a channel's error only when no other
            // channel has work left.
            let error =
                (url.map { backfill.failure(of: $0) } ?? (isDone ? backfill.failure : nil))
                ?? (isDone ? nil : cacheDamage)
            guard isDone || error != nil else { continue }
            abandon(ticket)
            act(error.map { .fail($0, ticket: ticket) } ?? .reply((), ticket: ticket))
        }
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
