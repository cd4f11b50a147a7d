import Models
import Store

/// The state machine of an engine, without tasks, a clock or network access.
///
/// Each step processes an input, writes to the store, and returns the actions for the engine to
/// perform. It reads the data that it needs from the store, so that no decision depends on data
/// that was read before a call.
struct SyncCore {
    enum Input: Sendable {
        case connect(Credentials, ticket: Int)
        case disconnect
        case reconnect
        /// The app's new credentials; `nil` if it has none.
        case renew(Credentials?)
        case answer(CallResult, call: Int)
        case waited(Wait)
        case gaveUp(Wait)
        case make(any CallerCall, ticket: Int)
        case fetch(PageRequest, CollectionEventSource, ticket: Int)
        /// With `nil`, a caller waits for all channels.
        case awaitCaughtUp(ChannelURL?, ticket: Int)
        case abandon(ticket: Int)
        /// The store or the outbox was changed other than by an input, for example by the user, or
        /// damage of the cache was found.
        case changed
        case deliveryResult(RequestID, ChannelURL, ticket: Int)
        case show(ChannelURL, ShownRange?, viewer: Int)
        case hide(ChannelURL, viewer: Int)
    }

    enum Action: Sendable {
        case call(any BackendCall, number: Int)
        case cancel(call: Int)
        /// Wait before an attempt, counted from 1, at least as long as the server demands.
        case wait(Wait, beforeAttempt: Int, atLeast: Duration?)
        case cancelWait(Wait)
        /// Cancel all waits, and the request for new credentials.
        case stopWaiting
        case disconnect
        case renewSession
        case removeFiles([FileCopy])
        /// Remove all copies of files from the outbox, except for these.
        case keepFiles([FileCopy])
        /// Remove the downloads that are kept with these keys.
        case removeDownloads([String])
        case emit(SyncEvent)
        case reply(any Sendable, ticket: Int)
        case fail(SyncError, ticket: Int)
    }

    /// A delay; one with a generation is ignored if the connector's generation has changed.
    enum Wait: Hashable, Sendable {
        case connection(generation: Int)
        case feed(generation: Int)
        /// The wait before the next request of a polled feed or, while that is in flight, the time
        /// for which callers wait for its answer.
        case poll(generation: Int)
        case backfill(ChannelURL, generation: Int)
        case outbox(ChannelURL, generation: Int)
        case typing(ChannelURL, number: Int)
        case store

        var followsFailure: Bool {
            switch self {
            case .connection, .feed, .backfill, .outbox, .store: true
            case .poll, .typing: false
            }
        }
    }

    struct Call {
        enum Purpose {
            case connect
            case feed(after: FeedToken?)
            case page(PageFetch)
            case changelog
            /// A lookup of stored messages that a page lacks or has in an older version. After
            /// those of `rest` have also been looked up, the page's extent is no longer stale.
            case lookup(ChannelURL, PageExtent, rest: ArraySlice<MessageID>)
            case reactions([MessageID])
            case outbox(RequestID)
            case caller(any CallerCall, ticket: Int, attempt: Int)
        }
        let value: any BackendCall
        var purpose: Purpose
        /// `nil` for `connect`, whose answer contains no messages.
        let flight: Flights.Flight?

        var tickets: [Int] {
            switch purpose {
            case .caller(_, let ticket, _): [ticket]
            case .page(let fetch): fetch.callers.map(\.ticket)
            case .connect, .feed, .changelog, .lookup, .reactions, .outbox: []
            }
        }
    }

    let store: ChatStore
    let options: SyncOptions
    let limits: CacheLimits
    let capabilities: BackendCapabilities
    let deduplicationPeriod: Duration?
    /// The requests that can be sent, which a backend may learn when it connects.
    let requestTypes: @Sendable () -> [any BackendRequest.Type]

    var connector = Connector()
    var state = SyncState()
    var flights = Flights()
    /// `nil` if messages come with their reactions.
    var knownReactions: KnownReactions?
    var calls: [Int: Call] = [:]
    var backfill = Backfill()
    var outbox = Outbox()
    /// How often each outbox item was passed to the backend since it was last saved.
    var attempts: [RequestID: Int] = [:]
    var resultTickets: [RequestID: [Int]] = [:]
    var lastResults = LastDeliveryResults()
    /// The device's time, set by the engine before each step.
    var time: Timestamp = 0
    /// ``time``; `distantFuture` in tests without a clock.
    var now: Timestamp { time == 0 ? .distantFuture : time }
    /// The channels that callers of `caughtUp` wait for, by ticket; `nil` for all.
    var waiting: [Int: ChannelURL?] = [:]
    /// True if a feed cursor is stored, so that the feed reports all later changes.
    var hasFeedBegun = false
    var areLimitsDue = false
    var isCatchingUp = true
    var missedChannels: Set<ChannelURL> = []
    var typing = TypingChannels()
    var feedFailures = 0
    /// The number of losses of history since the last batch that continued the feed.
    var consecutiveLosses = 0
    var polling = FeedPolling()
    /// The channels of the answers that arrived since the feed was last requested.
    var answeredChannels: Set<ChannelURL> = []
    /// The number of consecutive feed batches discarded as possibly outdated.
    var discardedBatches = 0
    /// `nil` until they are read from the store.
    var unreadItems: UnreadItems?
    var lastNumber = 0
    var connectTicket: Int?
    private var actions: [Action] = []
    /// Recorded in builds with assertions.
    private(set) var openRequests = OpenRequests()
    private var reportedState: SyncState?
    var session: BackendSession?
    var isReplacementRefused = false
    var writeFailure: SyncError? { didSet { recordFailure() } }
    var readFailure: SyncError? { didSet { recordFailure() } }
    /// The error because of which the outbox must be reopened; each successful write updates it.
    var outboxFailure: SyncError? { didSet { recordFailure() } }
    var storeRetry = StoreRetry()
    /// Kept until the cache is cleared or replaced.
    var cacheDamage: SyncError? { didSet { recordFailure() } }

    init(
        _ store: ChatStore, _ options: SyncOptions, _ capabilities: BackendCapabilities,
        deduplicationPeriod: Duration? = nil, limits: CacheLimits = CacheLimits(),
        requestTypes: @escaping @Sendable () -> [any BackendRequest.Type] = {
            StandardRequests.types
        }
    ) {
        self.store = store
        self.options = options.clamped
        self.limits = limits
        self.capabilities = capabilities
        knownReactions = capabilities.contains(.separateReactions) ? KnownReactions() : nil
        self.deduplicationPeriod = deduplicationPeriod
        self.requestTypes = requestTypes
    }

    mutating func step(_ input: Input) -> [Action] {
        recordOpenRequests { $0.record(input) }
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
        assert(stalledWork == nil, "Nothing continues after \(input): \(stalledWork ?? "").")
        defer { actions = [] }
        return actions
    }

    private mutating func plan() {
        planOutbox()
        planBackfill()
        countUnreadItems()
        planStoreRetry()
    }

    var isIdle: Bool {
        calls.values.allSatisfy(\.isOfFeed) && waiting.isEmpty
    }

    private mutating func handle(_ input: Input) {
        switch input {
        case .connect(let credentials, let ticket): connect(as: credentials, ticket)
        case .disconnect: disconnect()
        case .reconnect:
            backfill.clearFailures()
            changeConnection(by: connector.retryNow())
            pollNow()
        case .renew(let credentials): changeConnection(by: connector.renew(credentials))
        case .answer(let answer, let number): handleAnswer(answer, of: number)
        case .waited(let wait): handleEnd(of: wait)
        case .gaveUp(let wait): handleLastAttempt(wait)
        case .make(let call, let ticket): make(call, ticket, attempt: 1)
        case .fetch(let request, let source, let ticket):
            fetchForCaller(
                request, PageFetch.Caller(ticket: ticket, attempt: 1, source: source))
        case .awaitCaughtUp(let url, let ticket):
            waiting[ticket] = .some(url)
            pollForCallers()
            if let url { backfill.enqueue(url, isAwaited: true) }
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

    private mutating func handleEnd(of wait: Wait) {
        switch wait {
        case .connection(connector.generation): changeConnection(by: connector.retry())
        case .feed(connector.generation): requestFeedBatch()
        case .poll(connector.generation): endPollWait()
        case .backfill(let url, connector.generation): backfill.resume(url)
        case .outbox(let url, connector.generation): outbox.setBusy(false, url)
        case .typing(let url, _): endTyping(in: url, after: wait)
        case .store: retryStore()
        // A wait of an earlier connection has no effect.
        case .connection, .feed, .poll, .backfill, .outbox: break
        }
    }

    private mutating func handleLastAttempt(_ wait: Wait) {
        switch wait {
        case .connection(connector.generation), .feed(connector.generation):
            connector.end()
            resetConnection()
            act(.disconnect)
        case .backfill(let url, connector.generation): stopAfterLastAttempt(url)
        case .outbox(let url, connector.generation): giveUpSending(in: url)
        // After the last attempt for the store, the next write opens the files again.
        default: break
        }
    }

    // MARK: Acting

    mutating func act(_ action: Action) {
        recordOpenRequests { $0.record(action) }
        actions.append(action)
    }

    private mutating func recordOpenRequests(_ record: (inout OpenRequests) -> Void) {
        assert(
            {
                record(&openRequests)
                return true
            }())
    }

    mutating func call(_ call: any BackendCall, _ purpose: Call.Purpose) {
        lastNumber += 1
        var flight: Flights.Flight?
        switch call {
        case is CoreCall.Connect: break
        case is SearchMessages, is ListMentions:
            flight = flights.begin(in: nil, feedHadBegun: false, isSearch: true)
        default: flight = flights.begin(in: call.channel, feedHadBegun: hasFeedBegun)
        }
        calls[lastNumber] = Call(value: call, purpose: purpose, flight: flight)
        act(.call(call, number: lastNumber))
    }

    private mutating func handleAnswer(_ answer: CallResult, of number: Int) {
        // Ignore the answers of canceled calls and of earlier connections.
        guard let call = calls.removeValue(forKey: number) else { return }
        let interim = call.flight.map { flights.end($0) } ?? nil
        if case .failure(let error) = answer, endsConnection(error, call) {
            // The item has not reached the server.
            if case .outbox(let id) = call.purpose { clearDoubtfulMark(of: id) }
            return loseConnection(error, call)
        }
        switch call.purpose {
        case .connect:
            if case .success(let session) = answer.of(CoreCall.Connect.self) { goOnline(session) }
        case .feed(let token): handleFeed(answer.of(CoreCall.Feed.self), after: token, interim)
        // Each call of a `PageRequest` is answered by a `MessagePage`.
        case .page(let fetch): handlePage(answer.of(CoreCall.Messages.self), fetch, interim)
        case .changelog:
            handleChangelog(answer.of(CoreCall.MessageChanges.self), call, interim)
        case .lookup(_, let extent, let rest):
            handleLookup(answer.of(CoreCall.Lookup.self), of: extent, rest: rest, call, interim)
        case .reactions(let ids):
            handleReactions(answer.of(CoreCall.Reactions.self), to: ids, call, interim)
        case .outbox(let id):
            handleOutboxAnswer(answer, of: id, call, interim)
            pollNow()
        case .caller(let made, let ticket, let attempt):
            handle(answer, to: made, ticket, attempt: attempt, interim)
        }
        if let knownReactions, let url = call.value.channel,
            backfill.isShown(url) || knownReactions.needed[url] != nil
        {
            // The answer may contain shown messages, whose reactions must be requested.
            backfill.enqueue(url)
        }
        if let url = call.value.channel { answeredChannels.insert(url) }
    }

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
            // Such a caller receives a channel's error only after the other work ends.
            let error =
                (url.map { backfill.failure(of: $0) } ?? (isDone ? backfill.failure : nil))
                ?? (isDone ? nil : cacheDamage)
            guard isDone || error != nil else { continue }
            abandon(ticket)
            act(error.map { .fail($0, ticket: ticket) } ?? .reply((), ticket: ticket))
        }
    }
}
