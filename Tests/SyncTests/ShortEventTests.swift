import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A backend whose feed lists the channels that the user has joined, but not the invitations.
private struct JoinedChannelsBackend: ForwardingBackend {
    let base: any Backend
    let joined: Set<ChannelURL>

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        var batch = try await base.feed(since: cursor)
        if cursor == nil { batch.events.append(.joinedChannels(joined)) }
        return batch
    }
}

/// A backend that records, for each send request, the number of attempts that the item reports.
private final class AttemptsBackend: ForwardingBackend {
    let base: any Backend
    let attempts = Locked<[Int]>([])

    init(base: any Backend) { self.base = base }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        attempts.withLock { $0.append(item.attempts) }
        return try await base.send(item)
    }
}

/// Tests feed events that contain only the id of a changed object, so that the engine has to
/// request the object.
@Suite(.timeLimit(.minutes(10))) struct ShortEventTests {
    @Test func editWithoutContentIsLookedUp() async throws {
        let story = try await Story()
        story.network.conditions.feed.editsWithoutContent = 1
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        let pages = story.network.log.count { $0.contains("messages general") }
        try await story.edit(messages[1], to: "B")
        try await story.sees("a B c")
        try await story.engine.caughtUp("general")
        // The engine looks up the message, and fetches no page.
        #expect(story.network.log.count { $0.contains("messages general") } == pages)
        #expect(story.network.log.contains { $0.contains("lookup general") })
        try await story.end()
    }

    /// The message stays stale, because the request was sent before the edit.
    @Test func editWithoutContentDuringARequestIsLookedUp() async throws {
        let story = try await Story()
        story.network.conditions.feed.editsWithoutContent = 1
        let messages = try await story.say("a b c")
        try await story.open()
        story.network.hold([.messages], at: .afterEffect)
        async let fetched = story.engine.fetchMessages(
            in: "general", at: .newest, older: 9, newer: 0)
        try await story.held(1)
        try await story.edit(messages[1], to: "B")
        try await story.waitUntilNotified()
        story.network.stopHolding()
        _ = try await fetched
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a B c")
        try await story.end()
    }

    @Test func listOfJoinedChannelsKeepsInvitations() async throws {
        let story = try await Story()
        try story.createChannel("old")
        _ = try await story.alice.perform(
            CreateChannel(
                GroupChannelCreateParams("Party", userIDs: ["bob"], url: "party")))
        let engine = try await story.relaunched(
            backend: JoinedChannelsBackend(base: story.network, joined: ["general"]))
        try await engine.caughtUp("general")
        #expect(try story.store.groupChannel("party")?.myMemberState == .invited)
        #expect(try story.store.groupChannel("general") != nil)
        #expect(try story.store.groupChannel("old") == nil)
        await engine.close()
        await story.close()
    }

    @Test func sendRequestHasTheNumberOfItsAttempt() async throws {
        let story = try await Story()
        let backend = AttemptsBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        try await engine.caughtUp("general")
        story.network.failNext(
            2, of: [.send], with: BackendError(.unanswered, "lost"), at: .beforeEffect)
        for text in ["a", "b"] {
            let message = try await engine.send(NewMessage(text), in: "general")
            _ = try await engine.deliveryResult(of: message.requestID!, in: "general")
        }
        #expect(backend.attempts.withLock { $0 } == [1, 2, 3, 1])
        await engine.close()
        await story.close()
    }

    /// A process does not know whether an earlier process sent the item.
    @Test func attemptOfALaterProcessIsNotTheFirst() async throws {
        let story = try await Story()
        let a = try await story.write("a")
        await story.engine.close()
        let backend = AttemptsBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        _ = try await engine.deliveryResult(of: a, in: "general")
        #expect(backend.attempts.withLock { $0 } == [2])
        await engine.close()
        await story.close()
    }

    @Test(arguments: [false, true])
    func doubtfulItemIsRetriedOnlyWhileTheServerRemembersRequests(isLate: Bool) async throws {
        var conditions = ServerConditions()
        conditions.deduplicationPeriod = .seconds(24 * 60 * 60)
        let story = try await Story(.exact, conditions)
        try await story.open()
        story.network.failAll(of: [.send], with: BackendError(.unanswered, "lost"))
        let a = try await story.write("a")
        try await story.until { try $0.outboxItem(a)?.isDoubtful == true }
        await story.engine.close()
        story.network.stopFailing()
        story.device.advance(by: .seconds((isLate ? 25 : 23) * 60 * 60))
        let again = try await story.relaunched()
        switch try await again.deliveryResult(of: a, in: "general") {
        case .sent: #expect(!isLate)
        case .failed(let item): #expect(isLate && item.errorCode == .ackTimeout)
        case let result: Issue.record("\(result)")
        }
        await again.close()
        await story.close()
    }
}
