import EmbeddedServer
import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

@testable import Store

/// Tests that bob's outbox items survive crashes and damage on his device, and are sent once and in
/// order.
@Suite(.timeLimit(.minutes(10))) struct SurvivingTests {
    private let directory = ScratchDirectory()
    private let disk = FailingDisks()

    /// Bob writes "b" and "c" offline.
    ///
    /// Then `disaster` damages the files, and the device connects with the store that `disaster`
    /// returns.
    private func survives(_ disaster: (ChatStore) throws -> ChatStore) async throws {
        let story = try await Story.caching("a", store: disk.open(directory.url))
        story.network.goOffline()
        let b = try await story.write("b")
        let c = try await story.write("c")
        #expect(try story.picture() == "a (b) (c)")
        await story.engine.close()
        let store = try disaster(story.store)
        #expect(try store.pendingMessages(in: "general").map(\.text) == ["b", "c"])
        story.network.goOnline()
        let engine = try await story.relaunched(store: store)
        for id in [b, c] {
            _ = try await engine.sent(id)
        }
        #expect(try await story.texts() == ["a", "b", "c"])
        try await engine.caughtUp("general")
        #expect(try store.read { try $0.picture(of: "general") } == "a b c")
        #expect(try store.outboxItemCount() == 0)
        await engine.close()
        store.close()
    }

    @Test func outboxSurvivesClearingTheCache() async throws {
        try await survives { store in
            try store.write { try $0.clearCachedData() }
            return store
        }
    }

    @Test func outboxSurvivesClearingAChannel() async throws {
        try await survives { store in
            try store.write { try $0.clearMessages(in: "general") }
            return store
        }
    }

    @Test func outboxSurvivesEviction() async throws {
        try await survives { store in
            try store.write { try $0.evictOldestMessages(10, in: "general") }
            return store
        }
    }

    @Test func outboxSurvivesReplacingTheCache() async throws {
        try await survives { store in
            store.close()
            try Data("damage".utf8).write(to: directory.url.appending(path: "cache/CURRENT"))
            return try ChatStore(at: directory.url)
        }
    }

    @Test func outboxSurvivesAMigration() async throws {
        try await survives { store in
            store.close()
            let schema = StoreSchema(
                migrations: StoreSchema.current.migrations
                    + [Migration(to: StoreSchema.current.version + 1) { (_, _) in }])
            return try ChatStore(
                at: directory.url, environments: (.disk(), .disk()), schema: schema)
        }
    }

    @Test func outboxSurvivesAPowerFailure() async throws {
        try await survives { store in
            try disk.cutPower(of: store, at: directory.url)
            return try ChatStore(at: directory.url)
        }
    }

    @Test func outboxSurvivesAnotherUsersSession() async throws {
        let story = try await Story(store: disk.open(directory.url))
        try await story.open()
        story.network.goOffline()
        _ = try await story.write("a")
        let b = try await story.write("b")
        await story.engine.close()
        story.network.goOnline()
        // Carol's device has its own store, so bob's items are not sent for her.
        let hers = try ChatStore.inMemory()
        let carol = SyncEngine(store: hers, backend: story.server.client())
        _ = try await carol.connect(as: Credentials("carol"))
        try await carol.caughtUp()
        #expect(try hers.outboxItemCount() == 0)
        await carol.close()
        let again = story.restarted()
        await expectError(.otherUser) { try await again.connect(as: Credentials("carol")) }
        #expect(try await story.texts() == [])
        try await again.connect(as: Credentials("bob"))
        _ = try await again.deliveryResult(of: b, in: "general")
        #expect(try await story.texts() == ["a", "b"])
        await again.close()
        story.store.close()
    }

    // MARK: Logging out

    @Test func logOutReturnsUnsentOutboxItems() async throws {
        let story = try await Story(store: disk.open(directory.url))
        try await story.open()
        story.network.goOffline()
        let path = directory.url.appending(path: "a.bin").path
        try Data("a".utf8).write(to: URL(filePath: path))
        var params = NewMessage(files: [UploadableFile(path: path)])
        params.text = "a"
        let a = try #require(
            try await story.engine.send(params, in: "general", keepsCopies: true).requestID)
        let b = try await story.write("b")
        let reaction = try await story.engine.addReaction(
            "+1", to: .written(b), in: "general")
        // The items stay in the outbox, because bob may connect again.
        #expect(try story.store.outboxItems().map(\.requestID) == [a, b, reaction])
        let items = try await story.engine.discardUserData()
        #expect(items.map(\.requestID) == [a, b, reaction])
        #expect(items.map { $0.message?.text } == ["a", "b", nil])
        for id in [a, b, reaction] {
            #expect(try await story.engine.deliveryResult(of: id, in: "general") == .canceled)
        }
        let copies = directory.url.appending(path: "files").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
        #expect(FileManager.default.fileExists(atPath: path))
        story.network.goOnline()
        await story.engine.reconnect()
        try await story.end()
        #expect(try await story.texts() == [])
        story.store.close()
    }

    @Test func revokedUserCanReadUnsentItems() async throws {
        let story = try await Story(store: disk.open(directory.url))
        try await story.open()
        story.network.goOffline()
        let a = try await story.write("a")
        try story.server.revokeUser("bob")
        story.network.goOnline()
        await story.engine.reconnect()
        try await story.engine { $0.connection == .revoked }
        #expect(try story.store.outboxItem(a)?.state == .pending)
        #expect(try await story.engine.discardUserData().map(\.requestID) == [a])
        #expect(try story.store.outboxItemCount() == 0)
        await story.close()
        story.store.close()
    }
}
