import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A backend whose `disconnect` ends only when the test allows it.
struct SlowlyEndingBackend: ForwardingBackend {
    let base: any Backend
    let sleeper = Sleeper()

    func disconnect() async {
        try? await sleeper.sleep(for: .zero)
        await base.disconnect()
    }
}

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    @Test func delaysBetweenAttemptsGrow() async throws {
        let story = try await Story()
        try await story.open()
        story.sleeper.hold()
        story.network.goOffline()
        for count in 1...6 {
            await story.sleeper.begun(count)
            story.sleeper.wake()
        }
        await story.sleeper.begun(7)
        #expect(
            story.sleeper.durations == [3, 6, 12, 24, 24, 24, 24].map { Duration.seconds($0) })
        story.network.goOnline()
        await story.engine.reconnect()
        try await story.end()
    }

    @Test func throttledConnectionWaitsForTheGivenDuration() async throws {
        let story = try await Story()
        let busy = BackendError(.throttled, "too many", retryAfter: .seconds(60))
        story.network.failNext(1, of: [.connect], with: busy)
        await #expect(throws: SyncError.self) { try await story.connect() }
        // For its first connection, the engine does not wait.
        #expect(story.sleeper.durations == [])
        try await story.open()
        await story.engine.disconnect()
        story.network.failNext(1, of: [.connect], with: busy)
        try await story.connect()
        try await story.engine { $0.connection == .online }
        #expect(story.sleeper.durations == [.seconds(60)])
        try await story.end()
    }

    /// A system may cancel requests, for example those of a suspended app.
    @Test func connectionThatTheBackendHasCanceledIsTriedAgain() async throws {
        let story = try await Story()
        let canceled = BackendError(.canceled, "the system has canceled the request")
        story.network.failNext(1, of: [.connect], with: canceled)
        await #expect(throws: SyncError.self) { try await story.connect() }
        try await story.open()
        await story.engine.disconnect()
        story.network.failNext(1, of: [.connect], with: canceled)
        try await story.connect()
        try await story.engine { $0.connection == .online }
        try await story.end()
    }

    @Test(arguments: [BackendError.Code.throttled, .serverFailure, .unanswered])
    func transientFailureIsRetriedLater(_ code: BackendError.Code) async throws {
        let story = try await Story()
        try await story.say("a b c")
        story.network.failNext(
            2, of: [.messages], with: BackendError(code, "not now", retryAfter: .seconds(5)))
        try await story.open()
        #expect(try story.picture() == "a b c")
        #expect(story.sleeper.durations == [5, 6].map { Duration.seconds($0) })
        try await story.end()
    }

    @Test func failedFeedRequestIsRetriedLater() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        story.sleeper.hold()
        story.network.failAll(of: [.feed], with: BackendError(.serverFailure, "oh"))
        try await story.say("a")
        try await story.connect()
        for count in 1...3 {
            await story.sleeper.begun(count)
            if count == 3 { story.network.stopFailing() }
            story.sleeper.wake()
        }
        try await story.sees("a")
        #expect(story.sleeper.durations == [3, 6, 12].map { Duration.seconds($0) })
        try await story.end()
    }

    // MARK: Users

    @Test func revokedUserCannotConnectAgain() async throws {
        let story = try await Story()
        try await story.open()
        try story.server.revokeUser("bob")
        try await story.engine { $0.connection == .revoked }
        #expect(story.sleeper.durations == [])
        await expectError(.sessionEnded) { try await story.connect() }
        #expect(await story.engine.state.connection == .revoked)
        await story.close()
    }

    @Test func failedSessionRenewalLeavesTheClientOffline() async throws {
        let story = try await Story()
        try await story.open()
        story.server.expireSessions(of: "bob")
        try await story.engine { $0.connection == .offline }
        try await story.connect()
        try await story.end()
    }

    @Test func repeatedlyExpiredSessionIsRenewedWithGrowingDelays() async throws {
        let story = try await Story(renewSession: { Credentials("bob") })
        try await story.open()
        story.sleeper.hold()
        story.network.failAll(of: [.connect], with: BackendError(.sessionExpired, "expired"))
        story.server.expireSessions(of: "bob")
        await story.sleeper.begun(1)
        story.sleeper.wake()
        await story.sleeper.begun(2)
        #expect(story.sleeper.durations == [3, 6].map { Duration.seconds($0) })
        story.network.stopFailing()
        story.sleeper.wake()
        try await story.engine { $0.connection == .online }
        try await story.end()
    }

    // MARK: Late answers

    @Test func answerOfAnEarlierConnectionIsIgnored() async throws {
        let story = try await Story()
        let messages = try await story.say("a b")
        story.network.hold([.messages])
        try await story.connect()
        async let caughtUp: Void = story.engine.caughtUp("general")
        try await story.held(1)
        story.network.goOffline()
        try await story.delete(messages[0])
        story.network.stopHolding()
        story.network.goOnline()
        try await caughtUp
        #expect(try story.picture() == "b")
        try await story.end()
    }

    @Test func closingTheEngineFailsWaitingCalls() async throws {
        let story = try await Story()
        try await story.say("a")
        story.network.hold([.messages])
        try await story.connect()
        let waiting = Task { try await story.engine.caughtUp("general") }
        try await story.held(1)
        await story.close()
        await #expect(throws: SyncError.self) { try await waiting.value }
        #expect(try story.picture() == "…")
    }

    @Test func cancellationEndsAllWaitingCalls() async throws {
        let story = try await Story()
        try await story.say("a")
        story.network.hold([.messages])
        try await story.connect()
        let waiting = Task { try await story.engine.caughtUp("general") }
        try await story.held(1)
        waiting.cancel()
        await #expect(throws: SyncError.self) { try await waiting.value }
        story.network.stopHolding()
        try await story.end()
    }

    @Test func afterTheLastAttemptTheEngineIsOffline() async throws {
        let story = try await Story(.exact { $0.backoff = .twoRetries })
        try await story.open()
        story.network.goOffline()
        try await story.engine { $0.connection == .offline }
        story.network.goOnline()
        try await story.connect()
        try await story.end()
    }

    @Test func feedFailureAfterTheLastAttemptGoesOffline() async throws {
        let story = try await Story(.exact { $0.backoff = .twoRetries })
        try await story.open()
        await story.engine.disconnect()
        story.network.failAll(of: [.feed], with: BackendError(.serverFailure, "oh"))
        try await story.connect()
        try await story.engine { $0.connection == .offline }
        story.network.stopFailing()
        try await story.connect()
        try await story.end()
    }

    @Test func channelIsNotRequestedAfterTheLastAttempt() async throws {
        let story = try await Story(.exact { $0.backoff = .twoRetries })
        try await story.say("a")
        try await story.connect()
        story.network.failAll(of: [.messages], with: BackendError(.serverFailure, "oh"))
        await #expect(throws: SyncError.self) { try await story.engine.caughtUp("general") }
        story.network.stopFailing()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a")
        try await story.end()
    }

    @Test func releasedEngineStops() async throws {
        let story = try await Story()
        try await story.open()
        await story.close()
        var engine: SyncEngine? = story.restarted()
        try await engine?.connect(as: Credentials("bob"))
        let events = try #require(await engine?.events())
        engine = nil
        // The sequence ends when the engine is released.
        for await _ in events {}
        #expect(story.network.held.isEmpty)
    }

    @Test func reconnectAfterDisconnectReusesTheCredentials() async throws {
        let renewing = Sleeper()
        renewing.hold()
        let story = try await Story(renewSession: {
            try? await renewing.sleep(for: .zero)
            return nil
        })
        try await story.open()
        story.server.expireSessions(of: "bob")
        await renewing.begun(1)
        await story.engine.disconnect()
        await renewing.ended()
        try await story.connect()
        try await story.end()
    }

    @Test func closingWaitsForTheEndOfTheEngine() async throws {
        let story = try await Story()
        let backend = SlowlyEndingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        backend.sleeper.hold()
        async let first: Void = engine.close()
        await backend.sleeper.begun(1)
        async let isOver = {
            await engine.close()
            return backend.sleeper.count == 0
        }()
        for _ in 0..<100 { await Task.yield() }
        backend.sleeper.stopHolding()
        #expect(await isOver)
        await first
        await story.close()
    }

    @Test func connectWaitsForTheEndOfTheEarlierConnection() async throws {
        let story = try await Story()
        let backend = SlowlyEndingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        backend.sleeper.hold()
        async let end: Void = engine.disconnect()
        await backend.sleeper.begun(1)
        async let connected = engine.connect(as: Credentials("bob"))
        for _ in 0..<100 { await Task.yield() }
        backend.sleeper.stopHolding()
        await end
        #expect(try await connected.reason == nil)
        try await story.say("a")
        try await engine.caughtUp("general")
        #expect(try story.picture() == "a")
        await engine.close()
        await story.close()
    }

    @Test func connectFailsIfTheStoredUserIsDamaged() async throws {
        let story = try await Story.caching("a")
        await story.close()
        try story.store.write { $0.setToken([0xFF], for: "user") }
        let engine = story.restarted()
        await expectError(.store) {
            try await engine.connect(as: Credentials("eve"))
        }
        await engine.close()
    }
}
