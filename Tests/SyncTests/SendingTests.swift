import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests messages of bob, on a device that is not always connected.
@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    let story: Story

    init() async throws {
        story = try await Story()
    }

    func result(of id: RequestID) async throws -> DeliveryResult {
        try await story.engine.deliveryResult(of: id, in: "general")
    }

    // MARK: Waiting

    @Test func manualPolicyFailsWhatTheConnectionCouldNotSend() async throws {
        let story = try await Story(.exact { $0.resendPolicy = .manual })
        try await story.open()
        func states() throws -> [String] {
            try story.store.outboxItems().map {
                "\($0.message?.text ?? "") \($0.state) \($0.errorCode?.description ?? "-")"
            }
        }
        // The request waits when the connection is lost, before it has an effect.
        story.network.hold([.send], at: .beforeEffect)
        let first = try await story.engine.send(NewMessage("a"), in: "general")
        try await story.held(1)
        story.network.goOffline()
        let result = try await story.engine.deliveryResult(of: first.requestID!, in: "general")
        guard case .failed = result else { return #expect(Bool(false), "\(result)") }
        // This message is written while the device is offline.
        try await story.engine.send(NewMessage("b"), in: "general")
        #expect(try states() == ["a failed connectionRequired", "b failed connectionRequired"])
        story.network.stopHolding()
        story.network.goOnline()
        await story.engine.reconnect()
        try await story.engine.caughtUp("general")
        #expect(try states() == ["a failed connectionRequired", "b failed connectionRequired"])
        let sent = try await story.engine.resend(first.requestID!)
        _ = try await story.engine.deliveryResult(of: sent.requestID, in: "general")
        #expect(try states() == ["b failed connectionRequired"])
        try await story.end()
    }

    @Test func offPolicyKeepsUnsentItemsAndRefusesToResendThem() async throws {
        let story = try await Story(.exact { $0.resendPolicy = .off })
        try await story.open()
        await story.engine.disconnect()
        let message = try await story.engine.send(NewMessage("a"), in: "general")
        await expectError(.notPermitted) {
            try await story.engine.resend(message.requestID!)
        }
        #expect(try story.store.outboxItems().map(\.state) == [.failed])
        try await story.engine.discardAllFailedItems(in: "general")
        #expect(try story.store.outboxItems() == [])
        await story.close()
    }

    @Test func changeThatTheServerWouldRefuseIsRefusedImmediately() async throws {
        let story = try await Story.caching("a")
        let id = try #require(try story.store.messages(in: "general").first?.messageID)
        let update = MessageUpdate.text(UserMessageUpdateParams())
        func code(_ body: () async throws -> Void) async -> SyncError.Code? {
            do { try await body() } catch { return (error as? SyncError)?.code }
            return nil
        }
        let engine = story.engine
        #expect(
            await code {
                _ = try await engine.update(.sent(id), in: "general", with: update)
            } == .notPermitted)
        #expect(
            await code { _ = try await engine.delete(.sent(id), in: "general") } == .notPermitted)
        try await story.alice.perform(SetFrozen(true, for: "general"))
        try await story.until { try $0.groupChannel("general")?.isFrozen == true }
        #expect(
            await code {
                _ = try await engine.send(NewMessage("b"), in: "general")
            } == .notPermitted)
        #expect(try story.store.outboxItems() == [])
        // While the device is offline, the engine accepts the message, because the channel may no
        // longer be frozen when the message is sent.
        await story.engine.disconnect()
        #expect(
            await code {
                _ = try await engine.send(NewMessage("c"), in: "general")
            } == nil)
        #expect(try story.store.outboxItems().count == 1)
        await story.close()
    }

    @Test func itemFailsAfterThreeDaysAndCanBeResent() async throws {
        story.network.goOffline()
        let a = try await story.write("a")
        story.device.advance(by: .seconds(3 * 24 * 3600 + 1))
        story.network.goOnline()
        try await story.connect()
        let item = try await story.engine.failed(a)
        #expect(item.errorCode == .pendingError)
        #expect(try story.picture() == "… !a")
        try await story.engine.resend(a)
        _ = try await result(of: a)
        #expect(try await story.texts() == ["a"])
        try await story.end()
    }

    // MARK: Once, and in order

    @Test func lostAnswerCreatesNoSecondMessage() async throws {
        try await story.open()
        story.network.failNext(
            of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        let a = try await story.write("a")
        let message = try await story.engine.sent(a)
        #expect(message.text == "a")
        #expect(try await story.texts() == ["a"])
        try await story.sees("a")
        try await story.end()
    }

    @Test func equalTextsAreSentTwice() async throws {
        try await story.open()
        _ = try await story.write("a")
        _ = try await result(of: try await story.write("a"))
        #expect(try await story.texts() == ["a", "a"])
        try await story.end()
    }

    // MARK: Refused

    @Test func refusedItemFailsAndOthersContinue() async throws {
        try await story.open()
        story.network.goOffline()
        let long = try await story.write(String(repeating: "x", count: 6000))
        let b = try await story.write("b")
        story.network.goOnline()
        await story.engine.reconnect()
        _ = try await result(of: b)
        let item = try await story.engine.failed(long)
        #expect(item.errorCode == .parameterTooLong)
        #expect(try await story.texts() == ["b"])
        #expect(try story.store.failedMessages(in: "general").map(\.requestID) == [long])
        #expect(try await story.engine.discardAllFailedItems(in: "general") == [long])
        #expect(try story.store.outboxItemCount() == 0)
        try await story.end()
    }

    @Test func throttledRequestWaits() async throws {
        try await story.open()
        story.network.failNext(
            of: [.send], with: BackendError(.throttled, "slowly", retryAfter: .seconds(7)))
        story.sleeper.hold()
        let a = try await story.write("a")
        await story.sleeper.begun(1)
        #expect(story.sleeper.durations == [.seconds(7)])
        #expect(try story.picture() == "(a)")
        story.device.advance(by: .seconds(7))
        story.sleeper.stopHolding()
        _ = try await result(of: a)
        #expect(try await story.texts() == ["a"])
        try await story.end()
    }

    @Test func doubtfulItemFailsWithoutDeduplication() async throws {
        var conditions = ServerConditions()
        conditions.missingCapabilities = .deduplicatesRequests
        let story = try await Story(.exact, conditions)
        try await story.open()
        // The feed is held, because it would deliver the sent message.
        story.network.hold([.feed], at: .afterEffect)
        story.network.failNext(
            of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        let a = try await story.write("a")
        let item = try await story.engine.failed(a)
        #expect(item.errorCode == .ackTimeout && item.isDoubtful)
        story.network.stopHolding()
        try await story.sees("a")
        try await story.end()
    }

    @Test func refusedItemIsNotDoubtfulWithoutDeduplication() async throws {
        var conditions = ServerConditions()
        conditions.missingCapabilities = .deduplicatesRequests
        let story = try await Story(.exact, conditions)
        try await story.open()
        let a = try await story.write(String(repeating: "x", count: 6000))
        let item = try await story.engine.failed(a)
        #expect(item.errorCode == .parameterTooLong && !item.isDoubtful)
        try await story.end()
    }

    @Test func clockSetBackDoesNotDelayRetriesForDays() async throws {
        try await story.open()
        story.network.failNext(
            of: [.send], with: BackendError(.throttled, "slowly", retryAfter: .seconds(7)))
        story.sleeper.hold()
        let a = try await story.write("a")
        await story.sleeper.begun(1)
        story.device.advance(by: .seconds(-10 * 24 * 3600))
        story.network.goOffline()
        await story.engine.disconnect()
        story.network.goOnline()
        try await story.connect()
        await story.sleeper.begun(2)
        #expect(story.sleeper.durations.allSatisfy { $0 <= .seconds(3600) })
        story.sleeper.stopHolding()
        #expect(try await story.engine.cancel(a))
        try await story.end()
    }

    @Test func removingAFailedItemContinuesAStoppedQueue() async throws {
        let options = SyncOptions.exact { $0.failedItemPolicy = .stop }
        let story = try await Story(options)
        story.network.goOffline()
        let long = try await story.write(String(repeating: "x", count: 6000))
        let b = try await story.write("b")
        story.network.goOnline()
        try await story.connect()
        _ = try await story.engine.deliveryResult(of: long, in: "general")
        try await story.engine.caughtUp()
        #expect(try story.store.outboxItem(b)?.state == .pending)
        // A new process stops at the same failed item.
        await story.engine.close()
        let again = try await story.relaunched(options)
        try await again.caughtUp()
        #expect(try story.store.outboxItem(b)?.state == .pending)
        #expect(try await again.discardFailedItems([long]) == [long])
        _ = try await again.sent(b)
        await again.close()
    }

    // MARK: Canceling

    @Test func canceledItemIsNeverSent() async throws {
        story.network.goOffline()
        let a = try await story.write("a")
        let b = try await story.write("b")
        #expect(try await story.engine.cancel(a))
        #expect(try await result(of: a) == .canceled)
        #expect(try await !story.engine.cancel(a))
        #expect(try story.store.outboxItems().map(\.requestID) == [b])
        story.network.goOnline()
        try await story.connect()
        _ = try await result(of: b)
        #expect(try await story.texts() == ["b"])
        try await story.end()
    }

    // MARK: Changes

    @Test func editOfAnUnsentMessageRewritesIt() async throws {
        story.network.goOffline()
        let a = try await story.write("a")
        try await story.engine.update(.written(a), in: "general", with: .text("A"))
        #expect(try story.picture() == "… (A)")
        #expect(try story.store.outboxItemCount() == 1)
        story.network.goOnline()
        try await story.connect()
        let message = try await story.engine.sent(a)
        #expect(message.text == "A" && message.updatedAt == nil)
        try await story.end()
    }

    @Test func changeOfAFailedMessageWaitsForIt() async throws {
        story.network.goOffline()
        let a = try await story.write("a")
        let reaction = try await story.engine.addReaction(
            "+1", to: .written(a), in: "general")
        let b = try await story.write("b")
        story.network.goOnline()
        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        _ = try await result(of: b)
        #expect(try story.store.outboxItem(reaction)?.state == .pending)
        try await story.engine.resend(a)
        #expect(try await result(of: reaction) == .done)
        #expect(try await story.texts() == ["b", "a"])
        try await story.end()
    }

    @Test func editOfADoubtfulMessageFollowsIt() async throws {
        try await story.open()
        story.network.failNext(
            of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        story.network.hold([.send], at: .beforeEffect)
        let a = try await story.write("a")
        _ = await story.network.held(atLeast: 1)
        let edit = try await story.engine.update(.written(a), in: "general", with: .text("A"))
        story.network.stopHolding()
        _ = try await result(of: edit)
        #expect(try await story.texts() == ["A"])
        try await story.end()
    }

    @Test func changeOfAFailedMessageEndsWithIt() async throws {
        let story = try await Story(.exact { $0.failedItemLimit = 0 })
        story.network.goOffline()
        let a = try await story.write(String(repeating: "x", count: 6000))
        let reaction = try await story.engine.addReaction(
            "+1", to: .written(a), in: "general")
        story.network.goOnline()
        try await story.connect()
        #expect(
            try await story.engine.deliveryResult(of: reaction, in: "general") == .canceled)
        #expect(try story.store.outboxItemCount() == 0)
        try await story.end()
    }

    @Test func editsOfAFailedMessageKeepTheirOrder() async throws {
        try await story.open()
        story.network.hold([.send], at: .beforeEffect)
        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        let a = try await story.write("a")
        _ = await story.network.held(atLeast: 1)
        let first = try await story.engine.update(.written(a), in: "general", with: .text("b"))
        story.network.stopHolding()
        _ = try await result(of: a)
        let second = try await story.engine.update(.written(a), in: "general", with: .text("c"))
        try await story.engine.resend(a)
        _ = try await (result(of: first), result(of: second))
        #expect(try await story.texts() == ["c"])
        try await story.end()
    }

    /// The first attempt may have reached the server, although the second attempt failed.
    @Test func editOfAMessageInDoubtIsSentAfterIt() async throws {
        try await story.open()
        story.network.hold([.feed], at: .afterEffect)
        story.network.failNext(
            of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        let a = try await story.write("a")
        _ = try await result(of: a)
        #expect(try story.picture() == "!a")
        let edit = try await story.engine.update(.written(a), in: "general", with: .text("A"))
        story.network.stopHolding()
        _ = try await result(of: edit)
        #expect(try await story.texts() == ["A"])
        try await story.end()
    }

    /// A later process does not know which requests the earlier one had sent.
    @Test func editOfAMessageOfAnEarlierProcessIsSentAfterIt() async throws {
        try await story.open()
        story.network.hold([.feed, .send], at: .afterEffect)
        let a = try await story.write("a")
        try await story.held(2)
        await story.close()
        story.network.stopHolding()
        story.network.hold([.feed], at: .beforeEffect)
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        let engine = try await story.relaunched()
        _ = try await engine.deliveryResult(of: a, in: "general")
        #expect(try story.picture() == "!a")
        let edit = try await engine.update(.written(a), in: "general", with: .text("A"))
        #expect(try story.picture() == "!A")
        story.network.stopHolding()
        _ = try await engine.deliveryResult(of: edit, in: "general")
        #expect(try await story.texts() == ["A"])
        await engine.close()
    }

    /// A view may still use the request id of a message that has been sent.
    @Test func requestIDIdentifiesAMessageThatWasSent() async throws {
        try await story.open()
        let a = try await story.write("a")
        _ = try await result(of: a)
        let edit = try await story.engine.update(.written(a), in: "general", with: .text("A"))
        let message = try await story.engine.sent(edit)
        #expect(message.text == "A")
        let reaction = try await story.engine.addReaction(
            "+1", to: .written(a), in: "general")
        #expect(try await result(of: reaction) == .done)
        let deletion = try await story.engine.delete(.written(a), in: "general")
        #expect(try await result(of: deletion) == .done)
        #expect(try await story.texts() == [])
        try await story.end()
    }

    @Test func changeOfAnUnknownMessageIsRefused() async throws {
        try await story.open()
        for change: @Sendable (isolated SyncEngine) throws -> Void in [
            { try $0.update(.written("x"), in: "general", with: .text("A")) },
            { try $0.addReaction("+1", to: .written("x"), in: "general") },
            { try $0.delete(.written("x"), in: "general") },
        ] {
            let error = await #expect(throws: SyncError.self) { try await change(story.engine) }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("request id x") == true)
        }
        #expect(try story.store.outboxItemCount() == 0)
        try await story.end()
    }
}
