import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests that nothing that names a message of an earlier epoch of the server reaches the message
/// that has the same ID now.
@Suite(.timeLimit(.minutes(10))) struct FormerEpochTests {
    enum Change: CaseIterable {
        case edit, deletion, addition, removal, reply
    }

    let story: Story
    let backup: Backup
    /// The message that the server loses.
    let lost: MessageID

    /// Bob has sent a message, of which the backup of the server does not know.
    init() async throws {
        story = try await Story()
        try await story.say("a")
        try await story.open()
        backup = try story.server.backup()
        let id = try await story.write("wrong")
        let result = try await story.engine.deliveryResult(of: id, in: "general")
        guard case .sent(let message) = result else { fatalError("\(result)") }
        lost = try #require(message.messageID)
        try await story.waitUntilNotified()
    }

    private func make(_ change: Change, by engine: SyncEngine) async throws -> RequestID {
        switch change {
        case .edit:
            try await engine.update(.sent(lost), in: "general", with: .text("edited"))
        case .deletion: try await engine.delete(.sent(lost), in: "general")
        case .addition: try await engine.addReaction("+1", to: .sent(lost), in: "general")
        case .removal: try await engine.deleteReaction("+1", from: .sent(lost), in: "general")
        case .reply: try await reply(by: engine)
        }
    }

    private func reply(by engine: SyncEngine) async throws -> RequestID {
        var params = NewMessage("reply")
        params.parentMessageID = lost
        let reply = try await engine.send(params, in: "general")
        return try #require(reply.requestID)
    }

    /// Restores the backup, and sends another message of bob, which gets the ID of the lost one.
    private func restore() async throws {
        try story.server.restore(backup)
        let phone = story.server.client()
        _ = try await phone.connect(as: Credentials("bob"))
        story.clock.advance(by: .seconds(1))
        let ids = RequestIDs(prefix: "phone ")
        let new = try await phone.say("precious", in: "general", story.clock, ids)
        #expect(new[0].messageID == lost)
        _ = try await phone.react(
            .add, with: "+1", to: lost, in: "general", requestID: ids.next(), epoch: nil)
        await phone.disconnect()
    }

    /// Checks that the device shows the new message unchanged, and then the failed reply, if any.
    private func expectUnharmed(
        _ engine: SyncEngine, after change: Change = .edit
    ) async throws {
        let history = try await story.alice.history(of: "general")
        #expect(history.map(\.text) == ["a", "precious"])
        #expect(history.last?.reactions.map(\.userIDs) == [["bob"]])
        #expect(history.last?.threadInfo?.replyCount ?? 0 == 0)
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees(change == .reply ? "a precious !reply" : "a precious")
        let shown = try story.store.read { reader in
            let items = try reader.outboxItems(in: "general")
            let unsentChanges = UnsentChanges(items, userID: "bob")
            return try reader.messages(in: "general").reversed().compactMap(unsentChanges.shown)
        }
        #expect(shown.map(\.text) == ["a", "precious"])
        #expect(shown.last?.reactions.map(\.userIDs) == [["bob"]])
    }

    private func expectEnd(of change: Change, _ id: RequestID, _ engine: SyncEngine) async throws {
        let result = try await engine.deliveryResult(of: id, in: "general")
        if change == .deletion {
            #expect([.done, .unknown].contains(result), "\(result)")
            #expect(try story.store.outboxItems() == [])
        } else {
            guard case .failed(let item) = result else {
                return #expect(Bool(false), "\(result)")
            }
            #expect(item.errorCode == .messageNotFound)
            #expect(try story.store.outboxItems(state: .failed).map(\.requestID) == [id])
            // Resending it does not reach the other message either.
            try await engine.resend(id)
            _ = try await engine.failed(id)
        }
    }

    @Test(arguments: Change.allCases, [true, false])
    func queuedChangeReachesNoOtherMessage(_ change: Change, restarts: Bool) async throws {
        await story.engine.disconnect()
        let id = try await make(change, by: story.engine)
        try await restore()
        let engine: SyncEngine
        if restarts {
            await story.engine.close()
            engine = try await story.relaunched()
        } else {
            engine = story.engine
            try await story.connect()
        }
        try await engine.caughtUp("general")
        try await expectEnd(of: change, id, engine)
        try await expectUnharmed(engine, after: change)
        await engine.close()
    }

    @Test(arguments: Change.allCases)
    func requestInFlightReachesNoOtherMessage(_ change: Change) async throws {
        story.network.hold([.update, .delete, .react, .send], at: .beforeEffect)
        let id = try await make(change, by: story.engine)
        try await story.held(1)
        // The engine learns the new epoch only after the request has reached the server.
        story.network.hold([.update, .delete, .react, .send, .feed], at: .beforeEffect)
        try await restore()
        story.network.hold([.feed], at: .beforeEffect)
        while let index = story.network.held.firstIndex(where: { $0.call != .feed }) {
            story.network.release(at: index)
        }
        _ = try await story.engine.deliveryResult(of: id, in: "general")
        story.network.stopHolding()
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        try await expectUnharmed(story.engine, after: change)
        await story.close()
    }

    /// The device knows the new epoch, but still shows the lost message.
    @Test(arguments: Change.allCases)
    func changeOfAMessageThatWasNotFetchedSinceReachesNoOther(_ change: Change) async throws {
        await story.engine.disconnect()
        try await restore()
        story.network.hold([.messages, .lookup, .messageChanges])
        try await story.sync()
        #expect(try story.store.read { try $0.message(lost, in: "general")?.text } == "wrong")
        let id = try await make(change, by: story.engine)
        try await expectEnd(of: change, id, story.engine)
        story.network.stopHolding()
        try await expectUnharmed(story.engine, after: change)
        await story.close()
    }

    @Test func changeOfAMessageThatWasFetchedSinceIsSent() async throws {
        await story.engine.disconnect()
        try await restore()
        try await story.open()
        let id = try await make(.edit, by: story.engine)
        guard case .sent = try await story.engine.deliveryResult(of: id, in: "general") else {
            return #expect(Bool(false))
        }
        #expect(try await story.texts() == ["a", "edited"])
        try await story.end()
    }

    /// After the range was verified, a later loss of the cursor does not count as a new epoch.
    @Test func changeAfterAnExpiredCursorIsSent() async throws {
        await story.engine.disconnect()
        try await restore()
        try await story.open()
        await story.engine.disconnect()
        try story.server.expireCursors()
        story.network.hold([.messages, .lookup, .messageChanges])
        try await story.sync()
        let id = try await make(.edit, by: story.engine)
        guard case .sent = try await story.engine.deliveryResult(of: id, in: "general") else {
            return #expect(Bool(false))
        }
        story.network.stopHolding()
        try await story.end()
    }

    @Test func storedEpochHasItsGoldenBytes() {
        let former = FormerEpoch("a b", losses: 3...7)
        #expect(String(decoding: former.bytes, as: UTF8.self) == "3 7 a b")
        #expect(FormerEpoch(bytes: former.bytes) == former)
        for text in ["", "3 7", "7 3 a", "x 7 a"] {
            #expect(FormerEpoch(bytes: Array(text.utf8)) == nil)
        }
    }

    @Test func callThatIsNotQueuedReachesNoOtherMessage() async throws {
        story.network.hold([SetPinned.name, MarkAsUnread.name], at: .beforeEffect)
        async let pinned: Void = story.engine.perform(SetPinned(true, lost, in: "general"))
        try await story.held(1)
        try await restore()
        story.network.stopHolding()
        do {
            try await pinned
            Issue.record("the call threw no error")
        } catch {
            #expect((error as? SyncError)?.code == .notFound)
        }
        #expect(try await story.alice.channel("general").pinnedMessageIDs == [])
        await story.close()
    }

    /// The server accepts a message and is then restored, before the answer arrives.
    @Test func messageInFlightIsSentToTheRestoredServerOnce() async throws {
        // Neither the answer nor the feed reports the message before the restore.
        story.network.hold([.send, .feed])
        let id = try await story.write("new")
        try await story.held(2)
        try story.server.restore(backup)
        #expect(try await story.texts() == ["a"])
        story.network.hold([])
        story.network.drop(at: try #require(story.network.held.firstIndex { $0.call == .feed }))
        try await story.waitUntilNotified()
        story.network.stopHolding()
        guard case .sent = try await story.engine.deliveryResult(of: id, in: "general") else {
            return #expect(Bool(false))
        }
        #expect(try await story.texts() == ["a", "new"])
        try await story.end()
    }

    /// An edit waits for a message that the server accepts, and then loses.
    @Test func changeOfAnUnsentMessageHasTheEpochInWhichItWasSent() async throws {
        story.network.hold([.send])
        let id = try await story.write("new")
        try await story.held(1)
        let edit = try await story.engine.update(.written(id), in: "general", with: .text("newer"))
        story.network.hold([.update], at: .beforeEffect)
        story.network.releaseAll()
        try await story.held(1)
        try await restore()
        story.network.stopHolding()
        try await story.waitUntilNotified()
        let item = try await story.engine.failed(edit)
        #expect(item.errorCode == .messageNotFound)
        try await expectUnharmed(story.engine)
        await story.close()
    }
}
