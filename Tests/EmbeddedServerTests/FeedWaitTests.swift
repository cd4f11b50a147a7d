import Models
import Sync
import Testing

@testable import EmbeddedServer

/// Tests events that occur between the steps of a feed that waits.
@Suite(.timeLimit(.minutes(10))) struct FeedWaitTests {
    let world: World

    init() throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
    }

    /// Returns a feed call of bob.
    ///
    /// The call makes progress only when its executor runs.
    @available(macOS 15, iOS 18, *)
    func waitingFeed(
        of client: EmbeddedClient, since cursor: FeedCursor, on executor: StepExecutor
    ) -> Task<Result<[String], BackendError>, Never> {
        let feed = Task(executorPreference: executor) { () -> Result<[String], BackendError> in
            do throws(BackendError) {
                return .success(try await client.feed(since: cursor).events.words)
            } catch {
                return .failure(error)
            }
        }
        executor.run()
        return feed
    }

    @available(macOS 15, iOS 18, *)
    @Test func feedEndsWithItsConnection() async throws {
        let executor = StepExecutor()
        let alice = try await world.connect("alice")
        let device = world.server.client()
        _ = try await device.connect(as: Credentials("bob"))
        let start = try await device.catchUp(since: nil).cursor
        let feed = waitingFeed(of: device, since: start, on: executor)
        #expect(!executor.isReady)
        _ = try await alice.say("a")
        #expect(executor.isReady)
        _ = try await device.connect(as: Credentials("carol"))
        executor.run()
        #expect(await feed.value.code == .notConnected)
    }

    @available(macOS 15, iOS 18, *)
    @Test func cancelingAReplacedFeedKeepsTheWaitingOne() async throws {
        let (first, second) = (StepExecutor(), StepExecutor())
        let alice = try await world.connect("alice")
        let bob = world.server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        let start = try await bob.catchUp(since: nil).cursor
        let old = waitingFeed(of: bob, since: start, on: first)
        let new = waitingFeed(of: bob, since: start, on: second)
        #expect(first.isReady)
        old.cancel()
        #expect(!second.isReady)
        first.run()
        #expect(await old.value.code == .canceled)
        _ = try await alice.say("a")
        second.run()
        #expect(try await new.value.get() == ["a"])
    }

    @available(macOS 15, iOS 18, *)
    @Test func releasedDeviceEndsItsTyping() async throws {
        let executor = StepExecutor()
        let bob = world.server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        var cursor = try await bob.catchUp(since: nil).cursor
        do {
            let alice = try await world.connect("alice")
            try await alice.perform(SetTyping(true, in: "general"))
            cursor = try await bob.feed(since: cursor).cursor
        }
        // Alice's client has no reference left. The feed must now report that she stopped typing,
        // because no later event does.
        let feed = waitingFeed(of: bob, since: cursor, on: executor)
        #expect(try await feed.value.get() == ["typing []"])
    }

    @available(macOS 15, iOS 18, *)
    @Test func failedRequestWakesFeedsThatReceivedALiveEvent() async throws {
        let executor = StepExecutor()
        let alice = try await world.connect("alice")
        let bob = world.server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        var cursor = try await bob.catchUp(since: nil).cursor
        try await alice.perform(SetTyping(true, in: "general"))
        cursor = try await bob.feed(since: cursor).cursor
        let feed = waitingFeed(of: bob, since: cursor, on: executor)
        #expect(!executor.isReady)
        let number = alice.number
        #expect(throws: BackendError.self) {
            try world.server.perform { state throws(BackendError) in
                state.disconnect(number)
                throw BackendError(.refused, "no")
            }
        }
        try #require(executor.isReady)
        executor.run()
        #expect(try await feed.value.get() == ["typing []"])
    }
}

extension Result where Failure == BackendError {
    /// The code of the failure, or `nil` if the result is a success.
    fileprivate var code: BackendError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
