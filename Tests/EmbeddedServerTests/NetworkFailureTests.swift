import Models
import Store
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkFailureTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() { network = ConditionedBackend(server) }

    @Test func perfectNetworkForwardsAllCalls() async throws {
        server.receive("a b c")
        let direct = try await server.messages(in: "one", at: .newest, older: 2, newer: 0)
        #expect(try await network.messages(in: "one", at: .newest, older: 2, newer: 0) == direct)
        #expect(try await network.feed(since: "1") == server.feed(since: "1"))
        #expect(
            try await network.messageChanges(in: "one", since: .time(0))
                == server.messageChanges(in: "one", since: .time(0)))
        #expect(
            network.log == [
                "1 messages one: answered", "2 feed: answered", "3 messageChanges one: answered",
            ])
    }

    @Test func offlineCallsDoNotReachTheServer() async throws {
        network.goOffline()
        #expect(await thrown { try await network.send("a") }?.code == .notConnected)
        #expect(
            await thrown { try await network.connect(as: Credentials("u")) }?.code == .notConnected)
        #expect(server.asked == [])
        network.goOnline()
        #expect(try await network.send("a").text == "a")
        #expect(
            network.log == [
                "offline", "1 send one: notConnected", "2 connect u: notConnected", "online",
                "3 send one: answered",
            ])
    }

    @Test func goingOfflineEndsAWaitingFeed() async throws {
        let feed = Task { await thrown { try await network.feed(since: "0") }?.code }
        await server.waitUntilFeedWaits()
        network.goOffline()
        #expect(await feed.value == .notConnected)
        network.goOnline()
        server.receive("a")
        #expect(try await network.feed(since: "0").picture == "a")
    }

    @Test func feedEndsWithItsConnectionAtAnyStep() async throws {
        // In each round, the network fails at a different step of the feed call.
        for round in 0..<400 {
            _ = try await network.connect(as: Credentials("u"))
            let feed = Task { await thrown { try await network.feed(since: "0") }?.code }
            for _ in 0..<round % 8 { await Task.yield() }
            await network.disconnect()
            #expect(await feed.value == .notConnected)
        }
    }

    @Test func canceledFeedThrowsCanceled() async throws {
        let feed = Task { await thrown { try await network.feed(since: "0") }?.code }
        await server.waitUntilFeedWaits()
        feed.cancel()
        #expect(await feed.value == .canceled)
    }

    @Test func inFlightRequestIsUnansweredIfTheNetworkFails() async throws {
        let own = OwnNetwork()
        let cut = ConditionedBackend(server) { _ in own.goOffline() }
        own.network.withLock { $0.backend = cut }
        cut.update { $0.latency[.send] = Latency(answer: .seconds(1)) }
        #expect(await thrown { try await cut.send("b") }?.code == .unanswered)
        #expect(server.texts == ["b"])
    }

    @Test func requestThatIsNotSentYetIsNotConnected() async throws {
        let own = OwnNetwork()
        let cut = ConditionedBackend(server) { _ in own.goOffline() }
        own.network.withLock { $0.backend = cut }
        cut.update { $0.latency[.send] = Latency(request: .seconds(1)) }
        #expect(await thrown { try await cut.send("a") }?.code == .notConnected)
        #expect(server.texts == [])
    }

    @Test func latencyUsesTheInjectedSleep() async throws {
        let slept = Locked<[Duration]>([])
        let network = ConditionedBackend(server) { duration in
            slept.withLock { $0.append(duration) }
        }
        network.update {
            $0.defaultLatency = Latency(request: .seconds(1), answer: .seconds(2))
            $0.latency[.lookup] = Latency.none
        }
        _ = try await network.send("a")
        _ = try await network.lookup(["a"], in: "one")
        #expect(slept.withLock { $0 } == [.seconds(1), .seconds(2)])
    }

    @Test func aSleepThatIsCanceledCancelsTheCall() async throws {
        let network = ConditionedBackend(server) { _ in throw CancellationError() }
        network.update { $0.defaultLatency = Latency(request: .seconds(1)) }
        #expect(await thrown { try await network.send("a") }?.code == .canceled)
        #expect(server.texts == [])
    }

    @Test(arguments: [
        BackendError(.notConnected, ""), BackendError(.serverFailure, ""),
        BackendError(.throttled, "", retryAfter: .seconds(7)),
    ])
    func failureBeforeTheEffectHasNoEffect(error: BackendError) async throws {
        network.failNext(of: [.send], with: error)
        _ = try await network.lookup([], in: "one")
        await #expect(throws: error) { try await network.send("a") }
        #expect(server.texts == [])
        #expect(try await network.send("a").text == "a")
    }

    @Test func lostAnswerHasItsEffect() async throws {
        network.failNext(of: .writes, with: BackendError(.unanswered, "lost"), at: .afterEffect)
        #expect(await thrown { try await network.send("a") }?.code == .unanswered)
        #expect(server.texts == ["a"])
        // A repeated send returns the same message.
        #expect(try await network.send("a").text == "a")
        #expect(server.texts == ["a"])
        #expect(
            network.log == [
                "1 send one: fails after its effect", "1 send one: unanswered",
                "2 send one: answered",
            ])
    }

    @Test func callsFailUntilFailingIsStopped() async throws {
        network.failAll(of: .reads, with: BackendError(.serverFailure, "down"))
        for _ in 1...3 {
            #expect(
                await thrown { try await network.lookup([], in: "one") }?.code == .serverFailure)
        }
        network.stopFailing()
        #expect(try await network.lookup([], in: "one").found == [])
    }

    @Test func offlineCallsDoNotCountAsRequestedFailures() async throws {
        network.failNext(with: BackendError(.throttled, ""))
        network.goOffline()
        #expect(await thrown { try await network.send("a") }?.code == .notConnected)
        network.goOnline()
        #expect(await thrown { try await network.send("a") }?.code == .throttled)
    }

    @Test func theLogKeepsTheNewestLines() async throws {
        for _ in 0..<10_001 { _ = try await network.lookup([], in: "one") }
        #expect(network.log.count == 5_001)
        #expect(network.log.last == "10001 lookup one: answered")
        network.clearLog()
        #expect(network.log == [])
    }
}

/// Goes offline while one of the network's own calls sleeps.
private final class OwnNetwork: Sendable {
    /// The backend's own closure retains this object.
    struct Reference { weak var backend: ConditionedBackend? }

    let network = Locked(Reference())

    func goOffline() { network.withLock { $0.backend }?.goOffline() }
}
