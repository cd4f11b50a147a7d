import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests what opening a store reports, repairs, refuses and migrates.
@Suite struct OpeningTests {
    private let directory = ScratchDirectory()

    private func open(_ schema: StoreSchema = .current) throws -> ChatStore {
        try ChatStore(
            at: directory.url, environments: (.disk(), .disk()), schema: schema)
    }

    private func file(_ name: String) -> URL { directory.url.appending(path: name) }

    // MARK: Files

    private func permissions(_ path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return try #require(value as? NSNumber).intValue
    }

    @Test func versionHasAFileOfItsOwn() throws {
        let store = try open()
        #expect(
            try String(contentsOf: file("VERSION"), encoding: .utf8)
                == "\(StoreSchema.current.version)\n")
        var expected = OpeningReport()
        expected.isNew = true
        expected.isCacheNew = true
        #expect(store.openingReport == expected)
        #expect(store.directory == directory.url)
    }

    @Test func onlyTheFirstOpeningIsNew() throws {
        for round in 0..<3 {
            let store = try open()
            #expect(store.openingReport.isNew == (round == 0))
            #expect(store.openingReport.isCacheNew == (round == 0))
            #expect(store.openingReport.migratedFrom == nil)
            store.close()
        }
        // If the cache is lost, opening creates a new one and keeps the outbox.
        var store = try open()
        try store.write { try $0.save(OutboxItem("hi", request: "r")) }
        store.close()
        try FileManager.default.removeItem(at: file("cache"))
        store = try open()
        #expect(!store.openingReport.isNew && store.openingReport.isCacheNew)
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        #expect(try store.channelURLs().isEmpty)
    }

    @Test func directoryIsLockedByItsStore() throws {
        let first = try open()
        let before = try state(ofAll: directory)
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.code == .locked)
        #expect(error?.path.hasPrefix(directory.path) == true)
        #expect(error?.description.hasPrefix("locked: \(directory.path)") == true)
        #expect(try state(ofAll: directory) == before)
        // The failed opening does not affect the store that is already open.
        try first.write { try $0.save(Message("a", at: 1)) }
        first.close()
        #expect(try open().messageCount(in: "general") == 1)
    }

    @Test func releasedStoreClosesItsFiles() throws {
        try open().write { try $0.save(Message("a", at: 1)) }
        #expect(try open().messageCount(in: "general") == 1)
    }

    @Test func storeInMemoryLeavesNoFiles() throws {
        let fileManager = FileManager.default
        func listings() throws -> [[String]] {
            try ["/", fileManager.currentDirectoryPath].map {
                try fileManager.contentsOfDirectory(atPath: $0).sorted()
            }
        }
        let before = try listings()
        let one = try ChatStore.inMemory()
        let two = try ChatStore.inMemory()
        try one.write { try $0.save(Message("a", at: 1)) }
        #expect(try two.messageCount() == 0)
        #expect(one.directory == nil && one.openingReport.isNew)
        #expect(try listings() == before)
        one.close()
        two.close()
        #expect(try ChatStore.inMemory().messageCount() == 0)
    }

    @Test func existingDirectoryKeepsItsPermissions() throws {
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750])
        _ = try open()
        #expect(try permissions(directory.path) == 0o750)
        for name in ["cache", "outbox"] { #expect(try permissions(file(name).path) == 0o700) }
    }

    @Test func unreadableDirectoryIsNotTreatedAsEmpty() throws {
        try open().close()
        for name in ["VERSION", "DISTRUST-OUTBOX"] {
            try? FileManager.default.removeItem(at: file(name))  // The file may not exist.
            #expect(symlink(name, file(name).path) == 0)
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.code == .io)
            #expect(error?.path == file(name).path)
            // The link is unchanged.
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: file(name).path) == name)
            try FileManager.default.removeItem(at: file(name))
        }
        #expect(try !open().openingReport.isNew)
    }

    @Test func sendingANamedPipeFailsAtOnce() throws {
        try open().close()
        for name in ["VERSION", "DISTRUST-OUTBOX"] {
            try? FileManager.default.removeItem(at: file(name))  // The file may not exist.
            #expect(mkfifo(file(name).path, 0o600) == 0)
        }
        try open().close()
        #expect(
            try String(contentsOf: file("VERSION"), encoding: .utf8)
                == "\(StoreSchema.current.version)\n")
    }

    // MARK: Versions

    /// The bytes, the modification time and other attributes of a file.
    private struct FileState: Equatable {
        var bytes: Data?
        var modified: Date?
        var permissions: Int?
    }

    private func state(ofAll directory: ScratchDirectory) throws -> [String: FileState] {
        var states: [String: FileState] = [:]
        for path in directory.contents + [""] {
            let full = directory.path + "/" + path
            let attributes = try FileManager.default.attributesOfItem(atPath: full)
            states[path] = FileState(
                // `nil` for a directory.
                bytes: FileManager.default.contents(atPath: full),
                modified: attributes[.modificationDate] as? Date,
                permissions: (attributes[.posixPermissions] as? NSNumber)?.intValue)
        }
        return states
    }

    private static func emptySchema(_ version: Int) -> StoreSchema {
        StoreSchema(
            migrations: (2..<version + 1).map { Migration(to: $0) { (_, _) in } })
    }

    @Test func filesOfANewerVersionAreNotChanged() throws {
        let store = try open(Self.emptySchema(3))
        try store.write { try $0.save(Message("a", at: 1)) }
        store.close()
        // The permissions differ from those that the store sets. They must stay as they are, too.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.path)
        try FileManager.default.removeItem(at: file("outbox"))
        let before = try state(ofAll: directory)
        for version in [1, 2] {
            let error = #expect(throws: StoreError.self) { try open(Self.emptySchema(version)) }
            #expect(error?.code == .newerSchema)
            #expect(error?.path == file("VERSION").path)
            #expect(error?.message == "the files have version 3, this code knows up to \(version)")
        }
        #expect(try state(ofAll: directory) == before)
        #expect(try open(Self.emptySchema(3)).messageCount(in: "general") == 1)
    }

    @Test(arguments: ["\n", "soon", "-3\n", "99999999999999999999\n", "\u{FF}"])
    func versionFileWithoutANumberIsCorruption(text: String) throws {
        let bytes = text == "\u{FF}" ? Data([0xFF, 0x31]) : Data(text.utf8)
        try open(Self.emptySchema(2)).close()
        try bytes.write(to: file("VERSION"))
        for version in 1...2 {
            let error = #expect(throws: StoreError.self) { try open(Self.emptySchema(version)) }
            #expect(error?.code == .corruption)
            #expect(error?.path == file("VERSION").path)
            #expect(try Data(contentsOf: file("VERSION")) == bytes)
        }
        // If the version file is missing, the version in the databases' rows counts.
        try FileManager.default.removeItem(at: file("VERSION"))
        #expect(code { _ = try open(Self.emptySchema(1)) } == .newerSchema)
        let store = try open(Self.emptySchema(2))
        #expect(!store.openingReport.isNew && store.openingReport.migratedFrom == nil)
        #expect(try String(contentsOf: file("VERSION"), encoding: .utf8) == "2\n")
    }

    @Test(arguments: [Data(), Data(count: 2)])
    func versionFileThatTheDiskEmptiedIsWrittenAgain(bytes: Data) throws {
        let store = try open(Self.emptySchema(2))
        try store.write { try $0.save(Message("a", at: 1)) }
        store.close()
        try bytes.write(to: file("VERSION"))
        #expect(code { _ = try open(Self.emptySchema(1)) } == .newerSchema)
        #expect(try open(Self.emptySchema(2)).messageCount(in: "general") == 1)
        #expect(try String(contentsOf: file("VERSION"), encoding: .utf8) == "2\n")
    }

    // MARK: Migrations

    /// The versions whose migration steps ran.
    private final class Steps: Sendable {
        private let steps = Locked<[Int]>([])
        var all: [Int] { steps.withLock { $0 } }
        func add(_ version: Int) { steps.withLock { $0.append(version) } }
    }

    /// Returns a schema whose steps write rows one by one.
    private func schema(to version: Int, ran: Steps? = nil) -> StoreSchema {
        StoreSchema(
            migrations: (2..<version + 1).map { version in
                Migration(to: version) { (outbox, tell) throws(StoreError) in
                    ran?.add(version)
                    for index in 0..<4 {
                        let items = Overlay()
                        let item = OutboxItem(
                            "\(version)", request: RequestID("\(version)-\(index)"))
                        items.put(
                            { $0.outboxItemKey("moved", UInt64(version * 10 + index)) },
                            { writer in item.withSerializedBytes { writer.raw($0) } })
                        try outbox.write(items, isDurable: true)
                        tell(Double(index + 1) / 4)
                    }
                }
            })
    }

    private func expectMigrated(
        _ store: ChatStore, to version: Int, isCacheKept: Bool = false
    ) throws {
        #expect(try store.outboxItems(in: "moved").count == 4 * (version - 1))
        #expect(try store.draft(of: "general") == "draft")
        // The cache is replaced, which is no damage.
        #expect(try store.message("a", in: "general")?.text == (isCacheKept ? "a" : nil))
        let report = store.openingReport
        #expect(report.isCacheNew == !isCacheKept && !report.isNew)
        #expect(report.replacedCache == nil && report.outboxLoss == nil)
        let caches = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.contains("cache") }
        #expect(caches.count == 1 && !caches[0].hasPrefix("replaced"))
        #expect(try String(contentsOf: file("VERSION"), encoding: .utf8) == "\(version)\n")
    }

    private func makeVersion1() throws {
        let store = try open(StoreSchema(migrations: []))
        try store.write { batch in
            try batch.save(Message("a", at: 1))
            try batch.setDraft("draft", of: "general")
        }
        store.close()
    }

    @Test func migrationStepsRunInOrderAndReportProgress() throws {
        try makeVersion1()
        let ran = Steps()
        var progress: [MigrationProgress] = []
        let store = try ChatStore(
            at: directory.url, environments: (.disk(), .disk()), schema: schema(to: 4, ran: ran)
        ) { progress.append($0) }
        #expect(ran.all == [2, 3, 4])
        #expect(store.openingReport.migratedFrom == 1 && !store.openingReport.isNew)
        let fractions = progress.map(\.fractionCompleted)
        #expect(fractions.first == 0 && fractions.last == 1)
        #expect(fractions == fractions.sorted())
        #expect(fractions.count == 14)
        #expect(Set(progress.map(\.fromVersion)) == [1] && Set(progress.map(\.toVersion)) == [4])
        try expectMigrated(store, to: 4)
        store.close()

        // At the second opening, no step runs again.
        progress = []
        let again = try ChatStore(
            at: directory.url, environments: (.disk(), .disk()), schema: schema(to: 4, ran: ran)
        ) { progress.append($0) }
        #expect(again.openingReport.migratedFrom == nil && progress.isEmpty)
        #expect(ran.all == [2, 3, 4])
        again.close()
        #expect(code { _ = try open(schema(to: 3)) } == .newerSchema)
    }

    @Test func onlyRemainingMigrationStepsRun() throws {
        try makeVersion1()
        try open(schema(to: 2)).close()
        let ran = Steps()
        let store = try open(schema(to: 4, ran: ran))
        #expect(ran.all == [3, 4])
        #expect(store.openingReport.migratedFrom == 2)
        try expectMigrated(store, to: 4)
    }

    @Test func aNewStoreNeedsNoSteps() throws {
        let ran = Steps()
        let store = try open(schema(to: 4, ran: ran))
        #expect(ran.all.isEmpty)
        #expect(store.openingReport.isNew && store.openingReport.migratedFrom == nil)
    }

    /// As if the process had been killed between the migration of the outbox and the replacement
    /// of the cache.
    @Test func cacheOfAnOlderVersionIsReplacedAfterTheOutboxWasMigrated() throws {
        try makeVersion1()
        try open(schema(to: 2)).close()
        try FileManager.default.removeItem(at: file("cache-2"))
        try FileManager.default.removeItem(at: file("REPLACED"))
        let cache = try LevelDB(at: file("cache").path)
        try cache.setSchemaVersion(1)
        cache.close()
        let ran = Steps()
        var progress: [Double] = []
        let store = try ChatStore(
            at: directory.url, environments: (.disk(), .disk()), schema: schema(to: 2, ran: ran)
        ) { progress.append($0.fractionCompleted) }
        #expect(ran.all == [] && progress == [0, 1])
        #expect(store.openingReport.migratedFrom == 1)
        try expectMigrated(store, to: 2)
    }

    @Test func currentCacheStaysWhenTheOutboxIsMigrated() throws {
        try makeVersion1()
        do { try LevelDB(at: file("cache").path).setSchemaVersion(2) }
        let ran = Steps()
        let store = try open(schema(to: 2, ran: ran))
        #expect(ran.all == [2])
        try expectMigrated(store, to: 2, isCacheKept: true)
    }
}
