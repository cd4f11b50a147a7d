import Foundation
import Models
import Testing

@testable import Store

/// A cache that cannot be opened is replaced, without losing an outbox item.
@Suite struct RebuildTests {
    private let directory: StoreDirectory

    /// A closed store with a message whose channel is covered, a token and an outbox item.
    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(message)
            try batch.cover("general", from: .beginning, through: .end)
            batch.setToken([1], for: "feed")
            try batch.save(outboxItem("r"))
        }
        #expect(try store.gaps(in: "general") == [])
        store.close()
    }

    private let message = Message(id: "1", channelURL: "general", text: "hi", createdAt: 7)

    private func outboxItem(_ id: RequestID) -> OutboxItem {
        OutboxItem(Message(id: nil, channelURL: "general", text: "hi", createdAt: 5), requestID: id)
    }

    private func openingCode() -> StoreError.Code? {
        do {
            try directory.open().close()
            return nil
        } catch {
            return error.code
        }
    }

    private func expectRebuilt(_ store: ChatStore) throws {
        #expect(store.openingReport.isCacheNew && !store.openingReport.isNew)
        #expect(!store.openingReport.isOutboxLost && !store.openingReport.isCoverageDropped)
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        #expect(try store.channelURLs() == [] && store.messageCount() == 0)
        #expect(try store.tokenScopes() == [])
        // No coverage is claimed for a channel that was covered before.
        try store.write { try $0.save(message) }
        #expect(try store.gaps(in: "general") == [Gap(in: "general")])
        #expect(try store.contradictions() == [])
    }

    @Test(arguments: ["MANIFEST", "CURRENT"], [false, true])
    func cacheThatDoesNotOpenIsRebuilt(file: String, isGone: Bool) throws {
        let path = try #require(
            try directory.files("cache").first { $0.lastPathComponent.hasPrefix(file) })
        if isGone {
            try FileManager.default.removeItem(at: path)
        } else {
            try Data("damage".utf8).write(to: path)
        }
        #expect(openingCode() == .corruption)
        try ChatStore.rebuildCache(at: directory.url)
        let store = try directory.open()
        try expectRebuilt(store)
        store.close()
        let again = try directory.open()
        #expect(!again.openingReport.isCacheNew)
        #expect(try again.message("1", in: "general") == message)
    }

    @Test func cacheThatOpensIsRebuiltToo() throws {
        try ChatStore.rebuildCache(at: directory.url)
        try expectRebuilt(directory.open())
    }

    @Test func openStoreIsNotRebuilt() throws {
        let store = try directory.open()
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) {
            try ChatStore.rebuildCache(at: directory.url)
        }
        #expect(error?.code == .locked)
        #expect(try directory.contents() == before)
        #expect(try store.message("1", in: "general") == message)
        try store.write { try $0.save(outboxItem("s")) }
    }

    @Test(arguments: ["cache", "outbox"]) func lockOfEitherDatabasePreventsARebuild(name: String)
        throws
    {
        // Simulates a store that has closed one database temporarily, because the other cannot be
        // written.
        let database = try LevelDB(at: directory.url.appending(path: name).path)
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) {
            try ChatStore.rebuildCache(at: directory.url)
        }
        #expect(error?.code == .locked)
        #expect(error?.path == database.path)
        #expect(try directory.contents() == before)
        database.close()
    }

    @Test func filesOfANewerVersionAreNotChanged() throws {
        try Data("\(StoreSchema.current.version + 1)\n".utf8).write(
            to: directory.url.appending(path: "VERSION"))
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) {
            try ChatStore.rebuildCache(at: directory.url)
        }
        #expect(error?.code == .newerSchema)
        #expect(try directory.contents() == before)
    }

    @Test func rebuildingAMissingStoreHasNoEffect() throws {
        let place = directory.url.appending(path: "none")
        try ChatStore.rebuildCache(at: place)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        let file = directory.url.appending(path: "VERSION")
        let error = #expect(throws: StoreError.self) { try ChatStore.rebuildCache(at: file) }
        #expect(error?.code == .io)
    }

    @Test func cacheIsRebuiltWithoutAnOutbox() throws {
        try FileManager.default.removeItem(at: directory.url.appending(path: "outbox"))
        try ChatStore.rebuildCache(at: directory.url)
        #expect(try directory.open().openingReport.isNew)
    }
}
