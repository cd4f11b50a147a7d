import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@testable import Collections

@MainActor
@Suite(.timeLimit(.minutes(10))) struct PushInboxStoryTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    /// Opens the push inbox as another process would.
    private func box(of userID: UserID = "bob", _ key: EncryptionKey? = nil) throws -> PushInbox {
        try #require(
            try PushInbox(
                of: userID, applicationID: "default", in: story.directory, encryptionKey: key))
    }

    private func hasBox(of userID: UserID = "bob") throws -> Bool {
        try PushInbox(of: userID, applicationID: "default", in: story.directory) != nil
    }

    /// Opens the app and shows the channel.
    private func begin(
        _ options: ChatClientOptions? = nil
    ) async throws -> (client: ChatClient, view: View) {
        let client = try await story.connected(options)
        let collection = try await client.startedCollection()
        return (client, View(collection))
    }

    /// Stores messages as another process leaves them, or as the app receives them.
    @discardableResult
    private func push(
        _ messages: [Message], to client: ChatClient, throughInbox: Bool
    ) async throws -> Int {
        guard throughInbox else { return try await client.ingest(push: messages) }
        try box().leave(messages)
        return try await client.readPushInbox().storedCount
    }

    private func texts(_ client: ChatClient) throws -> [String] {
        try client.engine.store.messages(in: "general").map(\.text).reversed()
    }

    @Test func unreadableInboxFileDoesNotBlockTheOthers() async throws {
        let client = try await story.connected()
        await client.disconnect()
        let sent = try await story.say("a")
        let drops = try #require(try client.engine.store.directory).appending(path: "drops")
        try box().leave(sent)
        let first = drops.appending(path: "0000000000000000-0000000000000000.drop")
        let other = drops.appending(path: "0000000000000000-0000000000000001.drop")
        try Data("scrollback 2 whatever it is c095846ac685ec00\nmore\n".utf8).write(to: first)
        try FileManager.default.createSymbolicLink(
            at: other, withDestinationURL: drops.appending(path: "lock"))

        let received = try await client.readPushInbox()
        #expect(received.messages.map(\.text) == ["a"])
        #expect((received.failure?.cause as? StoreError)?.code == .newerSchema)
        #expect(received.damage.map(\.reason) == [.notAFile])
        #expect(try texts(client) == ["a"])
        #expect(try client.engine.store.pushNames() == [first.lastPathComponent])
        #expect(try await client.readPushInbox().failure != nil)
        if case .success = client.lastReceivedPushes { Issue.record("no failure") }
        try FileManager.default.removeItem(at: first)
        #expect(try await client.readPushInbox().isEmpty)
        if case .failure = client.lastReceivedPushes { Issue.record("it could look") }
        await client.close()
    }

    @Test func pushedMessageIsShownAtOnceWithoutCoverage() async throws {
        try await story.say("a b")
        let (client, view) = try await begin()
        await client.disconnect()
        let sent = try await story.say("c d")
        try box().leave([sent[1]])

        let received = try await client.readPushInbox()
        #expect(received.pushCount == 1 && received.storedCount == 1 && received.damage.isEmpty)
        #expect(received.messages.map(\.text) == ["d"])
        await view.until { $0.items.last?.message?.text == "d" }
        // The message is stored inside a gap, because the messages next to it are missing.
        #expect(try client.engine.store.gaps(in: "general").count == 1)
        #expect(try box().count == 0)
        #expect(try await client.readPushInbox().isEmpty)
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b c d")
        await client.close()
    }

    @Test func pushesAreStoredWhenTheAppOpens() async throws {
        try await story.say("a")
        let (client, _) = try await begin()
        await client.close()
        try box().leave(try await story.say("b"))
        story.network.goOffline()
        let again = try await story.open()
        #expect(try texts(again) == ["a", "b"])
        #expect(try again.lastReceivedPushes?.get().messages.map(\.text) == ["b"])
        await again.close()
    }

    @Test func pushesAreStoredWhenTheAppResumes() async throws {
        try await story.say("a")
        let (client, view) = try await begin()
        await client.disconnect()
        try await client.suspend()
        try box().leave(try await story.say("b"))
        // If the store is not open, the call neither reads nor removes a file.
        await #expect(throws: SyncError.self) { try await client.readPushInbox() }
        #expect(try box().count == 1)
        try await client.resume()
        #expect(try box().count == 0)
        await view.until { $0.items.last?.message?.text == "b" }
        await client.close()
    }

    @Test func pushInboxIsProcessedWhenTheAppBecomesActive() async throws {
        try await story.say("a")
        let (client, _) = try await begin()
        await client.disconnect()
        let (b, c) = (try await story.say("b"), try await story.say("c"))
        try box().leave(b)
        await client.reconnect()
        #expect(try texts(client) == ["a", "b"])
        try box().leave(c)
        story.network.goOffline()
        try await client.connect(as: Credentials("bob"))
        #expect(try texts(client) == ["a", "b", "c"])
        await client.close()
    }

    @Test func pushDoesNotReplaceNewerOrDeletedMessages() async throws {
        let sent = try await story.say("a b")
        let (client, view) = try await begin()
        try await story.edit(sent[0], to: "A")
        try await story.delete(sent[1])
        await view.shows("A")
        try box().leave(sent)
        let received = try await client.readPushInbox()
        // For the older message, the call returns the edited version that is stored.
        #expect(received.messages.count == 2 && received.storedCount == 1)
        #expect(try texts(client) == ["A"])
        await client.close()
    }

    /// A push names a known message, with another sender or another time.
    @Test(arguments: [true, false])
    func pushThatContradictsAMessageChangesNothing(hasOtherSender: Bool) async throws {
        let sent = try await story.say("a b c")
        let (client, view) = try await begin()
        await view.shows("a b c")
        await client.disconnect()
        var pushed = sent[1]
        pushed.text = "forged"
        pushed.createdAt = 1
        pushed.updatedAt = story.device.now
        if hasOtherSender { pushed.sender = Sender(id: "eve") }
        try box().leave([pushed])
        #expect(try await client.readPushInbox().storedCount == 0)
        #expect(try texts(client) == ["a", "b", "c"])
        // The message is looked up, because only the server knows which one has the ID.
        #expect(try client.engine.store.staleRanges(in: "general").count == 1)
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp("general")
        #expect(try client.engine.store.staleRanges(in: "general").isEmpty)
        #expect(try texts(client) == ["a", "b", "c"])
        await client.close()
    }

    /// A push gives the ID of another user's message to a pending message.
    @Test(arguments: [true, false])
    func pushOfAPendingMessageDoesNotReplaceAnother(throughInbox: Bool) async throws {
        let sent = try await story.say("a b")
        let (client, view) = try await begin()
        await view.shows("a b")
        await client.disconnect()
        let pending = try await client.send("x", in: "general")
        var pushed = sent[0]
        (pushed.text, pushed.createdAt) = ("forged", 1)
        (pushed.sender, pushed.requestID) = (Sender(id: "bob"), pending.message.requestID)
        #expect(try await push([pushed], to: client, throughInbox: throughInbox) == 0)
        #expect(try texts(client) == ["a", "b"])
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b x")
        try await client.engine.caughtUp("general")
        #expect(try texts(client) == ["a", "b", "x"])
        await client.close()
    }

    /// A push names the request of a pending message, and an earlier message.
    @Test(arguments: [true, false])
    func changesOfAPendingMessageAreNotSentForAPushedOne(throughInbox: Bool) async throws {
        let earlier = try await story.say("a")[0]
        let (client, view) = try await begin()
        await view.shows("a")
        story.network.goOffline()
        let pending = try await client.send("x", in: "general")
        try await client.addReaction("+1", to: pending.message)
        var pushed = earlier
        pushed.sender = Sender(id: "bob")
        pushed.requestID = pending.message.requestID
        try await push([pushed], to: client, throughInbox: throughInbox)
        #expect(try client.engine.store.outboxItems().allSatisfy { $0.messageID == nil })
        story.network.goOnline()
        await view.shows("a x")
        await client.close()
    }

    @Test(arguments: [true, false])
    func changesOfAFailedMessageAreNotSentForAPushedOne(throughInbox: Bool) async throws {
        let (client, view) = try await begin()
        story.network.failNext(1, of: [.send], with: BackendError(.refused, "no"))
        let pending = try await client.send("x", in: "general")
        _ = try await pending.result
        await client.disconnect()
        // The device has not received this message of another user yet.
        var pushed = try await story.say("b")[0]
        pushed.requestID = pending.message.requestID
        try await push([pushed], to: client, throughInbox: throughInbox)
        let reaction = try await client.addReaction("+1", to: pending.message)
        try await client.connect(as: Credentials("bob"))
        let again = try await client.resend(try #require(pushed.requestID))
        _ = try await (again.result, reaction.result)
        await view.shows("b x")
        let reactions = try await story.alice.history().map { "\($0.text) \($0.reactions.count)" }
        #expect(reactions == ["b 0", "x 1"])
        await client.close()
    }

    @Test(arguments: [true, false])
    func messagesOfAnInventedChannelAreNotStored(throughInbox: Bool) async throws {
        let (client, _) = try await begin()
        var pushed = try await story.say("a")[0]
        (pushed.channelURL, pushed.messageID) = ("invented", "9000")
        try await client.engine.store.until { try $0.hasAllChannels() }
        #expect(try await push([pushed], to: client, throughInbox: throughInbox) == 0)
        #expect(try client.engine.store.messages(in: "invented").isEmpty)
        await client.close()
    }

    /// A server may show the history only after the user has accepted the invitation.
    @Test func messagesOfAnInvitationAreNotStored() async throws {
        let (client, _) = try await begin()
        await client.disconnect()
        let pushed = try await story.say("a")
        try client.engine.store.write { batch in
            var channel = try #require(try batch.groupChannel("general"))
            channel.myMemberState = .invited
            try batch.save(channel)
        }
        #expect(try await client.ingest(push: pushed) == 0)
        await client.close()
    }

    @Test func pushReadTwiceIsListedOnce() async throws {
        try await story.say("a")
        let (client, view) = try await begin()
        await client.disconnect()
        try box().leave(try await story.say("b c"))
        // Simulates a crash after the messages were stored and before the file was removed, by
        // restoring the file.
        let drops = try client.engine.store.directory!.appending(path: "drops")
        let copy = story.directory.appending(path: "drops-before")
        try FileManager.default.copyItem(at: drops, to: copy)
        try await client.readPushInbox()
        try FileManager.default.removeItem(at: drops)
        try FileManager.default.moveItem(at: copy, to: drops)
        let before = try client.engine.store.snapshot()
        #expect(try await client.readPushInbox().storedCount == 2)
        #expect(try texts(client) == ["a", "b", "c"])
        #expect(try client.engine.store.gaps(in: "general") == before.gaps(in: "general"))
        #expect(try before.messageCount() == client.engine.store.messageCount())
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b c")
        await client.close()
    }

    @Test func damagedInboxFileIsReportedAndTheOthersAreProcessed() async throws {
        let (client, _) = try await begin()
        await client.disconnect()
        let sent = try await story.say("a b c")
        try box().leave(sent)
        try box().leave(try await story.say("d"))
        let drops = try client.engine.store.directory!.appending(path: "drops")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: drops.path).sorted().first)
        let file = drops.appending(path: name)
        var bytes = try Data(contentsOf: file)
        let line = bytes.split(separator: UInt8(ascii: "\n"))[2]
        bytes[line.startIndex + 5] ^= 0x04
        try bytes.write(to: file)
        await client.reconnect()
        let received = try #require(try client.lastReceivedPushes?.get())
        #expect(received.damage.map(\.file) == [name])
        #expect(received.damage.map(\.description) == ["\(name), line 3: check"])
        #expect(received.pushCount == 2 && received.storedCount == 3)
        #expect(try box().count == 0)
        await client.close()
    }

    /// Otherwise, a false message would be the target of later changes of the pending one.
    @Test func onlyTheServerEndsAnOutboxItem() async throws {
        let (client, view) = try await begin()
        await client.disconnect()
        let pending = try await client.send(NewMessage("mine"), in: "general").message
        var landed = Message(
            id: "77", channelURL: "general", sender: Sender(id: "bob"), text: "mine",
            createdAt: 9_000_000)
        landed.requestID = pending.requestID
        try box().leave([landed])
        try await client.readPushInbox()
        #expect(try client.engine.store.outboxItemCount() == 1)
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp("general")
        await view.until { $0.collection.messages.map(\.sendingStatus) == [.succeeded] }
        #expect(try client.engine.store.outboxItemCount() == 0 && texts(client) == ["mine"])
        await client.close()
    }

    @Test func manyPushesAreProcessedInBatches() async throws {
        let (client, _) = try await begin()
        await client.disconnect()
        let box = try box()
        for drop in 0..<3 {
            try box.leave(
                (0..<300).map { index in
                    Message(
                        id: MessageID("\(10_000 + drop * 300 + index)"), channelURL: "general",
                        text: "x", createdAt: Timestamp(milliseconds: Int64(drop * 300 + index)))
                })
        }
        let received = try await client.readPushInbox()
        #expect(received.pushCount == 3 && received.storedCount == 900)
        #expect(try texts(client).count == 900)
        await client.close()
    }

    // MARK: Who may see it

    @Test func pushesOfAnotherUserAreNotRead() async throws {
        try story.createChannel("hers", with: ["carol"])
        let (client, _) = try await begin()
        try await client.connect(as: Credentials("carol"))
        try box(of: "bob").leave(try await story.say("canary"))
        #expect(try await client.readPushInbox().isEmpty)
        #expect(try client.engine.store.messages(in: "general") == [])
        try box(of: "carol").leave(try await story.say("hers", in: "hers"))
        try await client.connect(as: Credentials("bob"))
        #expect(try texts(client) == ["canary"])
        #expect(try client.engine.store.messages(in: "hers") == [])
        #expect(try box(of: "carol").count == 1)
        await client.close()
    }

    @Test(arguments: ChatClient.Wiping.allCases)
    func logOutRemovesThePushInbox(wiping: ChatClient.Wiping) async throws {
        let (client, _) = try await begin()
        await client.disconnect()
        let box = try box()
        let sent = try await story.say("canary")
        try box.leave(sent)
        try await client.logOut(wiping: wiping)
        #expect(try !hasBox())
        // An extension that opened the inbox before the logout cannot leave messages either.
        #expect(throws: StoreError.self) { try box.leave(sent) }
        await client.close()
        for path in try FileManager.default.subpathsOfDirectory(atPath: story.directory.path) {
            #expect(!path.contains("drop"), "\(path)")
        }
        // The inbox exists again after the user has connected again.
        let again = try await story.open()
        #expect(try !hasBox())
        try await again.connect(as: Credentials("bob"))
        #expect(try hasBox())
        await again.close()
    }

    @Test func clearedPushesAreNotReadLater() async throws {
        let (client, _) = try await begin()
        await client.disconnect()
        try box().leave(try await story.say("a"))
        let path = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: story.directory.path)
                .first { $0.hasSuffix(".drop") })
        // More files than are read at once.
        for number in 0...PushInbox.maximumCount {
            var copy = path.dropLast(16 + ".drop".count)
            copy += String(repeating: "0", count: 12) + String(0x1000 + number, radix: 16) + ".drop"
            try FileManager.default.copyItem(
                at: story.directory.appending(path: path),
                to: story.directory.appending(path: String(copy)))
        }
        try await client.clearCachedData()
        #expect(try box().count == 0)
        #expect(try await client.readPushInbox().isEmpty)
        #expect(try client.engine.store.messageCount() == 0)
        await client.close()
    }

    @Test func revocationRemovesThePushInbox() async throws {
        let (client, _) = try await begin()
        let listener = Listener()
        client.addConnectionDelegate(listener)
        try story.server.revokeUser("bob")
        await listener.hears("sessionRevoked")
        #expect(client.lastReceivedPushes == nil)
        while try hasBox(), !Task.isCancelled { await Task.yield() }
        #expect(try await client.readPushInbox().isEmpty)
        #expect(try !hasBox())
        await client.close()
    }

    @Test func clientInMemoryHasNoPushInbox() async throws {
        var options = story.options
        options.storage = .inMemory
        let (client, _) = try await begin(options)
        #expect(try !hasBox())
        #expect(try await client.readPushInbox().isEmpty)
        if case .failure = client.lastReceivedPushes { Issue.record("it could look") }
        await client.close()
    }

    @Test func pushInboxIsEncryptedWithAKey() async throws {
        let key = EncryptionKey()
        let options = story.options.encrypted(with: key)
        let (client, _) = try await begin(options)
        await client.disconnect()
        #expect(try !hasBox())
        try box(of: "bob", key).leave(try await story.say("canary"))
        #expect(throws: StoreError.self) { try box(of: "bob", EncryptionKey()) }
        let other = EncryptionKey()
        try await client.changeEncryptionKey(to: other)
        try box(of: "bob", other).leave(try await story.say("second"))
        #expect(try await client.readPushInbox().pushCount == 2)
        #expect(try texts(client) == ["canary", "second"])
        await client.close()
    }

    /// Sends a message, and returns it with a client and a list that show it.
    private func shown(_ text: String) async throws -> (ChatClient, View, Message) {
        try await story.say(text)
        let client = try await story.connected()
        let view = View(try await client.startedCollection())
        await view.shows(text)
        return (client, view, try #require(try client.engine.store.messages(in: "general").first))
    }

    /// A compromised extension leaves a false edit, which no later edit of the server replaces.
    @Test func pushedEditIsComparedWithTheServersMessage() async throws {
        let (client, view, sent) = try await shown("a")
        defer { withExtendedLifetime(view) {} }
        var forged = sent
        forged.text = "forged"
        forged.updatedAt = Timestamp(milliseconds: forged.createdAt.milliseconds + 1)
        try box().leave([forged])
        try await client.readPushInbox()
        try await client.engine.caughtUp("general")
        #expect(try texts(client) == ["a"])
        await client.close()
    }

    /// Threads, polls and reactions are merged by their own times.
    @Test func pushedThreadIsComparedWithTheServersMessage() async throws {
        let (client, view, sent) = try await shown("a")
        defer { withExtendedLifetime(view) {} }
        var forged = sent
        forged.threadInfo = ThreadInfo(
            replyCount: 1_000, lastRepliedAt: .distantFuture, updatedAt: .distantFuture)
        try box().leave([forged])
        try await client.readPushInbox()
        try await client.engine.caughtUp("general")
        let message = try client.engine.store.messages(in: "general").first
        #expect(message?.threadInfo?.replyCount ?? 0 == 0)
        await client.close()
    }

    /// The feed reports the message later than the push, without parts of other times.
    @Test func partsOfANewPushedMessageAreComparedWithTheServersMessage() async throws {
        let (client, view, _) = try await shown("a")
        defer { withExtendedLifetime(view) {} }
        await client.disconnect()
        var forged = try await story.say("b")[0]
        forged.threadInfo = ThreadInfo(
            replyCount: 1_000, lastRepliedAt: .distantFuture, updatedAt: .distantFuture)
        forged.reactionHistory = [
            Reaction(key: "smile", userIDs: ["carol"], updatedAt: .distantFuture)
        ]
        try box().leave([forged])
        try await client.readPushInbox()
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b")
        try await client.engine.caughtUp("general")
        let message = try client.engine.store.messages(in: "general").first
        #expect(message?.text == "b" && message?.threadInfo?.replyCount ?? 0 == 0)
        #expect(message?.reactionHistory == [])
        await client.close()
    }

    @Test(arguments: [true, false])
    func pushedFieldsOfNewerVersionsAreNotStored(throughInbox: Bool) async throws {
        let (client, view, sent) = try await shown("a")
        defer { withExtendedLifetime(view) {} }
        // Field 1000 with the value 7.
        let forged = try Message(serialized: sent.serializedBytes + [0xC0, 0x3E, 0x07])
        try await push([forged], to: client, throughInbox: throughInbox)
        try await client.engine.caughtUp("general")
        let stored = try client.engine.store.messages(in: "general").first
        #expect(stored?.serializedBytes == sent.serializedBytes)
        await client.close()
    }

    /// A compromised extension leaves a false edit of a message of another user.
    @Test func pushedEditOfTheFutureIsReplacedByTheServersEdit() async throws {
        let sent = try await story.say("a")
        let client = try await story.connected()
        let view = View(try await client.startedCollection())
        await view.shows("a")
        var forged = try #require(try client.engine.store.messages(in: "general").first)
        forged.text = "forged"
        forged.updatedAt = .distantFuture
        try box().leave([forged])
        try await client.readPushInbox()
        try await story.edit(sent[0], to: "b")
        try await story.say("c")
        try await story.until(client) { try $0.messages(in: "general").count == 2 }
        try await client.engine.caughtUp("general")
        #expect(try texts(client) == ["b", "c"], "after the server's edit")
        await client.close()
        let again = try await story.connected()
        let other = View(try await again.startedCollection())
        try await again.engine.caughtUp("general")
        try await other.isUpToDate()
        #expect(try texts(again) == ["b", "c"], "after a restart")
        await again.close()
    }
}
