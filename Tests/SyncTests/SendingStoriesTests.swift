import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests problems with sending that other systems had, according to their issues and release notes.
@Suite(.timeLimit(.minutes(10))) struct SendingStoriesTests {
    let story: Story

    init() async throws {
        story = try await Story()
    }

    private func result(of id: RequestID) async throws -> DeliveryResult {
        try await story.engine.deliveryResult(of: id, in: "general")
    }

    // MARK: Echoes

    /// The answer to the request arrives first.
    ///
    /// Later the feed delivers the same message (stream-chat-react 2331).
    @Test func feedEventAfterTheResponseIsOneMessage() async throws {
        try await story.open()
        story.network.hold([.feed], at: .afterEffect)
        let a = try await story.write("a")
        _ = try await story.engine.sent(a)
        #expect(try story.picture() == "a")
        story.network.stopHolding()
        try await story.waitUntilNotified()
        #expect(try story.picture() == "a")
        try await story.end()
    }

    /// Three messages are sent quickly after a message of another user.
    ///
    /// The feed delivers them in one batch (KiroCrew 3963, stream-chat-swift 3316).
    @Test func quicklySentMessagesKeepTheirPlaces() async throws {
        try await story.say("o")
        try await story.open()
        story.network.hold([.feed, .send], at: .afterEffect)
        for text in ["a", "b", "c"] { _ = try await story.write(text) }
        var pictures = [try story.picture()]
        for number in 1...3 {
            let held = try await story.held(2)
            let index = try #require(held.firstIndex { $0.call == .send })
            story.network.release(at: index)
            try await story.until { try $0.outboxItemCount() == 3 - number }
            pictures.append(try story.picture())
        }
        #expect(pictures == ["o (a) (b) (c)", "o a (b) (c)", "o a b (c)", "o a b c"])
        story.network.stopHolding()
        try await story.end()
        #expect(try story.picture() == "o a b c")
    }

    /// All messages of the page are the user's own.
    ///
    /// The answers to their send requests were lost.
    @Test func pageOfSentMessagesRemovesTheirOutboxItems() async throws {
        try await story.open()
        story.network.hold([.feed], at: .afterEffect)
        story.sleeper.hold()
        story.network.failNext(
            of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        let a = try await story.write("a")
        await story.sleeper.begun(1)
        #expect(try story.picture() == "(a)")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 10, newer: 0)
        _ = try await story.engine.sent(a)
        #expect(try story.picture() == "a")
        story.sleeper.stopHolding()
        story.network.stopHolding()
        try await story.end()
        #expect(try await story.texts() == ["a"])
    }

    // MARK: Messages that only the device has

    /// The page that is fetched after a reconnect does not contain "b", which is still pending
    /// (stream-chat-android 6708).
    @Test func pageKeepsWaitingOutboxItems() async throws {
        try await story.say("a")
        try await story.open()
        story.sleeper.hold()
        story.network.failNext(
            of: [.send], with: BackendError(.throttled, "slowly", retryAfter: .seconds(7)))
        _ = try await story.write("b")
        await story.sleeper.begun(1)
        await story.engine.disconnect()
        try await story.connect()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 10, newer: 0)
        #expect(try story.picture() == "a (b)")
        story.device.advance(by: .seconds(7))
        story.sleeper.stopHolding()
        try await story.sees("a b")
        try await story.end()
    }

    /// While the device is offline, its user writes a message in an empty channel, and another user
    /// sends one there (Sendbird's JavaScript 4.14.0).
    @Test func firstMessageOfAnEmptyChannelPrecedesUnsentMessages() async throws {
        try await story.open()
        #expect(try story.picture() == "")
        story.network.goOffline()
        let b = try await story.write("b")
        #expect(try story.picture() == "(b)")
        try await story.say("a")
        story.network.goOnline()
        await story.engine.reconnect()
        _ = try await result(of: b)
        try await story.end()
        #expect(try story.picture() == "a b")
    }

    /// A failed message that was removed reappeared after a restart (matrix-ios-kit 65, Sendbird's
    /// JavaScript 4.0.1).
    @Test func removedItemStaysRemovedAfterARestart() async throws {
        try await story.open()
        let long = try await story.write(String(repeating: "x", count: 6000))
        _ = try await result(of: long)
        #expect(try await story.engine.discardFailedItems([long]) == [long])
        await story.engine.close()
        let again = try await story.relaunched()
        try await again.caughtUp("general")
        #expect(try story.picture() == "")
        #expect(try await story.texts() == [])
        await again.close()
    }

    /// A request for one channel's failed messages returned those of other channels, too
    /// (Sendbird's JavaScript 4.0.2).
    @Test func failedMessagesAreListedPerChannel() async throws {
        try story.createChannel("other")
        try await story.open()
        let long = try await story.write(String(repeating: "x", count: 6000))
        _ = try await result(of: long)
        #expect(try story.store.failedMessages(in: "other") == [])
        #expect(try await story.engine.discardAllFailedItems(in: "other") == [])
        #expect(try story.store.failedMessages(in: "general").map(\.requestID) == [long])
        try await story.end()
    }

    // MARK: Ended processes

    /// The process ends while a message is in flight, after the server has received it
    /// (stream-chat-swift 2676, Sendbird's JavaScript 4.39.2).
    @Test func processEndDuringSendingCreatesNoSecondMessage() async throws {
        try await story.open()
        story.network.hold([.send, .feed], at: .afterEffect)
        let a = try await story.write("a")
        let b = try await story.write("b")
        try await story.held(2)
        await story.engine.close()
        story.network.stopHolding()
        #expect(try story.picture() == "(a) (b)")
        let again = try await story.relaunched()
        for id in [a, b] { _ = try await again.deliveryResult(of: id, in: "general") }
        #expect(try await story.texts() == ["a", "b"])
        #expect(try story.picture() == "a b")
        await again.close()
    }

    // MARK: Time

    /// The app decides whether messages that were written a day ago are still sent
    /// (stream-chat-swift 2674).
    @Test(arguments: [1, 3]) func lifetimeOfAnItemIsAnOption(days: Int) async throws {
        let story = try await Story(.exact { $0.outboxItemLifetime = .seconds(days * 24 * 3600) })
        story.network.goOffline()
        let a = try await story.write("a")
        story.device.advance(by: .seconds(26 * 3600))
        story.network.goOnline()
        try await story.connect()
        let result = try await story.engine.deliveryResult(of: a, in: "general")
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == (days == 1 ? "!a" : "a"))
        if case .failed(let item) = result { #expect(item.errorCode == .pendingError) }
        try await story.end()
    }

    /// The device's clock is wrong by ten years when the messages are written, and may be corrected
    /// before they are sent (stream-chat-swift 1246).
    @Test(arguments: [-10, 10]) func wrongDeviceClockDoesNotMoveMessages(years: Int) async throws {
        let (a, wrong) = (try await story.say("a")[0], Duration.seconds(years * 365 * 24 * 3600))
        try await story.open()
        story.device.advance(by: wrong)
        story.network.goOffline()
        let b = try await story.write("b")
        let c = try await story.write("c")
        #expect(try story.store.outboxItem(b)?.follows == a.position)
        #expect(try story.picture() == "a (b) (c)")
        // A clock that is slow is not corrected here: the messages would then be older than the
        // limit of three days.
        if years > 0 { story.device.advance(by: .zero - wrong) }
        story.network.goOnline()
        await story.engine.reconnect()
        _ = try await result(of: c)
        try await story.end()
        #expect(try story.picture() == "a b c")
    }

    // MARK: Limits

    @Test func newestFailedItemsAreKept() async throws {
        let story = try await Story(.exact { $0.failedItemLimit = 1 })
        try await story.open()
        let first = try await story.write(String(repeating: "x", count: 6000))
        let second = try await story.write(String(repeating: "y", count: 6000))
        _ = try await story.engine.deliveryResult(of: second, in: "general")
        #expect(try story.store.failedMessages(in: "general").map(\.requestID) == [second])
        #expect(try await story.engine.deliveryResult(of: first, in: "general") == .canceled)
        try await story.end()
    }

    @Test func oldFailureIsForgottenAtTheNextConnection() async throws {
        let story = try await Story(.exact { $0.failedItemLifetime = .seconds(24 * 3600) })
        try await story.open()
        let long = try await story.write(String(repeating: "x", count: 6000))
        _ = try await story.engine.deliveryResult(of: long, in: "general")
        await story.engine.disconnect()
        story.device.advance(by: .seconds(25 * 3600))
        #expect(try story.store.outboxItemCount() == 1)
        try await story.connect()
        #expect(try await story.engine.deliveryResult(of: long, in: "general") == .canceled)
        #expect(try story.store.outboxItemCount() == 0)
        try await story.end()
    }

    @Test func itemFailsAtTheRetryLimitAndOthersContinue() async throws {
        let story = try await Story(.exact { $0.backoff = .twoRetries })
        try await story.open()
        story.network.failNext(
            2, of: [.send], with: BackendError(.unanswered, "lost"), at: .beforeEffect)
        let a = try await story.write("a")
        let b = try await story.write("b")
        let item = try await story.engine.failed(a)
        #expect(item.errorCode == .pendingError && item.isResendable && item.attempts == 2)
        _ = try await story.engine.deliveryResult(of: b, in: "general")
        try await story.engine.resend(a)
        _ = try await story.engine.deliveryResult(of: a, in: "general")
        #expect(try await story.texts() == ["b", "a"])
        try await story.end()
    }

    // MARK: Results

    @Test func eachDeliveryResultIsReportedOnce() async throws {
        let events = await story.engine.events()
        try await story.open()
        let a = try await story.write("a")
        let id = try #require(try await story.engine.sent(a).messageID)
        let reaction = try await story.engine.addReaction("+1", to: .sent(id), in: "general")
        _ = try await result(of: reaction)
        let long = try await story.write(String(repeating: "x", count: 6000))
        _ = try await result(of: long)
        try await story.engine.cancel(long)
        try await story.end()
        var results: [String] = []
        for await case .deliveryResult(let result, let item) in events {
            switch result {
            case .sent: results.append("\(item.requestID) sent")
            case .done: results.append("\(item.requestID) done")
            case .failed: results.append("\(item.requestID) failed")
            case .canceled: results.append("\(item.requestID) canceled")
            case .unknown: results.append("\(item.requestID) unknown")
            }
        }
        #expect(results == ["\(a) sent", "\(reaction) done", "\(long) failed", "\(long) canceled"])
    }

    @Test func deliveryResultIsAvailableAfterALaterDeletion() async throws {
        try await story.open()
        let a = try await story.write("a")
        let id = try #require(try await story.engine.sent(a).messageID)
        let deletion = try await story.engine.delete(.sent(id), in: "general")
        try await story.sees("")
        #expect(try await result(of: deletion) == .done)
        _ = try await story.engine.sent(a)
        #expect(try await result(of: "nobody's") == .unknown)
        try await story.end()
    }
}
