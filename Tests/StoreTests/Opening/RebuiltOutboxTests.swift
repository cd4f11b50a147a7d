import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests that opening a store rebuilds an outbox that LevelDB cannot read from the items that are
/// readable.
@Suite struct RebuiltOutboxTests {
    private let directory: StoreDirectory
    private let ids: [RequestID] = ["a", "b", "c", "d"]

    /// Creates and closes a store whose outbox has two items in a table and two in the log.
    init() throws { try self.init(.plain) }

    private init(_ files: FileForm) throws {
        directory = try StoreDirectory(files)
        var store = try directory.open()
        try store.write { batch in
            try batch.save(message)
            for id in ids.prefix(2) { try batch.save(outboxItem(id)) }
        }
        store.close()
        let outbox = try LevelDB(
            at: directory.url.appending(path: "outbox").path,
            environment: directory.environment("outbox"))
        try outbox.compact()
        outbox.close()
        store = try directory.open()
        for id in ids.dropFirst(2) { try store.write { try $0.save(outboxItem(id)) } }
        store.close()
    }

    private let message = Message(id: "1", channelURL: "general", text: "hi", createdAt: 7)

    private func outboxItem(_ id: RequestID) -> OutboxItem {
        OutboxItem(
            Message(id: nil, channelURL: "general", text: "the item \(id)", createdAt: 5),
            requestID: id)
    }

    private func file(_ name: String) throws -> URL {
        try #require(
            try directory.files("outbox").first {
                $0.lastPathComponent.hasPrefix(name) || $0.lastPathComponent.hasSuffix(name)
            })
    }

    /// Returns the contents of a database's files, by path.
    private func files(_ name: String) throws -> [String: Data] {
        let url = directory.url.appending(path: name)
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            // This file is created by the check whether another process has the database open.
            if path.hasSuffix("LOCK") { continue }
            files[path] = FileManager.default.contents(atPath: url.appending(path: path).path)
        }
        return files
    }

    private func openingError() -> StoreError? {
        do {
            try directory.open().close()
            return nil
        } catch {
            return error
        }
    }

    /// Returns the items as they are after a rebuild.
    ///
    /// Each pending item is doubtful, because the server may have received it.
    private func doubtful(_ ids: [RequestID]) -> [OutboxItem] {
        ids.map { id in
            var item = outboxItem(id)
            item.isDoubtful = true
            return item
        }
    }

    private func copy(_ number: Int) -> String {
        directory.url.appending(path: "outbox-damaged-\(number)").path
    }

    /// Opens the store twice, checks that it can be used, and acknowledges the loss.
    private func expectRebuilt(_ ids: [RequestID], copy number: Int = 1) throws {
        for isRebuilt in [true, false] {
            let store = try directory.open()
            let report = store.openingReport
            #expect(report.isOutboxRebuilt == isRebuilt)
            #expect(!report.isNew && !report.isOutboxLost && !report.isCacheNew)
            #expect(report.outboxCopy == copy(number))
            #expect(try store.outboxItems() == doubtful(ids))
            #expect(try store.message("1", in: "general") == message)
            #expect(try store.contradictions() == [])
            #expect(try store.mayHaveLostOutboxItems())
            store.close()
        }
        let store = try directory.open()
        try store.write { try $0.save(outboxItem("new")) }
        #expect(try store.outboxItems() == doubtful(ids) + [outboxItem("new")])
        for (id, item) in zip(ids, doubtful(ids)) {
            let (_, change) = try store.commit { try $0.removeOutboxItem(id) }
            #expect(change.operations == [.removedOutboxItem(item)])
        }
        #expect(try store.outboxItems() == [outboxItem("new")])
        #expect(try store.contradictions() == [])
        try store.acknowledgeOutboxLoss()
        #expect(try !store.mayHaveLostOutboxItems())
        store.close()
        let last = try directory.open()
        #expect(last.openingReport.outboxCopy == nil && last.openingReport.outboxLoss == nil)
        #expect(try last.outboxItems() == [outboxItem("new")])
        last.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
                == ["VERSION", "cache", "outbox"])
    }

    @Test(arguments: ["MANIFEST", "CURRENT"], [false, true])
    func lossOfTheManifestLosesNoItems(name: String, isGone: Bool) throws {
        let path = try file(name)
        if isGone {
            try FileManager.default.removeItem(at: path)
        } else {
            try Data("damage".utf8).write(to: path)
        }
        let before = try files("outbox")
        try directory.open().close()
        #expect(try files("outbox-damaged-1") == before)
        try FileManager.default.removeItem(at: directory.url.appending(path: "outbox"))
        try FileManager.default.moveItem(
            atPath: copy(1), toPath: directory.url.appending(path: "outbox").path)
        try expectRebuilt(ids)
    }

    @Test func eachRebuildKeepsItsCopy() throws {
        for number in 1...2 {
            try FileManager.default.removeItem(at: try file("CURRENT"))
            let store = try directory.open()
            #expect(store.openingReport.outboxCopy == copy(number))
            #expect(store.openingReport.outboxLoss == nil || number == 2)
            store.close()
        }
        try FileManager.default.removeItem(at: try file("MANIFEST"))
        try expectRebuilt(ids, copy: 3)
    }

    @Test func fileWithTheGreatestNumberPreventsNoCopies() throws {
        let planted = copy(.max - 1)
        try Data("planted".utf8).write(to: URL(filePath: planted))
        for number in 1...2 {
            try FileManager.default.removeItem(at: try file("CURRENT"))
            try directory.open().close()
            #expect(FileManager.default.fileExists(atPath: copy(number)))
        }
        #expect(try Data(contentsOf: URL(filePath: planted)) == Data("planted".utf8))
    }

    @Test func rowThatIsNoOutboxItemIsCountedOrKept() throws {
        let outbox = try LevelDB(at: directory.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.put({ $0.outboxItemKey("general", 2) }, { $0.raw([0xFF]) })
        batch.put({ $0.raw([OutboxTable.outboxItem.rawValue, 1]) }, { $0.raw([]) })
        batch.put({ $0.raw([0x21]) }, { $0.raw([1]) })
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.raw([1]) })
        try outbox.write(batch, isDurable: true)
        outbox.close()
        let store = try directory.open()
        let loss = try #require(store.openingReport.outboxLoss)
        #expect(loss.items == [] && loss.unreadableCount == 2 && !loss.isWholeOutbox)
        #expect(try store.outboxItems() == doubtful(["a", "c", "d"]))
        // The id of the damaged item is still in the index. Therefore the item can be removed.
        #expect(try store.unreadableOutboxItemIDs() == ["b"])
        #expect(
            try store.commit { try $0.removeOutboxItem("b") }.change.operations.count == 1)
        store.close()
        let again = try directory.open()
        #expect(again.openingReport.outboxLoss == loss && !again.openingReport.isOutboxRebuilt)
    }

    @Test func damagedBlockOfATableIsFoundByTheOpening() throws {
        let path = try file(".ldb")
        var bytes = try Data(contentsOf: path)
        bytes[20] ^= 1
        try bytes.write(to: path)
        let store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt)
        #expect(try store.outboxItems() == doubtful(["c", "d"]))
    }

    @Test(arguments: [".log", ".ldb"], FileForm.allCases)
    func rebuiltItemsHaveTheTextsThatWereWritten(name: String, files: FileForm) throws {
        let scene = try RebuiltOutboxTests(files)
        let directory = scene.directory
        let path = try scene.file(name)
        let bytes = try Data(contentsOf: path)
        for index in Seeds.sample(of: bytes.indices, every: name == ".log" ? 7 : 37) {
            let copy = try StoreDirectory(of: directory)
            var damaged = bytes
            damaged[index] ^= 0x04
            let outbox = copy.url.appending(path: "outbox")
            try damaged.write(to: outbox.appending(path: path.lastPathComponent))
            try FileManager.default.removeItem(at: outbox.appending(path: "CURRENT"))
            let store = try copy.open()
            let items = try store.outboxItems()
            let texts = items.map { $0.message?.text }
            #expect(
                texts == items.map { outboxItem($0.requestID).message?.text }, "flipped at \(index)"
            )
            #expect(items.allSatisfy { $0.isDoubtful }, "flipped at \(index)")
            // Damage to the log does not affect the items in the table, and vice versa.
            let others = name == ".log" ? ids.prefix(2) : ids.suffix(2)
            #expect(Set(others).isSubset(of: items.map(\.requestID)), "flipped at \(index)")
            #expect(try store.contradictions() == [])
        }
    }

    @Test func interruptedRebuildLosesNothing() throws {
        let outbox = directory.url.appending(path: "outbox")
        try FileManager.default.removeItem(at: try file("CURRENT"))
        // An interrupted rebuild may leave such a directory before it moves the outbox. The
        // directory must not be used, because only the damaged outbox has all rows.
        for name in ["salvaged", "salvaged.new", "repaired"] {
            let place = directory.url.appending(path: "outbox-\(name)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            try Data("part".utf8).write(to: place.appending(path: "000003.log"))
        }
        try directory.open().close()
        // Simulates a crash after the damaged outbox was moved, and before the new one was in its
        // place.
        for isEmptyOneThere in [false, true] {
            try FileManager.default.moveItem(
                at: outbox, to: directory.url.appending(path: "outbox-salvaged"))
            if isEmptyOneThere {
                try FileManager.default.createDirectory(
                    at: outbox, withIntermediateDirectories: false)
            }
            let store = try directory.open()
            #expect(!store.openingReport.isOutboxLost)
            #expect(store.openingReport.outboxCopy == copy(1))
            #expect(try store.outboxItems() == doubtful(ids))
            store.close()
        }
        try FileManager.default.removeItem(at: try file("CURRENT"))
        try expectRebuilt(ids, copy: 2)
    }

    @Test(arguments: ["cache", "outbox"]) func openStoreIsLockedForOthers(name: String) throws {
        try FileManager.default.removeItem(at: try file("CURRENT"))
        let path = directory.url.appending(path: name).path
        let before = try files("outbox")
        var error: StoreError?
        try LevelDB.Environment.disk().withLock(of: path) { () throws(StoreError) in
            error = openingError()
        }
        #expect(error?.code == .locked && error?.path == path)
        #expect(try files("outbox") == before)
    }

    @Test func outboxOfANewerVersionIsNotRebuilt() throws {
        let outbox = try LevelDB(at: directory.url.appending(path: "outbox").path)
        try outbox.setSchemaVersion(StoreSchema.current.version + 1)
        outbox.close()
        try FileManager.default.removeItem(at: try file("CURRENT"))
        #expect(openingError()?.code == .newerSchema)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
                == ["VERSION", "cache", "outbox"])
    }

    @Test func damagedCacheAndOutboxAreBothRecovered() throws {
        try FileManager.default.removeItem(
            at: directory.url.appending(path: "cache/CURRENT"))
        try FileManager.default.removeItem(at: try file("CURRENT"))
        let store = try directory.open()
        #expect(store.openingReport.replacedCache != nil && store.openingReport.isOutboxRebuilt)
        #expect(try store.outboxItems() == doubtful(ids))
    }
}
