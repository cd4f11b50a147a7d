import Foundation
import Models
import Testing

@testable import Store

/// Tests that a removed or unreadable cache becomes an empty one, and that no outbox item is lost.
@Suite struct RemovedCacheTests {
    private let directory: StoreDirectory

    /// Creates and closes a store with a token, an outbox item, and a message in a channel without
    /// gaps.
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

    private func expectEmptyCache(_ store: ChatStore) throws {
        #expect(store.openingReport.isCacheNew && !store.openingReport.isNew)
        #expect(!store.openingReport.isOutboxLost)
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        #expect(try store.channelURLs() == [] && store.messageCount() == 0)
        #expect(try store.tokenScopes() == ["replaced"])
        // The new cache does not contain the coverage of the channel, so the whole history is a
        // gap.
        try store.write { try $0.save(message) }
        #expect(try store.gaps(in: "general") == [Gap(in: "general")])
        #expect(try store.contradictions() == [])
    }

    @Test(arguments: ["MANIFEST", "CURRENT"], [false, true])
    func cacheThatDoesNotOpenIsReplaced(file: String, isGone: Bool) throws {
        let path = try #require(
            try directory.files("cache").first { $0.lastPathComponent.hasPrefix(file) })
        if isGone {
            try FileManager.default.removeItem(at: path)
        } else {
            try Data("damage".utf8).write(to: path)
        }
        let store = try directory.open()
        #expect(store.openingReport.replacedCache?.code == .corruption)
        try expectEmptyCache(store)
        store.close()
        let again = try directory.open()
        #expect(!again.openingReport.isCacheNew && again.openingReport.replacedCache == nil)
        #expect(try again.message("1", in: "general") == message)
    }

    @Test func removedCacheIsCreatedAgain() throws {
        try ChatStore.removeCache(at: directory.url)
        try expectEmptyCache(directory.open())
    }

    @Test func cacheOfAnOpenStoreIsNotRemoved() throws {
        let store = try directory.open()
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) {
            try ChatStore.removeCache(at: directory.url)
        }
        #expect(error?.code == .locked)
        #expect(try directory.contents() == before)
        #expect(try store.message("1", in: "general") == message)
        try store.write { try $0.save(outboxItem("s")) }
    }

    @Test(arguments: ["cache", "outbox"]) func lockOfEitherDatabasePreventsTheRemoval(name: String)
        throws
    {
        // Simulates a store that has one database open, and has closed the other because it cannot
        // be written.
        let database = try LevelDB(at: directory.url.appending(path: name).path)
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) {
            try ChatStore.removeCache(at: directory.url)
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
            try ChatStore.removeCache(at: directory.url)
        }
        #expect(error?.code == .newerSchema)
        #expect(try directory.contents() == before)
    }

    @Test func removingAMissingCacheHasNoEffect() throws {
        let place = directory.url.appending(path: "none")
        try ChatStore.removeCache(at: place)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        let file = directory.url.appending(path: "VERSION")
        let error = #expect(throws: StoreError.self) { try ChatStore.removeCache(at: file) }
        #expect(error?.code == .io)
    }

    @Test func cacheIsRemovedWithoutAnOutbox() throws {
        try FileManager.default.removeItem(at: directory.url.appending(path: "outbox"))
        try ChatStore.removeCache(at: directory.url)
        let report = try directory.open().openingReport
        #expect(!report.isNew && report.outboxLoss?.isWholeOutbox == true)
    }
}
