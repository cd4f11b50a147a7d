import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests clients that open the data of a given user, several of them in one process.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct SeveralAccountsTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    @Test func newClientOpensNoFile() async throws {
        let client = ChatClient(
            backend: JitteryBackend.wrapping(story.network), options: story.options)
        #expect(client.currentUser == nil && client.connectionState == .offline)
        #expect(!FileManager.default.fileExists(atPath: story.directory.path))
        #expect(throws: SyncError.self) { try client.engine }
        do throws(SyncError) {
            _ = try await client.send("a", in: "general")
        } catch {
            #expect(error.code == .noUser && error.userText == "Log in first.")
        }
        await client.close()
    }

    /// Ending the session of the previous user does not end the new connection.
    @Test func newUserStaysConnected() async throws {
        let client = try await story.open()
        try await client.connect(as: Credentials("carol"))
        try await client.connect(as: Credentials("bob"))
        #expect(story.network.log.count { $0 == "disconnect" } == 1)
        _ = try await client.startedCollection()
        await client.close()
    }

    @Test func accountsAreOpenAtTheSameTime() async throws {
        try await story.say("a")
        let bob = ChatClient(backend: story.server.client(), options: story.options)
        let carol = ChatClient(backend: story.server.client(), options: story.options)
        try await bob.open(as: "bob")
        try await carol.open(as: "carol")
        #expect(try await bob.connect(as: "bob").user.userID == "bob")
        #expect(try await carol.connect(as: "carol").user.userID == "carol")
        // The files of a user are open in one client only.
        let second = ChatClient(backend: story.server.client(), options: story.options)
        do throws(SyncError) {
            try await second.open(as: "bob")
            Issue.record("bob's files were opened twice")
        } catch {
            #expect((error.cause as? StoreError)?.code == .locked)
        }
        for client in [bob, carol, second] { await client.close() }
    }

    /// Follows the README's app on a device without stored data.
    @Test func listThatStartsBeforeTheFirstConnectionIsFilled() async throws {
        try await story.say("a")
        let client = ChatClient(
            backend: JitteryBackend.wrapping(story.network), options: story.options)
        try await client.open(as: "bob")
        let view = View(try client.makeMessageCollection(of: "general"))
        view.collection.start()
        #expect(view.collection.messages.isEmpty)
        try await client.connect(as: "bob")
        // No row changes when the history before it becomes complete, so do not wait for that.
        await view.until { $0.collection.messages.map(\.text) == ["a"] }
        try await view.collection.send("b")
        await view.until { $0.collection.succeededMessages.map(\.text) == ["a", "b"] }
        await client.close()
    }

    @Test func storedDataIsShownWithoutAConnection() async throws {
        try await story.say("a")
        let first = try await story.connected()
        try await first.engine.caughtUp("general")
        await first.close()
        story.network.goOffline()
        let client = ChatClient(
            backend: JitteryBackend.wrapping(story.network), options: story.options)
        try await client.open(as: "bob")
        #expect(client.currentUser?.userID == "bob")
        let view = View(try client.makeMessageCollection(of: "general"))
        view.collection.start(.cacheOnly)
        #expect(view.picture == "a")
        let outcome = try await client.connect(as: "bob")
        guard case .offline(let user, let reason) = outcome else {
            Issue.record("connected without a network")
            return
        }
        #expect(user.userID == "bob" && reason.code == .notConnected)
        await client.close()
    }
}
