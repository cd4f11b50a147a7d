import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

/// Tests the replacement of a damaged cache while the store is open.
@Suite struct ReplacedCacheTests {
    /// Creates a store with a message, an outbox item, a draft and a pin.
    private func filled(_ form: FileForm) throws -> (StoreDirectory, ChatStore) {
        let directory = try StoreDirectory(form)
        let store = try directory.open()
        try store.write { batch in
            try batch.save(Message("a", at: 1))
            try batch.cover("general", from: .beginning, through: .end)
            let item = Message(id: nil, channelURL: "general", text: "mine", createdAt: 5)
            try batch.save(OutboxItem(item, requestID: "r"))
            try batch.setDraft("typed", of: "general")
            try batch.setKeptInCache(true, for: "general")
        }
        return (directory, store)
    }

    private func damage(_ store: ChatStore, _ code: StoreError.Code = .corruption) -> StoreError {
        StoreError(code, "the files are damaged", path: store.cache.path + "/000005.ldb")
    }

    private func caches(_ directory: StoreDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            .filter { $0.contains("cache") }.sorted()
    }

    private func expectEmpty(_ store: ChatStore) throws {
        #expect(try store.channelURLs() == [] && store.gaps(in: "general") == [Gap(in: "general")])
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        #expect(try store.draft(of: "general") == "typed")
        #expect(try store.isKeptInCache("general"))
        #expect(try store.contradictions() == [])
    }

    @Test(arguments: FileForm.allCases)
    func snapshotOutlivesTheReplacement(form: FileForm) throws {
        let (directory, store) = try filled(form)
        var snapshot: Snapshot? = try store.snapshot()
        let (_, changes) = try store.observe(.everything)
        try store.replaceCache(reason: damage(store), at: 0)
        try expectEmpty(store)
        #expect(changes.drain().flatMap(\.operations) == [.replacedCache])
        #expect(try snapshot?.messages(in: "general").map(\.messageID) == ["a"])
        #expect(try caches(directory) == ["cache", "cache-2"])

        try store.write { try $0.save(Message("b", at: 2)) }
        let size = try store.cachedDataSize()
        snapshot = nil
        #expect(try caches(directory) == ["cache-2", "replaced-cache-1"])
        // The cache that is set aside counts.
        #expect(try abs(store.cachedDataSize() - size) < 1024)
        try store.purgeCleared()
        #expect(try caches(directory) == ["cache-2"])
        store.close()
        let again = try directory.open()
        #expect(again.openingReport.replacedCache == nil && !again.openingReport.isCacheNew)
        #expect(try again.messages(in: "general").map(\.messageID) == ["b"])
    }

    @Test func newestReplacedCacheIsKept() throws {
        let (directory, store) = try filled(.plain)
        for _ in 0..<3 { try store.replaceCache(reason: damage(store), at: 0, isRequested: true) }
        #expect(try caches(directory) == ["cache-4", "replaced-cache-3"])
        store.close()
        try ChatStore.removeCachedData(at: directory.url)
        try expectEmpty(directory.open())
        #expect(try caches(directory).allSatisfy { !$0.hasPrefix("replaced") })
    }

    @Test func sameReasonWithinAnHourIsRefused() throws {
        let (directory, store) = try filled(.plain)
        let start = Timestamp(milliseconds: 1_000_000)
        try store.replaceCache(reason: damage(store), at: start)
        func code(at milliseconds: Int64, _ reason: StoreError) -> StoreError.Code? {
            do throws(StoreError) {
                try store.replaceCache(
                    reason: reason, at: Timestamp(milliseconds: start.milliseconds + milliseconds))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(at: 3_599_999, damage(store)) == .corruption)
        #expect(try caches(directory) == ["cache-2", "replaced-cache-1"])
        // A row that cannot be decoded is a reason of another kind.
        let row = StoreError(
            .corruption, "a message is damaged", path: store.cache.path,
            cause: ByteReader.Damage(offset: 0, expected: "a number"))
        #expect(code(at: 3_599_999, row) == nil)
        #expect(code(at: 3_599_999, row) == nil, "the reason is of an earlier cache")
        #expect(code(at: 7_200_000, damage(store)) == nil)
        store.close()
    }

    @Test func errorsOfTheDiskReplaceNothing() throws {
        let (directory, store) = try filled(.plain)
        for code in [StoreError.Code.io, .permission, .noSpace, .locked] {
            try store.replaceCache(reason: damage(store, code), at: 0)
        }
        #expect(try caches(directory) == ["cache"])
        #expect(try store.messages(in: "general").count == 1)
    }

    @Test func fullDiskKeepsTheOldCache() throws {
        let directory = try StoreDirectory()
        let disks = FailingDisks()
        let store = try disks.open(directory)
        try store.write { try $0.save(Message("a", at: 1)) }
        disks.cache.fail(at: 1, with: ENOSPC, once: false)
        #expect(throws: StoreError.self) { try store.replaceCache(reason: damage(store), at: 0) }
        #expect(try store.messages(in: "general").count == 1)
        #expect(try caches(directory) == ["cache"])
        disks.heal()
        try store.replaceCache(reason: damage(store), at: 0)
        #expect(try store.messageCount() == 0)
    }

    /// The states that a crash during a replacement can leave.
    @Test(arguments: FileForm.allCases)
    func interruptedReplacementIsFinishedByTheNextOpening(form: FileForm) throws {
        let (directory, store) = try filled(form)
        store.close()
        // Only the record of the replacement was written.
        try Data("2 0 file\n".utf8).write(to: directory.url.appending(path: "REPLACED"))
        #expect(try directory.open().messages(in: "general").count == 1)
        // The new directory exists, and is empty.
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: "cache-2"), withIntermediateDirectories: false)
        let again = try directory.open()
        #expect(again.openingReport.isCacheNew && !again.openingReport.isNew)
        try expectEmpty(again)
        #expect(try caches(directory) == ["cache-2", "replaced-cache-1"])
    }

    /// Another program has created the directory.
    @Test func directoryWithAHugeNumberIsNoCache() throws {
        let (directory, store) = try filled(.plain)
        for number in [Int.max - 1, 1_000_000_001] {
            try FileManager.default.createDirectory(
                at: directory.url.appending(path: "cache-\(number)"),
                withIntermediateDirectories: false)
        }
        store.close()
        let again = try directory.open()
        #expect(try again.messages(in: "general").count == 1)
        try again.replaceCache(reason: damage(again), at: 0, isRequested: true)
        try expectEmpty(again)
        again.close()
        try expectEmpty(directory.open())
    }

    @Test func damagedCacheIsReplacedWhenItIsOpened() throws {
        let (directory, store) = try filled(.plain)
        store.close()
        for table in try directory.files("cache", "CURRENT") { try Data().write(to: table) }
        let again = try directory.open()
        #expect(again.openingReport.replacedCache?.code == .corruption)
        try expectEmpty(again)
        again.close()
        // The same damage again, within an hour.
        for table in try directory.files("cache-2", "CURRENT") { try Data().write(to: table) }
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .corruption)
        #expect(error?.message.contains("less than an hour") == true)
        try ChatStore.removeCache(at: directory.url)
        try expectEmpty(directory.open())
    }

    @Test func cacheOfANewerVersionAloneIsReplaced() throws {
        let (directory, store) = try filled(.plain)
        store.close()
        try directory.writeToCache([
            (ByteWriter.key { $0.schemaKey(.version) }, [0, 0, 0, 9])
        ])
        let again = try directory.open()
        #expect(again.openingReport.replacedCache?.code == .newerSchema)
        try expectEmpty(again)
    }

    @Test func firstDamageOfEachCacheIsReported() throws {
        let (_, store) = try filled(.plain)
        let found = Locked<[StoreError]>([])
        store.observeCacheDamage { error in found.withLock { $0.append(error) } }
        for round in 1...2 {
            try store.write { batch in
                try batch.save(Message("a", at: 1))
                batch.rows.cache.putDamaged(
                    { $0.messageKey(1, Position(createdAt: 1, messageID: "a")) },
                    { $0.raw([0xFF]) })
            }
            #expect(throws: StoreError.self) { try store.messages(in: "general") }
            #expect(throws: StoreError.self) { try store.messages(in: "general") }
            #expect(found.withLock { $0.count } == round)
            let damage = try #require(store.cacheDamage)
            try store.replaceCache(reason: damage, at: 0, isRequested: true)
            #expect(store.cacheDamage == nil)
        }
    }
}
