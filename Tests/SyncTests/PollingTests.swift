import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests a feed that returns an empty batch at once if there are no events.
@Suite(.timeLimit(.minutes(10))) struct PollingTests {
    // MARK: Intervals

    @Test func intervalGrowsByATenthUpToItsMaximum() throws {
        var feed = try PolledFeed()
        let waits = try feed.run(for: .seconds(3600)) { _ in .empty }
        let milliseconds = waits.map { $0.components.attoseconds / 1_000_000_000_000_000 }
        #expect(waits.prefix(3).map(\.components.seconds) == [2, 2, 2])
        #expect(milliseconds.prefix(3) == [0, 200, 420])
        #expect(waits.max() == .seconds(30))
        let growing = waits.prefix { $0 < .seconds(30) }
        #expect((240...360).contains(growing.reduce(.zero, +).components.seconds))
        #expect((100...150).contains(feed.requestCount), "\(feed.requestCount) requests in an hour")
    }

    @Test func eventBeginsWithTheShortestIntervalAgain() throws {
        var feed = try PolledFeed()
        let waits = try feed.run(for: .seconds(60)) { number in
            number == 10 ? .batch([.truncation(in: "general")], "c10") : .empty
        }
        #expect(waits[8] > .seconds(4))
        #expect(waits[9] == .seconds(2))
    }

    /// A feed that waits may return one empty batch at once, for example when it becomes live.
    @Test func oneEmptyBatchIsNotFollowedByAWait() throws {
        var feed = try PolledFeed()
        // The batch without a cursor is the first empty one.
        let waits = try feed.run(for: .seconds(2)) { _ in .empty }
        #expect(feed.requestCount == 1 && waits == [.seconds(2)])
    }

    @Test func durationOfTheRequestIsPartOfTheInterval() throws {
        var feed = try PolledFeed()
        feed.latency = .milliseconds(500)
        let waits = try feed.run(for: .seconds(4)) { _ in .empty }
        #expect(waits.first == .milliseconds(1500))
    }

    @Test func feedThatWaitsForEventsIsNotDelayed() throws {
        var feed = try PolledFeed()
        feed.latency = .seconds(2)
        #expect(try feed.run(for: .seconds(3600)) { _ in .empty } == [])
        #expect(feed.requestCount == 1800)
    }

    /// Some servers repeat events in each batch, such as the list of the user's channels.
    @Test func liveFeedThatRepeatsItsCursorIsPolled() throws {
        var feed = try PolledFeed()
        _ = try feed.run(for: .seconds(3600)) { _ in .batch([.channels([])], "1") }
        #expect(feed.requestCount < 150)
    }

    /// Each loss changes the coverage of all channels.
    @Test(arguments: [true, false]) func serverThatOftenLosesItsHistoryIsRequestedWithPauses(
        expires: Bool
    ) throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        core.time = 1_000_000
        var actions = core.step(.connect(Credentials("bob"), ticket: 1))[...]
        var (requestCount, waits) = (0, false)
        while requestCount < 100, let action = actions.popFirst() {
            switch action {
            case .call(is CoreCall.Connect, let number):
                let session = BackendSession(user: User(id: "bob"), epoch: "1")
                actions += core.step(.answer(.success(session), call: number))
            case .call(let feed as CoreCall.Feed, let number) where expires && feed.since != nil:
                requestCount += 1
                actions += core.step(
                    .answer(.failure(BackendError(.expired, "too old")), call: number))
            case .call(is CoreCall.Feed, let number):
                requestCount += 1
                let batch = FeedBatch(
                    events: [], cursor: FeedCursor("\(requestCount)"),
                    epoch: ServerEpoch(expires ? "1" : "\(requestCount)"), isLive: false)
                actions += core.step(.answer(.success(batch), call: number))
            case .wait(.feed, _, _): waits = true
            default: break
            }
        }
        #expect(waits && requestCount < 10, "\(requestCount) requests")
    }

    @Test func feedThatCatchesUpIsPolledOnlyIfItMakesNoProgress() throws {
        var feed = try PolledFeed()
        feed.isLive = false
        feed.beginsLive = false
        let waits = try feed.run(for: .seconds(60)) { number in
            number < 100 ? .batch([], "c\(number)") : .empty
        }
        #expect(feed.requestCount - 100 == waits.count)
        #expect(waits.count < 20)
    }

    @Test func optionsAreClamped() {
        var options = SyncOptions()
        options.pollInterval = .zero
        options.idlePollInterval = .zero
        #expect(options.clamped.pollInterval == .milliseconds(100))
        #expect(options.clamped.idlePollInterval == .milliseconds(100))
    }

    // MARK: The end of a wait

    @Test(arguments: [
        SyncCore.Input.reconnect, .awaitCaughtUp(nil, ticket: 2),
        .show("general", nil, viewer: 1),
    ])
    func actionOfTheUserEndsTheWait(input: SyncCore.Input) throws {
        var feed = try PolledFeed()
        _ = try feed.run(for: .seconds(200)) { _ in .empty }
        let actions = feed.core.step(input)
        #expect(actions.contains { if case .cancelWait(.poll) = $0 { true } else { false } })
        #expect(
            actions.contains { if case .call(is CoreCall.Feed, _) = $0 { true } else { false } })
        #expect(try feed.process(actions) { _ in .empty }.last == .seconds(2))
    }

    @Test func scrollingDoesNotPoll() throws {
        var feed = try PolledFeed()
        _ = try feed.run(for: .seconds(10)) { _ in .empty }
        let shown = feed.core.step(.show("general", nil, viewer: 1))
        _ = try feed.process(shown) { _ in .empty }
        let count = feed.requestCount
        let actions = feed.core.step(.show("general", ShownRange(from: .beginning), viewer: 1))
        #expect(try feed.process(actions) { _ in .empty } == [])
        #expect(feed.requestCount == count)
    }

    @Test func waitOfAnEarlierConnectionIsIgnored() throws {
        var feed = try PolledFeed()
        _ = try feed.run(for: .seconds(10)) { _ in .empty }
        let wait = SyncCore.Wait.poll(generation: feed.core.connector.generation)
        _ = feed.core.step(.disconnect)
        #expect(feed.core.step(.waited(wait)).isEmpty)
    }

    // MARK: The engine

    @Test func engineCallsAPolledFeedOnceInEachInterval() async throws {
        let phone = try await Phone()
        try await phone.connect()
        for count in 1...20 {
            await phone.sleeper.begun(count)
            #expect(phone.backend.requestCount == count + 2)
            phone.sleeper.wake()
        }
        await phone.sleeper.begun(21)
        #expect(await phone.engine.isIdle)
        #expect(await phone.engine.state.isLive)
        await phone.engine.close()
    }

    @Test func callerThatCatchesUpReceivesWhatThePollReports() async throws {
        let phone = try await Phone()
        try await phone.connect()
        await phone.sleeper.begun(1)
        phone.sleeper.wake()
        await phone.sleeper.begun(2)
        let message = try await phone.say("hello")
        try await phone.engine.caughtUp()
        let id = try #require(message.messageID)
        #expect(try phone.store.read { try $0.message(id, in: "general") }?.text == "hello")
        await phone.engine.close()
    }

    /// A feed that was polled may begin to wait for events.
    @Test func callerDoesNotWaitForAFeedThatHasBegunToWait() throws {
        var feed = try PolledFeed()
        _ = try feed.run(for: .seconds(10)) { _ in .empty }
        var core = feed.core
        let actions = core.step(.awaitCaughtUp(nil, ticket: 2))
        #expect(!actions.contains { if case .reply = $0 { true } else { false } })
        let wait = SyncCore.Wait.poll(generation: core.connector.generation)
        let later = core.step(.waited(wait))
        #expect(later.contains { if case .reply(_, ticket: 2) = $0 { true } else { false } })
    }

    @Test func sentMessageEndsTheWait() async throws {
        let phone = try await Phone()
        try await phone.connect()
        await phone.sleeper.begun(1)
        let before = phone.backend.requestCount
        let sent = try await phone.engine.send(NewMessage("hi"), in: "general")
        _ = try await phone.engine.deliveryResult(of: try #require(sent.requestID), in: "general")
        // The poll reports the message, and the next ones report nothing.
        await phone.sleeper.begun(2)
        #expect(phone.backend.requestCount > before)
        await phone.engine.close()
    }

    @Test func engineWithoutRetriesPolls() async throws {
        var options = SyncOptions.exact
        options.backoff = Backoff(
            interval: .seconds(3), multiplier: 2, maximum: .seconds(24), maximumAttempts: 1)
        let phone = try await Phone(options)
        try await phone.connect()
        await phone.sleeper.begun(1)
        phone.sleeper.wake()
        await phone.sleeper.begun(2)
        #expect(await phone.engine.state.connection == .online)
        await phone.engine.close()
    }
}

/// A core whose feed is answered at once, and a clock that moves only with its waits.
private struct PolledFeed {
    enum Answer {
        case empty
        case batch([FeedEvent], FeedCursor)
    }

    var core: SyncCore
    var latency = Duration.zero
    var isLive = true
    /// A Boolean value that indicates whether the first batch, which has no cursor, is live.
    var beginsLive = true
    private(set) var requestCount = 0
    private var time = Timestamp(1_000_000)
    private var pending: [SyncCore.Action] = []

    init() throws {
        core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        core.time = time
        pending = core.step(.connect(Credentials("bob"), ticket: 1))
    }

    /// Answers requests until the clock has reached the end of a duration, and returns the waits.
    ///
    /// The last wait does not end.
    mutating func run(
        for duration: Duration, _ answer: (Int) -> Answer
    ) throws -> [Duration] {
        let end = time.advanced(by: duration)
        var waits: [Duration] = []
        while true {
            let new = try process(pending, until: end, answer)
            pending = []
            waits += new
            guard let wait = new.last else { return waits }
            if time.advanced(by: wait) >= end { return waits }
            time = time.advanced(by: wait)
            core.time = time
            pending = core.step(.waited(.poll(generation: core.connector.generation)))
        }
    }

    /// Answers the requests of actions, and returns the waits for the next poll.
    mutating func process(
        _ actions: [SyncCore.Action], until end: Timestamp? = nil, _ answer: (Int) -> Answer
    ) throws -> [Duration] {
        var actions = actions[...]
        var waits: [Duration] = []
        while let action = actions.popFirst() {
            switch action {
            case .call(is CoreCall.Connect, let number):
                let session = BackendSession(user: User(id: "bob"), epoch: "1")
                actions += core.step(.answer(.success(session), call: number))
            case .call(let feed as CoreCall.Feed, let number):
                if let end, time >= end { return waits }
                // The first request has no cursor, so its answer is never a repetition.
                guard let cursor = feed.since else {
                    let batch = FeedBatch(events: [], cursor: "1", epoch: "1", isLive: beginsLive)
                    actions += core.step(.answer(.success(batch), call: number))
                    continue
                }
                requestCount += 1
                time = time.advanced(by: latency)
                core.time = time
                var batch = FeedBatch(events: [], cursor: cursor, epoch: "1", isLive: isLive)
                if case .batch(let events, let next) = answer(requestCount) {
                    batch.events = events
                    batch.cursor = next
                }
                actions += core.step(.answer(.success(batch), call: number))
            case .call(_, let number):
                actions += core.step(
                    .answer(.failure(BackendError(.refused, "no")), call: number))
            case .wait(.poll, _, let duration): waits.append(try #require(duration))
            default: break
            }
        }
        return waits
    }
}

/// A device whose server can only be polled.
private struct Phone {
    let server: EmbeddedServer
    let backend: CountingBackend
    let store: ChatStore
    let engine: SyncEngine
    let sleeper = Sleeper()
    private let clock = ManualClock(at: 1000)
    private let alice: EmbeddedClient
    private let requestIDs = RequestIDs()

    init(_ options: SyncOptions = .exact) async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory { clock.now }
        _ = try server.createChannel(
            GroupChannelCreateParams("general", userIDs: ["bob"], url: "general"), by: "alice")
        alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
        backend = CountingBackend(base: server.client(waits: false))
        store = try ChatStore.inMemory()
        sleeper.hold()
        engine = SyncEngine(
            store: store, backend: backend, options: options,
            sleep: { [sleeper] in try await sleeper.sleep(for: $0) }, jitter: { 0 },
            now: { clock.now })
    }

    func connect() async throws { _ = try await engine.connect(as: Credentials("bob")) }

    func say(_ word: String) async throws -> Message {
        try #require(try await alice.say(word, clock, requestIDs).first)
    }
}

private final class CountingBackend: ForwardingBackend {
    let base: any Backend
    private let count = Locked(0)

    init(base: any Backend) { self.base = base }

    var requestCount: Int { count.withLock { $0 } }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        count.withLock { $0 += 1 }
        return try await base.feed(since: cursor)
    }
}

extension Timestamp {
    fileprivate func advanced(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds + duration.milliseconds)
    }
}
