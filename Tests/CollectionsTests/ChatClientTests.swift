import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

@testable import Store

@MainActor
@Suite(.timeLimit(.minutes(10))) struct ChatClientTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    @Test func clientInMemoryWritesNoFiles() async throws {
        try await story.say("a")
        var options = story.options
        options.storage = .inMemory
        let client = try await story.connected(options)
        let collection = try client.makeMessageCollection(of: "general")
        #expect(try await collection.start().refreshed.map(\.text) == ["a"])

        #expect(!client.isUsingLocalCaching)
        #expect(client.cachingError == nil)
        await client.close()
        #expect(!FileManager.default.fileExists(atPath: story.directory.path))
    }

    @Test func cachedRowsAreShownBeforeConnecting() async throws {
        try await story.say("a b")
        let first = try await story.connected()
        let shown = try await first.startedCollection()
        #expect(shown.messages.count == 2)
        await first.close()

        story.network.goOffline()
        let second = try await story.open()
        #expect(second.currentUser?.userID == "bob")
        let collection = try second.makeMessageCollection(of: "general")
        collection.start()
        #expect(collection.messages.map(\.text) == ["a", "b"])
        let outcome = try await second.connect(as: Credentials("bob"))
        #expect(outcome.user.userID == "bob")
        #expect(outcome.reason?.code == .notConnected)
        await second.close()
    }

    @Test func emptyUserIDIsRefusedAndThePreviousUserStays() async throws {
        let client = try await story.connected()
        let engine = try client.engine
        for connect in [
            { _ = try await client.connect(as: Credentials("")) },
            { try await engine.connect(as: Credentials("")) },
        ] as [@MainActor () async throws -> Void] {
            let error = await #expect(throws: SyncError.self) { try await connect() }
            #expect(
                error?.code == .invalidArgument
                    && error?.message == "the credentials have an empty user id")
        }
        #expect(client.currentUser?.userID == "bob" && client.connectionState == .online)
        #expect(!FileManager.default.fileExists(atPath: story.directory(of: "").path))
        await client.close()
    }

    @Test(arguments: [BackendError.Code.notConnected, .refused])
    func newUserWhoCannotConnectLeavesThePreviousSession(code: BackendError.Code) async throws {
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        try await client.engine.caughtUp()
        let engine = try client.engine
        story.network.failNext(1, of: [.connect], with: BackendError(code, "no"))
        await #expect(throws: SyncError.self) {
            try await client.connect(as: Credentials("carol"))
        }
        #expect(client.currentUser?.userID == "bob" && !collection.isDisposed)
        #expect(try client.engine === engine)
        #expect(!FileManager.default.fileExists(atPath: story.directory(of: "carol").path))
        // The previous user's connection continues.
        try await story.say("later")
        try await story.until(client) {
            try $0.messages(in: "general").map(\.text) == ["later"]
        }
        // The call can be repeated.
        try await client.connect(as: Credentials("carol"))
        #expect(client.currentUser?.userID == "carol" && collection.isDisposed)
        await client.close()
        let again = try await story.open()
        #expect(again.currentUser?.userID == "carol")
        await again.close()
    }

    @Test func collectionWithoutAUserThrows() async throws {
        let client = try await story.open()
        #expect {
            try client.makeMessageCollection(of: "general")
        } throws: {
            ($0 as? SyncError)?.code == .noUser
        }
    }

    @Test func clientThrowsIfTheFilesCannotBeOpened() async throws {
        let other = try ChatStore(at: story.directory(of: "bob"))
        let client = try await story.open()
        let error = await #expect(throws: SyncError.self) {
            try await client.connect(as: Credentials("bob"))
        }
        #expect(error?.code == .store)
        #expect((error?.cause as? StoreError)?.code == .locked)
        #expect(client.currentUser == nil && client.cachingError == nil)
        other.close()
        // The call can be repeated.
        try await client.connect(as: Credentials("bob"))
        #expect(client.isUsingLocalCaching)

        // A second client cannot show the data of the last user, because the first client has the
        // files open.
        let second = await #expect(throws: SyncError.self) { try await story.open() }
        #expect((second?.cause as? StoreError)?.code == .locked)
        await client.close()
    }

    @Test func clientWorksInMemoryIfTheAppAllowsIt() async throws {
        try await story.say("a")
        let other = try ChatStore(at: story.directory(of: "bob"))
        let client = try await story.connected(story.lenientOptions())
        #expect(client.cachingError?.code == .locked)
        #expect(!client.isUsingLocalCaching)
        let collection = try client.makeMessageCollection(of: "general")
        #expect(try await collection.start().refreshed.map(\.text) == ["a"])
        await client.close()
        other.close()
    }

    /// Simulates a restart of the program with another server.
    ///
    /// The embedded server is in memory, so a restart has a new server.
    @Test func cacheOfAnotherApplicationIsNotUsed() async throws {
        try await story.say("a b")
        let first = try await story.connected()
        let shown = try first.makeMessageCollection(of: "general")
        #expect(try await shown.start().refreshed.map(\.text) == ["a", "b"])
        await first.close()

        let clock = ManualClock(at: 2000)
        let other = try EmbeddedServer.inMemory { clock.now }
        try other.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")
        // The message "x" gets the id that "a" had on the old server, and the new server has fewer
        // messages.
        try other.sendAdminMessage("x", to: "general")
        let second = try await ChatClient.open(backend: other.client(), options: story.options)
        try await second.connect(as: Credentials("bob"))
        let collection = try second.makeMessageCollection(of: "general")
        collection.start()
        let changes = collection.allChanges()
        if collection.messages.map(\.text) != ["x"] {
            for await _ in changes where collection.messages.map(\.text) == ["x"] { break }
        }
        #expect(try await collection.coverage().isComplete)
        await second.close()
    }

    @Test func usersSeeNothingOfEachOther() async throws {
        try story.createChannel("hers", with: ["carol"])
        try await story.say("a")
        let client = try await story.connected()
        let his = try await client.startedCollection()
        story.network.goOffline()
        try await client.send(NewMessage("b"), in: "general")
        story.network.goOnline()

        try await client.connect(as: Credentials("carol"))
        try await client.engine.caughtUp()
        #expect(his.isDisposed)
        #expect(client.currentUser?.userID == "carol")
        let store = try client.engine.store
        #expect(try store.read { try $0.groupChannels().map(\.url) } == ["hers"])
        #expect(try store.outboxItemCount() == 0)

        try await client.connect(as: Credentials("bob"))
        try await story.until(client) {
            try $0.messages(in: "general", limit: 1).first?.text == "b"
        }
        await client.close()
    }

    @Test func lastConnectedUserIsConnected() async throws {
        let client = try await story.open()
        async let bob = client.connect(as: Credentials("bob"))
        async let carol = client.connect(as: Credentials("carol"))
        let outcomes = await [(try? bob)?.user.userID, (try? carol)?.user.userID]
        let current = client.currentUser?.userID
        #expect(current != nil && outcomes.contains(current))
        #expect(try await client.engine.state.user?.userID == current)
        await client.close()
    }

    @Test(arguments: ChatClient.Wiping.allCases)
    func logOutReturnsUnsentItems(wiping: ChatClient.Wiping) async throws {
        try await story.say("a")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        await client.disconnect()
        try await client.send(NewMessage("b"), in: "general")

        let items = try await client.logOut(wiping: wiping)
        #expect(items.compactMap { $0.message?.text } == ["b"])
        #expect(collection.isDisposed)
        #expect(client.currentUser == nil)
        #expect(throws: SyncError.self) { try client.engine }
        let again = try await story.open()
        #expect(again.currentUser == nil)
        try await again.connect(as: Credentials("bob"))
        try await again.engine.caughtUp("general")
        try await story.until(again) { try $0.outboxItemCount() == 0 }
        let words = try again.engine.store.messages(in: "general").map(\.text)
        #expect(words == (wiping == .everything ? ["a"] : ["b", "a"]))
        await again.close()
    }

    @Test func revokedUserSeesNoCachedData() async throws {
        try await story.say("a")
        let client = try await story.open()
        let listener = Listener()
        client.addConnectionDelegate(listener)
        try await client.connect(as: Credentials("bob"))
        let collection = try await client.startedCollection()
        story.network.failNext(
            of: [.feed], with: BackendError(.sessionRevoked, "bob is out"))
        try await story.say("b")
        await listener.hears("sessionRevoked")
        #expect(collection.isDisposed)
        #expect(client.currentUser == nil)
        let store = try client.engine.store
        try await story.until(client) { try $0.groupChannels().isEmpty }
        #expect(try store.messageCount() == 0)
        await client.close()
        let again = try await story.open()
        #expect(again.currentUser == nil)
        await again.close()
    }

    /// Returns a client of bob whose cache cannot be opened because a file is damaged.
    ///
    /// Before the damage, bob wrote "b" offline.
    private func openedDamaged(_ file: String = "CURRENT") async throws -> ChatClient {
        let first = try await story.connected()
        await first.disconnect()
        try await first.send(NewMessage("b"), in: "general")
        await first.close()
        let cache = story.directory(of: "bob").appending(path: "cache")
        for name in try FileManager.default.contentsOfDirectory(atPath: cache.path)
        where name.hasPrefix(file) {
            try Data("damage".utf8).write(to: cache.appending(path: name))
        }
        let client = try await story.open()
        #expect(client.storageDamage.replacedCache?.code == .corruption)
        return client
    }

    @Test(arguments: ["CURRENT", "MANIFEST"])
    func cacheThatCannotBeOpenedIsReplaced(file: String) async throws {
        try await story.say("a")
        let client = try await openedDamaged(file)
        #expect(client.isUsingLocalCaching)
        let sentence = try #require(client.storageDamage.sentences.first)
        #expect(sentence.hasPrefix("the cache was damaged and is replaced by an empty one"))
        let view = View(try client.makeMessageCollection(of: "general"))
        view.collection.start(.cacheOnly)
        #expect(view.picture == "… (b)")
        let listener = Listener()
        client.addUserEventDelegate(listener)
        try await client.connect(as: Credentials("bob"))
        #expect(listener.heard.contains("damage: replaced cache"))
        await view.shows("a b")
        await client.close()
        let again = try await story.open()
        #expect(again.storageDamage.isEmpty)
        await again.close()
    }

    @Test func aUserWhoseCacheWasReplacedConnectsOffline() async throws {
        try await story.say("a")
        let client = try await openedDamaged()
        story.network.goOffline()
        let outcome = try await client.connect(as: Credentials("bob"))
        #expect(outcome.user.userID == "bob")
        #expect(outcome.reason?.code == .notConnected)
        let view = View(try client.makeMessageCollection(of: "general"))
        view.collection.start(.cacheOnly)
        #expect(view.picture == "… (b)")
        story.network.goOnline()
        await client.reconnect()
        await view.shows("a b")
        await client.close()
    }

    @Test(arguments: ChatClient.Wiping.allCases)
    func logOutOfADamagedCacheReturnsUnsentItems(wiping: ChatClient.Wiping) async throws {
        let client = try await openedDamaged()
        let items = try await client.logOut(wiping: wiping)
        #expect(items.compactMap { $0.message?.text } == ["b"])
        let directory = story.directory(of: "bob")
        let isThere = FileManager.default.fileExists(atPath: directory.path)
        #expect(isThere == (wiping == .cachedData))
        await client.close()
    }

    /// If a user connects while another user logs out, the data of the connecting user is kept.
    @Test func logOutKeepsOtherUsers() async throws {
        let client = try await story.open()
        try await client.connect(as: Credentials("carol"))
        await client.disconnect()
        try await client.send(NewMessage("hers"), in: "general")
        try await client.connect(as: Credentials("bob"))
        await client.disconnect()
        try await client.send(NewMessage("his"), in: "general")

        let store = try client.engine.store
        let leaving = Task { try await client.logOut(wiping: .everything) }
        // When the outbox is empty or the store is closed, the logout has removed bob's data. Only
        // the record of the last user remains to be removed.
        while (try? store.outboxItems().isEmpty) == false { await Task.yield() }
        story.network.goOffline()
        let outcome = try await client.connect(as: Credentials("carol"))
        _ = await leaving.result
        #expect(outcome.user.userID == "carol")
        #expect(client.currentUser?.userID == "carol")
        let items = try client.engine.store.outboxItems()
        #expect(items.compactMap { $0.message?.text } == ["hers"])
        await client.close()
    }

    @Test func disconnectAfterConnectWins() async throws {
        let client = try await story.connected()
        await client.disconnect()
        let engine = try client.engine
        let (held, isHeld) = AsyncStream<Void>.makeStream()
        let isFree = DispatchSemaphore(value: 0)
        let holding = Task { await engine.stand(telling: isHeld, until: isFree) }
        for await _ in held { break }
        let connecting = Task { try await client.connect(as: Credentials("bob")) }
        let disconnecting = Task { await client.disconnect() }
        for _ in 0..<10 { await Task.yield() }
        isFree.signal()
        await holding.value
        await disconnecting.value
        _ = await connecting.result
        #expect(await engine.state.connection == .offline)
        await client.close()
    }

    @Test func cacheThatCannotBeReplacedIsAnError() async throws {
        let first = try await story.connected()
        await first.close()
        let directory = story.directory(of: "bob")
        try Data("damage".utf8).write(to: directory.appending(path: "cache/CURRENT"))
        let outbox = try LevelDB(
            at: directory.appending(path: "outbox").path, environment: .disk())
        let error = await #expect(throws: SyncError.self) { try await story.open() }
        #expect((error?.cause as? StoreError)?.code == .locked)
        outbox.close()
        let client = try await story.open()
        #expect(client.storageDamage.replacedCache != nil)
        await client.close()
    }

    @Test func logOutFailsIfTheFilesCannotBeOpened() async throws {
        let other = try ChatStore(at: story.directory(of: "bob"))
        let client = try await story.connected(story.lenientOptions())
        let error = await #expect(throws: SyncError.self) {
            try await client.logOut(wiping: .everything)
        }
        #expect((error?.cause as? StoreError)?.code == .locked)
        #expect(client.currentUser?.userID == "bob")
        await client.close()
        other.close()
    }

    @Test func totalOfUnreadMessagesIsTheSumOverTheChannels() async throws {
        try story.createChannel("random")
        try await story.say("a b")
        let messages = try await story.say("c d e", in: "random")
        let client = try await story.connected()
        let listener = Listener()
        client.addUserEventDelegate(listener)
        try await client.engine.caughtUp()
        await listener.hears("unread 5")
        try await client.markAsRead("random")
        await listener.hears("unread 2")
        try await client.markAsUnread(from: messages[1].messageID!, in: "random")
        await listener.hears("unread 4")
        #expect(client.unreadCount?.groupChannelUnreadMessageCount == 4)
        try story.createChannel("new", with: [])
        try await story.alice.perform(InviteUsers(["bob"], to: "new"))
        try await story.until(client) { try $0.groupChannel("new") != nil }
        await client.close()

        // The total is known before a user connects.
        let again = try await story.open()
        let other = Listener()
        again.addUserEventDelegate(other)
        await other.hears("unread 4")
        #expect(again.unreadCount?.groupChannelInvitationCount == 1)
        await again.close()
    }

    @Test func theCacheIsClearedWhileItIsInUse() async throws {
        try story.createChannel("random")
        try await story.say("a b")
        let client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()

        try await client.clearCachedData()
        try await client.engine.caughtUp("general")
        let store = try client.engine.store
        #expect(
            try store.read { try $0.groupChannels().map(\.url).sorted() }
                == ["general", "random"])
        try await story.say("c")
        try await story.until(client) { try $0.messages(in: "general").count == 3 }
        #expect(try client.cachedDataSize() > 0)

        try await client.clearCachedMessages(in: ["general"])
        try await client.engine.caughtUp("general")
        #expect(try store.read { try $0.messages(in: "general").map(\.text) } == ["c", "b", "a"])
        await client.close()
    }

    @Test func shrinkingTheCacheKeepsVisibleMessages() async throws {
        try story.createChannel("random")
        try story.createChannel("pinned")
        for url: ChannelURL in ["general", "random", "pinned"] {
            try await story.say("a b", in: url)
        }
        let client = try await story.connected()
        for url: ChannelURL in ["random", "pinned"] {
            let collection = try await client.startedCollection(of: url)
            try await client.engine.caughtUp(url)
            collection.dispose()
        }
        let collection = try await client.startedCollection()
        try await client.engine.caughtUp()
        try await client.setKeptInCache(true, for: "pinned")

        var plan = try await client.evictionPlan(to: 0)
        // The engine is notified of the end of a collection with a delay.
        while plan.parts.isEmpty, !Task.isCancelled {
            await Task.yield()
            plan = try await client.evictionPlan(to: 0)
        }
        #expect(plan.parts.map(\.channelURL) == ["random"])
        #expect(try await client.shrinkCache(to: 0).parts == plan.parts)
        #expect(collection.messages.map(\.text) == ["a", "b"])
        let store = try client.engine.store
        #expect(try store.cachedChannels().map(\.messageCount).sorted() == [0, 2, 2])
        #expect(try await client.shrinkCache().parts == [])
        await client.close()

        let again = try await story.open()
        #expect(try again.engine.store.channelURLsKeptInCache() == ["pinned"])
        await again.close()
    }

    @Test func resumedClientUpdatesItsCollections() async throws {
        try await story.say("a b")
        let client = try await story.open()
        try await client.suspend()
        try await client.connect(as: Credentials("bob"))
        let collection = try await client.startedCollection()
        let view = View(collection)
        try await client.engine.caughtUp()

        try await client.suspend()
        let store = try ChatStore(at: client.engine.store.directory!)
        #expect(try store.messageCount() == 2)
        store.close()
        #expect(collection.messages.map(\.text) == ["a", "b"])
        try await story.say("c")

        try await client.resume()
        try await story.until(client) { try $0.messages(in: "general").count == 3 }
        try await client.engine.caughtUp("general")
        await view.shows("a b c")
        await client.close()
    }

    @Test func pushedMessageIsShownWithoutCoverage() async throws {
        try await story.say("a b")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        await client.disconnect()
        let pushed = try await story.say("c d")[1]

        #expect(try await client.ingest(push: [pushed]) == 1)
        let view = View(collection)
        await view.until { $0.items.last?.message?.text == "d" }
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b c d")
        await client.close()
    }

    @Test func connectionEventsAreReported() async throws {
        let client = try await story.open()
        let listener = Listener()
        client.addConnectionDelegate(listener)
        try await client.connect(as: Credentials("bob"))
        await listener.hears("connected")
        #expect(client.connectionState == .online)
        #expect(client.lastConnectedAt == story.device.now)
        story.network.goOffline()
        await listener.hears("reconnectionStarted")
        story.network.goOnline()
        await client.reconnect()
        await listener.hears("reconnectionSucceeded")
        await client.disconnect()
        await listener.hears("disconnected")
        #expect(client.connectionState == .offline)
        #expect(
            listener.heard == [
                "connected", "reconnectionStarted", "reconnectionSucceeded", "disconnected",
            ])
        await client.close()
    }

    @Test func channelEventsAreReported() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let listener = Listener()
        client.addChannelDelegate(listener)
        client.addUserEventDelegate(listener)
        let events = client.events()

        let a = try await story.say("a")[0]
        await listener.hears("general +a")
        await listener.hears("unread 1")
        try await story.delete(a)
        await listener.hears("general -\(a.messageID!)")
        try await story.alice.perform(SetTyping(true, in: "general"))
        await listener.hears("general eventTypingStatusUpdated alice")
        try await story.alice.perform(SetFrozen(true, for: "general"))
        await listener.hears("general eventChannelFrozen")
        try await story.alice.perform(SetFrozen(false, for: "general"))
        await listener.hears("general eventChannelUnfrozen")
        try await story.alice.perform(
            RestrictUser("bob", in: "general", as: .muted, until: nil, reason: ""))
        await listener.hears("general eventUserMuted bob")
        try await story.alice.perform(LiftRestriction(.muted, of: "bob", in: "general"))
        await listener.hears("general eventUserUnmuted bob")
        try await story.alice.perform(InviteUsers(["carol"], to: "general"))
        try await client.leave("general")
        await listener.hears("general eventUserLeft (removed)")

        client.removeChannelDelegate(listener)
        try story.createChannel("later")
        try await story.until(client) { try $0.groupChannel("later") != nil }
        #expect(!listener.heard.contains { $0.hasPrefix("later") })
        await client.close()
        var followed: [String] = []
        for await event in events where event.channelURL == "general" {
            followed.append(event.line)
        }
        #expect(followed == listener.heard.filter { $0.hasPrefix("general") })
    }

    @Test func bannedUserLearnsWhoBannedThemAndWhy() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let events = client.events()
        try await story.alice.perform(
            RestrictUser("bob", in: "general", as: .banned, until: nil, reason: "spam"))
        for await event in events where event.source == .eventUserBanned {
            #expect(event.channel == nil)
            #expect(event.actor?.userID == "alice")
            #expect(event.reason == "spam")
            break
        }
        await client.close()
    }

    @Test func appFollowsTheEventsOfAllChannels() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let app = NotifyingApp()
        let following = Task { await app.follow(client) }
        await app.waiting.until { app.isFollowing }
        try await story.say("a")
        await app.waiting.until { app.lines.count == 1 }
        try await story.alice.perform(SetFrozen(true, for: "general"))
        await app.waiting.until { app.lines.count == 2 }
        try await story.alice.perform(DeleteChannel("general"))
        await app.waiting.until { app.lines.count == 3 }
        following.cancel()
        #expect(app.lines == ["general: a", "general is frozen", "general is gone"])
        await client.close()
    }

    @Test func openChannelEventsAreReported() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let listener = Listener()
        client.addChannelDelegate(listener)
        _ = try await story.alice.perform(
            CreateOpenChannel(OpenChannelCreateParams("Hall", url: "hall")))
        try await client.enter("hall")
        await listener.hears("hall eventChannelChanged")
        _ = try await story.alice.perform(EnterOpenChannel("hall"))
        await listener.hears("hall eventUserEntered alice")
        let a = try await story.say("a", in: "hall")[0]
        await listener.hears("hall +a")
        try await story.alice.perform(SetTyping(true, in: "hall"))
        await listener.hears("hall eventTypingStatusUpdated alice")
        try await story.edit(a, to: "A")
        await listener.hears("hall *A")
        try await story.delete(a)
        await listener.hears("hall -\(a.messageID!)")
        try await story.alice.perform(ExitOpenChannel("hall"))
        await listener.hears("hall eventUserExited alice")
        try await client.exit("hall")
        #expect(!listener.heard.contains { $0.hasSuffix("bob") })
        await client.close()
    }

    @Test func rolesPinsAndUnreadMessagesFollowTheServer() async throws {
        try story.createChannel("mine", with: ["bob", "carol"])
        let sent = try await story.say("a b c", in: "mine")
        let client = try await story.connected()
        try await client.engine.caughtUp()
        await expectError(.refused) {
            try await client.setRole(.operator, of: ["carol"], in: "mine")
        }
        try await story.alice.perform(SetRole(.operator, of: ["bob"], in: "mine"))
        try await story.until(client) { try $0.groupChannel("mine")?.myRole == .operator }
        try await client.setRole(.operator, of: ["carol"], in: "mine")
        try await story.until(client) { reader in
            try reader.groupChannel("mine")?.operators.map(\.userID) == ["alice", "bob", "carol"]
        }
        try await client.restrict("carol", in: "mine", as: .muted, reason: "loud")
        let muted = try await client.restrictedUsers(of: "mine", as: .muted).elements
        #expect(muted.map(\.userID) == ["carol"])
        #expect(muted.map(\.restrictionDescription) == ["loud"])
        #expect(try await client.restrictedUsers(of: "mine", as: .banned).elements == [])

        let id = try #require(sent[1].messageID)
        try await client.pinMessage(id, in: "mine")
        try await story.until(client) { try $0.groupChannel("mine")?.pinnedMessageIDs == [id] }
        try await client.unpinMessage(id, in: "mine")
        try await story.until(client) { try $0.groupChannel("mine")?.pinnedMessageIDs == [] }

        try await client.markAsRead("mine")
        try await story.until(client) { try $0.groupChannel("mine")?.unreadMessageCount == 0 }
        try await client.markAsUnread(from: id, in: "mine")
        try await story.until(client) { reader in
            let channel = try reader.groupChannel("mine")
            return channel?.unreadMessageCount == 2
                && channel?.myLastRead.map { $0 < sent[1].createdAt } ?? false
        }
        await client.close()
    }

    @Test func blocksAndReportsReachTheServer() async throws {
        let sent = try await story.say("spam")[0]
        let client = try await story.connected()
        try await client.block("alice")
        #expect(try await client.blockedUsers().elements.map(\.userID) == ["alice"])
        let error = await #expect(throws: BackendError.self) {
            try await story.alice.perform(
                CreateChannel(GroupChannelCreateParams("x", userIDs: ["bob"])))
        }
        #expect(error?.code == .refused)
        try await client.unblock("alice")
        #expect(try await client.blockedUsers().elements == [])
        let id = try #require(sent.messageID)
        try await client.report(.message(id, in: "general"), as: .spam, comment: "ads")
        #expect(story.server.reports.map(\.reporter) == ["bob"])
        #expect(
            story.server.reports.map(\.report) == [
                ModerationReport(.message(id, in: "general"), as: .spam, comment: "ads")
            ])
        await client.close()
    }

    @Test func votesAreCountedAndShown() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let view = View(try client.makeMessageCollection(of: "general"))
        _ = try await view.collection.start().refreshed
        let poll = try await client.createPoll("Which?", options: ["tea", "coffee"])
        var params = NewMessage("Which?")
        params.pollID = poll.id
        _ = try await view.collection.send(params).result
        await view.until { $0.collection.succeededMessages.last?.poll != nil }
        let id = try #require(view.collection.succeededMessages.last?.messageID)
        _ = try await story.alice.perform(VoteInPoll(for: [1], inPollOf: id, in: "general"))
        await view.until {
            $0.collection.messages.last?.poll?.options.map(\.voteCount) == [1, 0]
        }
        let voted = try await client.vote(for: [2], inPollOf: id, in: "general")
        #expect(voted.poll?.votedOptionIDs == [2] && voted.poll?.voterCount == 2)
        let held = try client.engine.store.message(id, in: "general")
        #expect(held?.poll?.options.map(\.voteCount) == [1, 1])
        #expect(held?.poll?.votedOptionIDs == [2])
        await client.close()
    }

    @Test func returnedChannelsAreCached() async throws {
        let client = try await story.connected()
        let made = try await client.createChannel(
            GroupChannelCreateParams("Mine", userIDs: ["alice"], url: "mine"))
        #expect(made.name == "Mine")
        #expect(try client.engine.store.groupChannel("mine")?.name == "Mine")
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "Ours")
        #expect(try await client.updateChannel("mine", with: patch).name == "Ours")
        #expect(try await client.channel("mine").name == "Ours")
        #expect(try await client.members(of: "mine").elements.count == 2)
        try await client.deleteChannel("mine")
        try await story.until(client) { try $0.groupChannel("mine") == nil }
        await client.close()
    }

    @Test func messagesAreReadFromTheServerOrElseFromTheCache() async throws {
        let sent = try await story.say("a b c d e")
        let client = try await story.connected()
        let around = try await client.messages(
            in: "general", around: sent[2].createdAt, params: .sized(1, 2))
        #expect(around.map(\.text) == ["b", "c", "d"])
        #expect(try await client.message(sent[0].messageID!, in: "general")?.text == "a")
        await client.disconnect()
        let again = try await client.messages(
            in: "general", around: sent[2].createdAt, params: .sized(1, 2))
        #expect(again.map(\.text) == ["b", "c", "d"])
        await client.close()
    }

    @Test func changelogsAreReadOnDemand() async throws {
        let a = try await story.say("a")[0]
        let client = try await story.connected()
        let since = ChangelogPoint.time(a.createdAt)
        try await story.edit(a, to: "A")
        let changes = try await client.messageChanges(in: "general", since: since)
        #expect(changes.updated.map(\.text) == ["A"])
        #expect(try await client.messageChanges(in: "general").updated == [])
        try story.createChannel("later")
        let channels = try await client.channelChanges(since: since)
        #expect(channels.updated.map(\.url).contains("later"))
        await client.close()
    }

    @Test func changelogParamsRestrictWhatIsReturnedAndNotWhatIsReadLater() async throws {
        let a = try await story.say("a")[0]
        let client = try await story.connected()
        _ = try await client.messageChanges(in: "general", since: .time(a.createdAt))
        _ = try await client.channelChanges(since: .time(a.createdAt))
        let sent = try await story.alice.say(
            "reply", replyTo: a.messageID, story.clock, RequestIDs(prefix: "reply "))[0]
        for message in [a, sent] { try await story.edit(message, to: message.text + "!") }
        let noReplies = try await client.messageChanges(
            in: "general", params: MessageChangelogParams())
        #expect(noReplies.updated.map(\.text) == ["a!"])
        #expect(
            Set(try await client.messageChanges(in: "general").updated.map(\.text))
                == ["a!", "reply!"])

        try story.createChannel("later")
        var params = GroupChannelChangelogParams()
        params.customTypes = ["support"]
        #expect(try await client.channelChanges(params: params).updated == [])
        #expect(try await client.channelChanges().updated.map(\.url).contains("later"))
        await client.close()
    }

    @Test func messageIsCopiedToAnotherChannel() async throws {
        try story.createChannel("random")
        let a = try await story.say("a")[0]
        let client = try await story.connected()
        let copy = try await client.forward(a, to: "random")
        #expect(copy.message.sendingStatus == .pending)
        try await story.until(client) { try $0.messages(in: "random").first?.text == "a" }
        await client.close()
    }

    @Test func typingIsSentAtMostOncePerInterval() async throws {
        let recorder = BackendRecorder(story.network)
        let client = try await ChatClient.open(backend: recorder, options: story.options)
        try await client.connect(as: Credentials("bob"))
        try await client.startTyping(in: "general")
        try await client.startTyping(in: "general")
        story.device.advance(by: .seconds(1))
        try await client.startTyping(in: "general")
        try await client.endTyping(in: "general")
        #expect(recorder.log.lines.count { $0.contains("setTyping") } == 3)
        await client.close()
    }
}

extension SyncEngine {
    /// Blocks the engine's actor until the semaphore is signaled.
    fileprivate func stand(
        telling isHeld: AsyncStream<Void>.Continuation, until isFree: DispatchSemaphore
    ) {
        isHeld.yield()
        isFree.wait()
    }
}

/// An app that follows the events of all channels, as Docs/Collections.md shows.
@MainActor
private final class NotifyingApp {
    private(set) var lines: [String] = []
    private(set) var isFollowing = false
    let waiting = Waiting()

    func follow(_ client: ChatClient) async {
        let events = client.events()
        isFollowing = true
        waiting.recordChange()
        for await event in events {
            switch event.source {
            case .eventMessageReceived: notify(event.message, in: event.channel)
            case .eventChannelFrozen: disableInput(of: event.channelURL)
            case .eventChannelDeleted: close(event.channelURL)
            default: break
            }
        }
    }

    private func notify(_ message: Message?, in channel: AnyChannel?) {
        append("\(channel?.url ?? ""): \(message?.text ?? "")")
    }

    private func disableInput(of url: ChannelURL) { append("\(url) is frozen") }
    private func close(_ url: ChannelURL) { append("\(url) is gone") }

    private func append(_ line: String) {
        lines.append(line)
        waiting.recordChange()
    }
}
