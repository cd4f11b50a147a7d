import Foundation
import Models
import Testing

@testable import Store

/// An outbox that does not open returns the items that can be read.
@Suite struct SalvageTests {
    private let directory: StoreDirectory
    private let ids: [RequestID] = ["a", "b", "c", "d"]

    /// A closed store whose outbox has two items in a table and two in the log.
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

    /// Returns the contents of the files of a database, by path.
    private func files(_ name: String) throws -> [String: Data] {
        let url = directory.url.appending(path: name)
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            // The check whether a process has the database open creates this file.
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

    /// Opens the store, and makes sure that it works on.
    private func expectSaved(_ ids: [RequestID], copy: String = "outbox-damaged-1") throws {
        let store = try directory.open()
        let report = store.openingReport
        #expect(!report.isNew && !report.isOutboxLost && !report.isCacheNew)
        #expect(report.outboxCopy == directory.url.appending(path: copy).path)
        #expect(try store.outboxItems() == ids.map(outboxItem))
        #expect(try store.message("1", in: "general") == message)
        #expect(try store.contradictions() == [])
        try store.write { try $0.save(outboxItem("new")) }
        #expect(try store.outboxItems() == (ids + ["new"]).map(outboxItem))
        for id in ids {
            let change = try store.write { try $0.removeOutboxItem(id) }
            #expect(change.operations == [.removedOutboxItem(outboxItem(id))])
        }
        #expect(try store.outboxItems() == [outboxItem("new")])
        #expect(try store.contradictions() == [])
        store.close()
    }

    @Test(arguments: ["MANIFEST", "CURRENT"], [false, true])
    func nothingIsLostButTheListOfFiles(name: String, isGone: Bool) throws {
        let path = try file(name)
        if isGone {
            try FileManager.default.removeItem(at: path)
        } else {
            try Data("damage".utf8).write(to: path)
        }
        let before = try files("outbox")
        try ChatStore.rebuildCache(at: directory.url)
        let error = try #require(openingError())
        #expect(error.code == .corruption)
        #expect(error.message.hasPrefix("the outbox: "))
        #expect(error.path == directory.url.appending(path: "outbox").path)
        #expect(try files("outbox") == before)

        try ChatStore.salvageOutbox(at: directory.url)
        #expect(try files("outbox-damaged-1") == before)
        let store = try directory.open()
        #expect(try store.outboxItems() == ids.map(outboxItem))
        try store.write { try $0.save(message) }
        store.close()
        try expectSaved(ids)
    }

    @Test func theReportSaysHowManyOutboxItemsWereKept() throws {
        try FileManager.default.removeItem(at: try file("CURRENT"))
        var report = try ChatStore.salvageOutbox(at: directory.url)
        let copies = ["1", "2"].map { directory.url.appending(path: "outbox-damaged-\($0)").path }
        #expect(report.keptOutboxItems == 4 && report.unreadableRows == 0)
        #expect(report.outboxCopy == copies[0])
        // An outbox that does open is accepted as well.
        report = try ChatStore.salvageOutbox(at: directory.url)
        #expect(report.keptOutboxItems == 4 && report.unreadableRows == 0)
        #expect(report.outboxCopy == copies[1])
        try expectSaved(ids, copy: "outbox-damaged-2")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
                == ["VERSION", "cache", "outbox", "outbox-damaged-1", "outbox-damaged-2"])
    }

    @Test func aRowThatIsNoOutboxItemIsCountedAndLeftOut() throws {
        let outbox = try LevelDB(at: directory.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.put({ $0.outboxItemKey("general", 2) }, { $0.raw([0xFF]) })
        batch.put({ $0.raw([OutboxTable.outboxItem.rawValue, 1]) }, { $0.raw([]) })
        batch.put({ $0.raw([0x21]) }, { $0.raw([1]) })
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.raw([1]) })
        try outbox.write(batch, isDurable: true)
        outbox.close()
        let error = try #require(openingError())
        #expect(error.code == .corruption && error.message.hasPrefix("the outbox: the next number"))
        let report = try ChatStore.salvageOutbox(at: directory.url)
        #expect(report.keptOutboxItems == 3 && report.unreadableRows == 3)
        try expectSaved(["a", "c", "d"])
    }

    @Test(arguments: [".log", ".ldb"], FileForm.allCases)
    func salvagedItemsHaveTheTextsThatWereWritten(name: String, files: FileForm) throws {
        let scene = try SalvageTests(files)
        let directory = scene.directory
        let path = try scene.file(name)
        let bytes = try Data(contentsOf: path)
        for index in bytes.indices where index % (name == ".log" ? 1 : 7) == 0 {
            let copy = try StoreDirectory(of: directory)
            var damaged = bytes
            damaged[index] ^= 0x04
            let outbox = copy.url.appending(path: "outbox")
            try damaged.write(to: outbox.appending(path: path.lastPathComponent))
            try FileManager.default.removeItem(at: outbox.appending(path: "CURRENT"))
            let report = try ChatStore.salvageOutbox(
                at: copy.url, encryptionKey: files.key)
            let store = try copy.open()
            let items = try store.outboxItems()
            #expect(items.allSatisfy { $0 == outboxItem($0.requestID) }, "flipped at \(index)")
            #expect(report.keptOutboxItems == items.count)
            // Those in the other file, at least.
            let others = name == ".log" ? ids.prefix(2) : ids.suffix(2)
            #expect(Set(others).isSubset(of: items.map(\.requestID)), "flipped at \(index)")
            #expect(try store.contradictions() == [])
        }
    }

    @Test func whereItEndsInBetweenNothingIsLost() throws {
        let outbox = directory.url.appending(path: "outbox")
        try FileManager.default.removeItem(at: try file("CURRENT"))
        // Left over before the outbox was set aside: it counts, since nothing else has all rows.
        for name in ["salvaged", "salvaged.new", "repaired"] {
            let place = directory.url.appending(path: "outbox-\(name)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            try Data("part".utf8).write(to: place.appending(path: "000003.log"))
        }
        #expect(openingError()?.code == .corruption)
        try ChatStore.salvageOutbox(at: directory.url)
        // As if the process had ended with the outbox set aside.
        for isEmptyOneThere in [false, true] {
            try FileManager.default.moveItem(
                at: outbox, to: directory.url.appending(path: "outbox-salvaged"))
            if isEmptyOneThere {
                try FileManager.default.createDirectory(
                    at: outbox, withIntermediateDirectories: false)
            }
            let store = try directory.open()
            #expect(!store.openingReport.isOutboxLost)
            #expect(try store.outboxItems() == ids.map(outboxItem))
            store.close()
        }
        try expectSaved(ids)
    }

    @Test(arguments: ["cache", "outbox"]) func openStoreIsLockedForOthers(name: String) throws {
        let database = try LevelDB(at: directory.url.appending(path: name).path)
        let before = try files("")
        let error = #expect(throws: StoreError.self) {
            try ChatStore.salvageOutbox(at: directory.url)
        }
        #expect(error?.code == .locked && error?.path == database.path)
        #expect(try files("") == before)
        database.close()
    }

    @Test func filesOfANewerVersionAreNotChanged() throws {
        try Data("2\n".utf8).write(to: directory.url.appending(path: "VERSION"))
        let before = try files("")
        #expect(code { try ChatStore.salvageOutbox(at: directory.url) } == .newerSchema)
        try FileManager.default.removeItem(at: directory.url.appending(path: "VERSION"))
        let outbox = try LevelDB(at: directory.url.appending(path: "outbox").path)
        try outbox.setSchemaVersion(2)
        outbox.close()
        #expect(code { try ChatStore.salvageOutbox(at: directory.url) } == .newerSchema)
        #expect(Set(try files("").keys) == Set(before.keys).subtracting(["VERSION"]))
    }

    @Test func whereThereIsNoOutboxThereIsNothingToDo() throws {
        let place = directory.url.appending(path: "none")
        #expect(try ChatStore.salvageOutbox(at: place) == SalvageReport())
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func aDamagedCacheIsNamedAsWell() throws {
        try FileManager.default.removeItem(
            at: directory.url.appending(path: "cache/CURRENT"))
        let error = try #require(openingError())
        #expect(error.code == .corruption && error.message.hasPrefix("the cache: "))
        // It does not keep the outbox from being saved.
        #expect(try ChatStore.salvageOutbox(at: directory.url).keptOutboxItems == 4)
        try ChatStore.rebuildCache(at: directory.url)
        #expect(try directory.open().outboxItems() == ids.map(outboxItem))
    }
}
