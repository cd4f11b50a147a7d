import EmbeddedServer
import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport

@testable import Store
@testable import Sync

/// A device that a trace drives step by step.
///
/// Calls, waits and answers happen only when a step says so.
final class Device {
    struct PendingCall {
        let number: Int
        let request: any BackendCall
        /// The server's answer, if the device has not received it yet.
        var answer: CallResult?
        /// The number of the server's events when this request of the feed was last made and had no
        /// new event.
        var heldAt: Int?

        var isOfFeed: Bool { request is CoreCall.Feed }
    }

    let server: ModelServer
    let config: WorldConfig
    private let client: EmbeddedClient
    private let network: ConditionedBackend
    private let commits = Commits()
    /// The directory of the store, or `nil` if it is in memory.
    private let directory: ScratchDirectory?
    private(set) var disk: FailingDisks?
    private(set) var store: ChatStore
    var core: SyncCore
    var oracle: Oracle
    var sendings: Sendings
    /// The device's clock.
    var time: Timestamp = 5_000_000_000_000
    /// The request id of the outbox item whose result a call awaits, by the call's ticket.
    private var results: [Int: RequestID] = [:]
    /// The duration that each wait must last at least.
    private var pauses: [SyncCore.Wait: Duration] = [:]

    private(set) var calls: [PendingCall] = []
    private(set) var waits: [SyncCore.Wait] = []
    private(set) var isRenewing = false
    /// True if an item may not be sent until the device connects again.
    private var needsConnection = false
    /// The names of the app's calls that have not returned, by ticket.
    private(set) var tickets: [Int: String] = [:]
    private var lastTicket = 0
    private(set) var shown: [ChannelURL: [Int: ShownRange]] = [:]
    /// The channels that the engine has reported as having a huge gap, and those that it has
    /// reported as stalled since they were last shown.
    private(set) var hugeGaps: Set<ChannelURL> = []
    private(set) var failures: [ChannelURL: SyncError] = [:]
    /// The rows of the cache and the outbox items after each commit, if they are recorded.
    private(set) var cuts: [[CacheRow]] = []
    private(set) var outboxCuts: [[OutboxItem]] = []
    var keepsCuts = false
    /// The app's lists, by number.
    var lists: [Int: ModelList] = [:]
    /// Receives a line for each event of the run.
    var log: ((String) -> Void)?
    private var isQuiet = false

    init(
        _ server: ModelServer, _ config: WorldConfig, rows: [CacheRow] = [],
        items: [OutboxItem] = [],
        directory: ScratchDirectory? = nil
    ) throws {
        self.directory = directory
        disk = directory.map { _ in FailingDisks() }
        self.server = server
        self.config = config
        client = server.server.client(waits: false)
        network = ConditionedBackend(client, conditions: NetworkConditions(config))
        if let directory, let disk {
            store = try disk.open(directory.url)
        } else {
            store = try ChatStore(rows, items)
        }
        core = SyncCore(store, SyncOptions(config), client.capabilities)
        oracle = Oracle(server)
        sendings = Sendings(server, config)
        follow()
        if !rows.isEmpty { try oracle.begin(rows) }
        sendings.begin(items, oracle.rows)
    }

    private func follow() {
        let commits = commits
        store.didCommit.withLock { $0 = { commits.retain($0) } }
    }

    // MARK: Steps

    /// Performs a step that concerns the device.
    func perform(_ step: Step) async throws {
        switch step {
        case .perform(let turn): try await call(turn)
        case .deliver(let turn): try deliver(turn)
        case .pass(let turn): try await pass(turn)
        case .passFeed:
            if let index = calls.firstIndex(where: \.isOfFeed) { try await pass(index) }
        case .fail(let turn, let failure): try fail(turn, failure)
        case .fire(let turn): try fire(turn)
        case .giveUp(let turn):
            let waits = waits.filter { if case .outbox = $0 { true } else { false } }
            guard let wait = waits.turn(turn) else { return }
            self.waits.removeAll { $0 == wait }
            // An item that cannot be marked as failed now is sent on the next connection.
            needsConnection = needsConnection || disk != nil
            try process(.gaveUp(wait))
        case .renew:
            guard isRenewing else { return }
            isRenewing = false
            try process(.renew(Credentials(ModelServer.me)))
        case .connect: try process(.connect(Credentials(ModelServer.me), ticket: ticket("connect")))
        case .disconnect:
            try process(.disconnect)
            await client.disconnect()
        case .reconnect: try process(.reconnect)
        case .show(let url, let from, let to, let viewer):
            guard let lower = bound(from), let upper = bound(to) else { return }
            try show(
                ChannelURL(url), ShownRange(from: min(lower, upper), to: max(lower, upper)), viewer)
        case .hide(let url, let viewer):
            shown[ChannelURL(url)]?[viewer] = nil
            try process(.hide(ChannelURL(url), viewer: viewer))
        case .kill: await kill()
        case .losePower(let count): try await losePower(count)
        case .fillDisk(let count):
            sendings.diskWasFull = true
            disk?.fill(after: count)
        case .fillOutbox(let count):
            sendings.diskWasFull = true
            disk?.outbox.fail(at: count + 1, with: ENOSPC, once: false)
        case .emptyDisk: disk?.heal()
        case .push(let tag, let version): try push(tag, version)
        case .awaitCaughtUp(let url):
            try process(.awaitCaughtUp(url.map { ChannelURL($0) }, ticket: ticket("caughtUp")))
        case .abandon(let turn):
            guard let number = tickets.keys.sorted().turn(turn) else { return }
            tickets[number] = nil
            try process(.abandon(ticket: number))
        default: if try !write(step), try !changeLists(step) { try ask(step) }
        }
    }

    private func ask(_ step: Step) throws {
        if case .fetch(let url, let anchor, let older, let newer) = step {
            let url = ChannelURL(url)
            guard let (place, bound) = place(anchor, in: url) else { return }
            let request = PageRequest(
                in: url, at: place, bound: bound, older: older, newer: newer)
            return try process(.fetch(request, .messageFill, ticket: ticket("\(step)")))
        }
        if case .fetchKind(let url, let ofThreads, let limit) = step {
            let (url, kinds) = (ChannelURL(url), ofThreads ? MessageKinds.thread : .link)
            // While the disk fails, the store may not be readable.
            guard let gap = (try? store.kindGaps(in: url))?.newest(of: kinds) else { return }
            let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
            var request = PageRequest(
                in: url, at: anchor, bound: anchor == .newest ? nil : gap.upper, older: limit)
            request.kinds = kinds
            return try process(.fetch(request, .messageFill, ticket: ticket("\(step)")))
        }
        guard let made = callerCall(step) else { return }
        try process(.make(made, ticket: ticket("\(step)")))
    }

    private func callerCall(_ step: Step) -> (any CallerCall)? {
        switch step {
        case .lookUp(let tags):
            let places = tags.compactMap { server.history.place(of: $0) }
            guard let url = places.first?.url else { return nil }
            let ids = places.filter { $0.url == url }.map(\.id)
            return LookUp(call: CoreCall.Lookup(messageIDs: ids, channelURL: url))
        case .search(let text, let limit):
            return FindMessages(
                call: SearchMessages(
                    matching: MessageSearchParams(text), after: nil, limit: limit))
        case .readChanges(let url):
            guard let token = oracle.rows.token else { return nil }
            return FetchMessageChanges(
                call: CoreCall.MessageChanges(
                    channelURL: ChannelURL(url), since: .feed(FeedCursor(token.cursor))))
        case .readChannelChanges:
            guard let token = oracle.rows.token else { return nil }
            return FetchChannelChanges(
                call: CoreCall.ChannelChanges(since: .feed(FeedCursor(token.cursor))))
        case .listChannels:
            return FetchChannels(call: CoreCall.Channels(query: GroupChannelListQuery()))
        case .lookAt(let url): return FetchChannel(ChannelURL(url))
        default: return nil
        }
    }

    private func bound(_ place: Step.Place) -> Gap.Bound? {
        switch place {
        case .beginning: .beginning
        case .end: .end
        case .message(let tag): server.history.entry(tag).map { .position($0.position) }
        }
    }

    private func place(
        _ anchor: Step.Anchor, in url: ChannelURL
    ) -> (MessageAnchor, bound: Gap.Bound?)? {
        func at(_ bound: Gap.Bound) -> MessageAnchor {
            guard case .position(let position) = bound else { return .newest }
            return position.messageID.rawValue.isEmpty
                ? .time(position.createdAt) : .message(position.messageID)
        }
        switch anchor {
        case .newest: return (.newest, nil)
        case .time(let tag):
            return server.history.entry(tag).map { (.time($0.position.createdAt), nil) }
        case .message(let tag):
            return server.history.entry(tag).map { (.message($0.position.messageID), nil) }
        case .gapTop(let turn):
            guard let gap = oracle.rows[url]?.gaps.turn(turn) else { return nil }
            if let cursor = gap.cursor { return (.cursor(PageCursor(cursor)), gap.upper) }
            return (at(gap.upper), gap.upper == .end ? nil : gap.upper)
        case .gapBottom(let turn):
            guard let gap = oracle.rows[url]?.gaps.turn(turn), gap.lower != .beginning else {
                return nil
            }
            return (at(gap.lower), gap.lower)
        }
    }

    func show(_ url: ChannelURL, _ range: ShownRange, _ viewer: Int) throws {
        shown[url, default: [:]][viewer] = range
        failures[url] = nil
        try process(.show(url, range, viewer: viewer))
    }

    /// Waits until a channel, or all channels, are caught up.
    func awaitCaughtUp(_ url: ChannelURL) throws {
        try process(.awaitCaughtUp(url, ticket: ticket("caughtUp")))
    }

    private func ticket(_ what: String) -> Int {
        lastTicket += 1
        tickets[lastTicket] = what
        return lastTicket
    }

    /// Ends the process, and starts another one with the data on the disk.
    private func kill() async {
        await client.disconnect()
        (calls, waits, tickets, isRenewing) = ([], [], [:], false)
        (results, pauses) = ([:], [:])
        (shown, hugeGaps, failures, lists) = ([:], [], [:], [:])
        core = SyncCore(store, SyncOptions(config), client.capabilities)
    }

    /// Simulates a power failure, which removes unsynced commits of the cache from the disk, and
    /// ends the process.
    private func losePower(_ count: Int) async throws {
        sendings.forgetRows()
        if let directory, let disk { return try await losePower(directory.url, disk) }
        let items = try store.outboxItems()
        store.close()
        cuts.removeLast(min(count, cuts.count))
        outboxCuts.removeLast(outboxCuts.count - cuts.count)
        store = try ChatStore(cuts.last ?? [], items)
        follow()
        await kill()
        oracle = Oracle(server)
        if let rows = cuts.last { try oracle.begin(rows) }
    }

    private func losePower(_ directory: URL, _ disk: FailingDisks) async throws {
        let items = sendings.outboxItems
        // A snapshot of a commit keeps the files open. A step whose write failed leaves one,
        // because the write has reopened the files.
        _ = commits.drain()
        try disk.cutPower(of: store, at: directory)
        let disk = FailingDisks()
        self.disk = disk
        store = try disk.open(directory)
        follow()
        await kill()
        let rows = try store.snapshot().view.committed.cache.cacheRows()
        oracle = Oracle(server)
        if !rows.isEmpty { try oracle.begin(rows) }
        let left = try store.outboxItems()
        guard Dictionary(uniqueKeysWithValues: left.map({ ($0.requestID, $0) })) == items else {
            throw Violation("E1 no lost send", "\(items.keys) became \(left)")
        }
    }

    private func push(_ tag: String, _ version: Int) throws {
        // Before the first connection, the device does not know the epoch of a message.
        guard oracle.rows.token != nil || oracle.rows.losses > 0,
            let place = server.history.place(of: tag),
            let entry = server.history.channels[place.url]?.entries[place.id],
            let channel = server.history.channels[place.url], channel.isMine,
            entry.position.createdAt >= channel.offset ?? .distantPast,
            let message = entry.versions.turn(version)
        else { return }
        do throws(SyncError) {
            _ = try core.ingestMessages([message], .requestMessage, arePushed: true)
        } catch {
            guard disk != nil else { throw Violation("store", "\(error)") }
        }
        // The engine makes this call, too.
        try process(.changed)
    }

    // MARK: Calls

    private var unanswered: [Int] {
        calls.indices.filter { calls[$0].answer == nil && calls[$0].heldAt != server.count }
    }

    private var answered: [Int] { calls.indices.filter { calls[$0].answer != nil } }

    private func call(_ turn: Int) async throws {
        if let index = unanswered.turn(turn) { try await call(at: index) }
    }

    private func answer(to call: any BackendCall) async -> CallResult {
        do throws(BackendError) {
            return .success(try await call.make(on: network))
        } catch {
            return .failure(error)
        }
    }

    private func call(at index: Int) async throws {
        let request = calls[index].request
        let hadEffect = server.count
        let meant = Result { try sendings.checkTarget(of: request) }
        let answer = try await server.answer(request) { await self.answer(to: request) }
        if server.count != hadEffect { try meant.get() }
        if let feed = calls[index].request as? CoreCall.Feed,
            case .success(let value) = answer, let batch = value as? FeedBatch,
            batch.events.isEmpty, batch.isLive, core.state.isLive, batch.cursor == feed.since,
            isQuiet || !config.returnsEmptyBatches
        {
            calls[index].heldAt = server.count
        } else {
            log?("    the server: \(answer)")
            calls[index].answer = answer
        }
    }

    private func deliver(_ turn: Int) throws {
        if let index = answered.turn(turn) { try deliver(at: index) }
    }

    private func deliver(at index: Int) throws {
        let call = calls.remove(at: index)
        guard let answer = call.answer else { return }
        sendings.answer(answer, to: call.request)
        try process(.answer(answer, call: call.number))
    }

    private func pass(_ turn: Int) async throws {
        guard let index = calls.indices.turn(turn) else { return }
        if calls[index].answer == nil { try await call(at: index) }
        if calls[index].answer != nil { try deliver(at: index) }
    }

    private func fail(_ turn: Int, _ failure: Step.Failure) throws {
        guard let index = calls.indices.turn(turn) else { return }
        let call = calls.remove(at: index)
        // If the server executed the request, the only possible failure is that the answer was
        // lost.
        let failure = call.answer != nil && call.request.outboxItemID != nil ? .unanswered : failure
        let error =
            switch failure {
            case .notConnected: BackendError(.notConnected, "there is no network")
            case .unanswered: BackendError(.unanswered, "no answer")
            case .throttled: BackendError(.throttled, "too much", retryAfter: .seconds(1))
            case .serverFailure: BackendError(.serverFailure, "a failure")
            }
        sendings.answer(.failure(error), to: call.request)
        try process(.answer(.failure(error), call: call.number))
    }

    private func fire(_ turn: Int) throws {
        guard let index = waits.indices.turn(turn) else { return }
        let wait = waits.remove(at: index)
        if case .outbox = wait, let pause = pauses[wait] {
            guard pause <= .seconds(3600) else {
                throw Violation("D4 clock free", "it waits for \(pause)")
            }
            time = Timestamp(
                milliseconds: time.milliseconds + Int64(pause / .milliseconds(1)) + 1)
        }
        try process(.waited(wait))
    }

    // MARK: Inputs and actions

    func deliveryResult(_ id: RequestID, _ url: ChannelURL) throws {
        let ticket = ticket("fate")
        tickets[ticket] = nil
        results[ticket] = id
        try process(.deliveryResult(id, url, ticket: ticket))
    }

    /// Checks that no item that could be sent is left once the device is idle.
    func expectSent() throws {
        try sendings.checkRest()
        for id in results.values where sendings.outboxItems[id]?.state != .pending {
            throw Violation("E4 delivery result", "the result of \(id) was not reported")
        }
    }

    func process(_ input: SyncCore.Input) throws {
        core.time = time
        let actions = core.step(input)
        // A write is committed before the actions that follow from it.
        try check()
        try checkLists()
        for action in actions { try perform(action) }
    }

    private func perform(_ action: SyncCore.Action) throws {
        log?("    \(action)")
        switch action {
        case .call(let request, let number):
            try sendings.call(request, at: time)
            calls.append(PendingCall(number: number, request: request))
        case .cancel(let number): calls.removeAll { $0.number == number }
        case .wait(let wait, _, let pause):
            pauses[wait] = pause
            waits.removeAll { $0 == wait }
            waits.append(wait)
        case .cancelWait(let wait): waits.removeAll { $0 == wait }
        case .stopWaiting: (waits, isRenewing) = ([], false)
        case .disconnect: break
        case .renewSession: isRenewing = true
        case .emit(.hugeGap(let url)): hugeGaps.insert(url)
        case .emit(.failed(let url, let error)):
            failures[url] = error
            // The server never returns the same page repeatedly.
            if error.code == .stalled { throw Violation("A6 makes progress", "\(error)") }
        case .emit(.deliveryResult(let result, let item)):
            try sendings.deliverToAll(result, of: item.requestID)
        case .emit, .removeFiles, .keepFiles, .removeDownloads: break
        case .reply(let result as DeliveryResult, let ticket):
            guard let id = results.removeValue(forKey: ticket) else {
                throw Violation("E4 delivery result", "reported again: \(result)")
            }
            try sendings.checkReport(result, of: id)
        case .reply(_, let ticket), .fail(_, let ticket):
            guard tickets.removeValue(forKey: ticket) != nil else {
                throw Violation("answered once", "ticket \(ticket) was answered again")
            }
        }
    }

    private func check() throws {
        try checkCommits()
        if disk == nil {
            if let failure = core.state.failure { throw Violation("store", "\(failure)") }
            if let damage = store.cacheDamage { throw Violation("store", "\(damage)") }
        }
        // While the disk fails, the store may not be readable.
        if core.state.failure == nil { try oracle.checkUnread(core.state.unreadCount) }
    }

    /// Checks each commit against the events that the server had delivered.
    func checkCommits() throws {
        let snapshots = commits.drain()
        for (index, snapshot) in snapshots.enumerated() {
            let rows = try snapshot.view.committed.cache.cacheRows()
            let items = try snapshot.outboxItems()
            if keepsCuts {
                cuts.append(rows)
                outboxCuts.append(items)
            }
            let allowsRemovals = oracle.allowsEviction || oracle.allowsReplacement
            try oracle.check(rows)
            // A store that reopens its files after a failure first publishes the earlier items.
            let isReopened = disk != nil && index < snapshots.count - 1
            if isReopened, sendings.areCurrent(items) { continue }
            try sendings.check(
                items, oracle.rows, hasFailed: core.state.failure != nil,
                allowsRemovals: allowsRemovals)
        }
    }

    /// The cached history, one line for each channel.
    var picture: String {
        let rows = oracle.rows
        let token = rows.token.map { "\($0.cursor) (\($0.number))" } ?? "-"
        let channels = rows.channels.map { url, _, channel in
            let messages = channel.positions.sorted()
                .map { "\($0) \(channel.messages[$0.messageID]?.essence.text ?? "?")" }
            return "    \(url): \(messages), gaps \(channel.gaps), stale \(channel.stale)"
        }
        return (["    after \(token), \(server.count) happened"] + channels)
            .joined(separator: "\n")
    }

    // MARK: Coming to rest

    /// Completes all calls and waits without further failures.
    func comeToRest() async throws {
        isQuiet = true
        defer { isQuiet = false }
        network.conditions = .perfect
        disk?.heal()
        for _ in 0..<1000 where try await goOn() == false { return }
        throw Violation("comes to rest", "calls \(calls.map(\.request)), waits \(waits)")
    }

    /// Performs the next pending step.
    ///
    /// Returns false if no step is pending.
    private func goOn() async throws -> Bool {
        log?(picture)
        if core.connector.phase == .off || needsConnection {
            needsConnection = false
            try await perform(.connect)
        } else if isRenewing {
            try await perform(.renew)
        } else if !answered.isEmpty {
            try deliver(0)
        } else if !unanswered.isEmpty {
            try await call(0)
        } else if !waits.isEmpty {
            try fire(0)
        } else {
            return false
        }
        return true
    }
}

/// The commits that have not been checked yet.
private final class Commits: Sendable {
    private let snapshots = Locked<[Snapshot]>([])

    func retain(_ snapshot: Snapshot) { snapshots.withLock { $0.append(snapshot) } }

    func drain() -> [Snapshot] {
        snapshots.withLock { snapshots in
            defer { snapshots = [] }
            return snapshots
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the element at an index modulo the count, so that -1 is the last element.
    ///
    /// Returns nil if the collection is empty.
    func turn(_ number: Int) -> Element? {
        isEmpty ? nil : self[startIndex + (number % count + count) % count]
    }
}

extension SyncOptions {
    fileprivate init(_ config: WorldConfig) {
        self.init()
        pageSize = 3
        parallelRequests = config.parallelRequests
        backgroundChannels = config.backgroundChannels
        backgroundPages = config.backgroundPages
        hugeGapThreshold = config.hugeGapThreshold
        failedItemPolicy = config.stopsAtFailure ? .stop : .continue
        failedItemLimit = config.failedLimit
        failedItemLifetime = config.forgetsFailed ? .seconds(24 * 60 * 60) : nil
        hugeGapPolicy = config.fillsHugeGaps ? .fill : .report
        // Two clocks may be wrong in opposite directions, and both may have made timestamps.
        clockSkew =
            config.clockSkew == 0
            ? .zero : .milliseconds(2 * config.clockSkew + config.granularity)
    }
}

extension NetworkConditions {
    fileprivate init(_ config: WorldConfig) {
        self = config.networkSeed.map { .withinContract(seed: $0) } ?? .perfect
        guard let seed = config.lossSeed else { return }
        if config.networkSeed == nil { self.seed = seed }
        failures = FailureConditions()
        failures.answerLost = 0.5
        failures.throttled = 0.1
        failures.calls = [.send, .upload, .update, .delete, .react]
    }
}

extension ChatStore {
    /// Creates a store in memory from the rows of another store's cache and the items of its
    /// outbox.
    fileprivate convenience init(_ rows: [CacheRow], _ items: [OutboxItem]) throws {
        let environment = LevelDB.Environment.memory()
        let cache = try LevelDB(at: "/cache", environment: environment)
        let overlay = Overlay()
        for row in rows { overlay.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        if !rows.isEmpty { try cache.write(overlay, isDurable: false) }
        cache.close()
        try self.init(at: nil, environments: (environment, .memory()))
        if !items.isEmpty {
            try write { batch in for item in items { try batch.save(item) } }
        }
    }
}
