import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Makes a single change to the disk fail.
///
/// The data in memory and on disk must stay as before.
@Suite struct FailedWriteTests {
    private static let seeds = Seeds.count(10, atNight: 2_000)

    /// The numbers of the changes to the disk that fail.
    private static let failingChanges = Seeds.isNight ? Array(1...9) : [1, 2, 5]

    private let directory: StoreDirectory
    private let disks = FailingDisks()

    init() throws { directory = try StoreDirectory() }

    /// A way in which a disk fails.
    struct Failure: CustomTestStringConvertible, Sendable {
        let error: Int32
        let isOnce: Bool
        let tears: Bool

        var code: StoreError.Code { error == ENOSPC ? .noSpace : .io }

        var testDescription: String {
            "\(code) \(isOnce ? "once" : "until healed")\(tears ? ", torn" : "")"
        }

        static let all: [Failure] = [ENOSPC, EIO].flatMap { error in
            [true, false].flatMap { isOnce in
                [true, false].map { Failure(error: error, isOnce: isOnce, tears: $0) }
            }
        }
    }

    /// The database whose disk fails, and whether its files are encrypted.
    enum Place: String, CaseIterable, Sendable {
        case cache, outbox
        case encryptedCache = "encrypted cache"
        case encryptedOutbox = "encrypted outbox"

        var name: String { self == .cache || self == .encryptedCache ? "cache" : "outbox" }
        var files: FileForm { self == .cache || self == .outbox ? .plain : .encrypted }
    }

    /// A store to which some steps were written.
    ///
    /// It is on two disks, of which one is made to fail.
    private struct Scene {
        let directory: StoreDirectory
        let disks = FailingDisks()
        let store: ChatStore
        let expected: ExpectedStore
        var last = 8

        init(
            seed: Int, _ files: FileForm = .plain, _ options: StoreOptions = StoreOptions()
        ) throws {
            directory = try StoreDirectory(files)
            store = try disks.open(directory, options)
            expected = try ExpectedStore(Steps(seed: seed))
            for number in 1...last { try expected.steps.write(number, to: store) }
        }

        /// Writes steps until one fails, and returns its error.
        ///
        /// ``last`` is then the step before it.
        mutating func writeUntilFailure(atMost count: Int = 20) -> (any Error)? {
            for number in last + 1...last + count {
                do {
                    try expected.steps.write(number, to: store)
                    last = number
                } catch {
                    return error
                }
            }
            return nil
        }

        /// Compares the rows that a reader returns with the rows after the given steps of the cache
        /// and of the outbox.
        func check(_ reader: some StoreReader, cache: Int, outbox: Int) throws {
            #expect(try CachePicture(reader) == expected.cache(after: cache))
            #expect(try reader.outboxPicture() == expected.outbox(after: outbox))
        }
    }

    @Test(arguments: Failure.all, Place.allCases)
    func failedWriteChangesNothing(_ failure: Failure, place: Place) throws {
        let name = place.name
        for change in Self.failingChanges {
            var scene = try Scene(seed: change, place.files)
            let disk = name == "cache" ? scene.disks.cache : scene.disks.outbox
            let (_, observation) = try scene.store.observe(.everything)
            disk.fail(at: change, with: failure.error, once: failure.isOnce, tearing: failure.tears)
            let first = scene.last
            let error = try #require(scene.writeUntilFailure() as? StoreError)
            #expect(error.code == failure.code)
            #expect(error.path == scene.directory.url.appending(path: name).path)

            // If a step writes to both databases, it writes to the cache first. Then the cache has
            // the step, although the outbox failed.
            let failed = scene.last + 1
            let isOfBoth =
                if case .acknowledgement = scene.expected.steps.kind(failed) { true } else { false }
            let cache = isOfBoth && name == "outbox" ? failed : scene.last
            try scene.check(scene.store, cache: cache, outbox: scene.last)
            let told = observation.drain()
            #expect(told.count <= cache - first)
            for change in told where change.number > scene.last {
                #expect(
                    !change.operations.contains {
                        if case .removedOutboxItem = $0 { true } else { false }
                    })
            }
            if cache == failed {
                #expect(
                    told.last?.operations.contains {
                        if case .savedMessage = $0 { true } else { false }
                    } == true)
            }

            if !failure.isOnce {
                let again = #expect(throws: StoreError.self) {
                    try scene.expected.steps.write(failed, to: scene.store)
                }
                #expect(again?.code == failure.code)
                #expect(observation.drain().count <= (isOfBoth ? 1 : 0))
                disk.heal()
            }
            try scene.expected.steps.write(failed, to: scene.store)
            try scene.check(scene.store, cache: failed, outbox: failed)
            #expect(try scene.store.contradictions() == [])
            scene.store.close()
            let store = try scene.directory.open()
            #expect(store.openingReport.replacedCache == nil)
            #expect(store.openingReport.outboxDamage == nil)
            try scene.check(store, cache: failed, outbox: failed)
        }
    }

    @Test(arguments: Failure.all, Place.allCases)
    func storeClosedAfterAFailedWriteOmitsThatWrite(
        _ failure: Failure, place: Place
    ) throws {
        for change in Self.failingChanges {
            var scene = try Scene(seed: change, place.files)
            let disk = place.name == "cache" ? scene.disks.cache : scene.disks.outbox
            disk.fail(at: change, with: failure.error, once: failure.isOnce, tearing: failure.tears)
            #expect(scene.writeUntilFailure() is StoreError)
            let seen = try (CachePicture(scene.store), scene.store.outboxPicture())
            scene.store.close()
            let store = try scene.directory.open()
            #expect(try CachePicture(store) == seen.0)
            #expect(try store.outboxPicture() == seen.1)
            #expect(try store.contradictions() == [])
        }
    }

    @Test(arguments: seeds, FileForm.allCases)
    func failuresOfTablesAndNewLogsChangeNothing(seed: Int, files: FileForm) throws {
        var random = SeededRandom(seed: seed)
        var scene = try Scene(seed: seed, files, Steps.smallFiles)
        while scene.last < 70 {
            guard let failure = Failure.all.randomElement(using: &random) else { break }
            let change = Int.random(in: 1...120, using: &random)
            scene.disks.cache.fail(
                at: change, with: failure.error, once: failure.isOnce, tearing: failure.tears)
            // If a table cannot be written, only the next write reports the failure, and the disk
            // may work again by then. If only the removal of old files or rows fails, no write
            // fails, because the removal is repeated later.
            if let error = scene.writeUntilFailure() {
                let error = try #require(error as? StoreError)
                #expect(error.code == .noSpace || error.code == .io)
                do {
                    try scene.check(scene.store, cache: scene.last, outbox: scene.last)
                } catch let reading as StoreError {
                    // The write has closed the files, and could not open them again. (A real disk
                    // is checked for free space before the files are closed.)
                    #expect(reading.message == error.message && reading.code == failure.code)
                }
            }
            scene.disks.cache.heal()
            // If a table could not be written in the background, the next write reports the
            // failure.
            var attempts = 0
            while true {
                do {
                    try scene.expected.steps.write(scene.last + 1, to: scene.store)
                    scene.last += 1
                    break
                } catch {
                    attempts += 1
                    try #require(attempts < 3, "\(error)")
                }
            }
        }
        scene.disks.cache.heal()
        try scene.check(scene.store, cache: scene.last, outbox: scene.last)
        #expect(try scene.store.contradictions() == [])
        scene.store.close()
        let store = try scene.directory.open()
        #expect(store.openingReport.replacedCache == nil)
        try scene.check(store, cache: scene.last, outbox: scene.last)
    }

    // MARK: Both databases

    private func outboxItem(_ id: RequestID) -> OutboxItem {
        OutboxItem(Message(id: nil, channelURL: "general", text: "hi", createdAt: 5), requestID: id)
    }

    private let sent = Message(id: "1", channelURL: "general", text: "hi", createdAt: 7)

    @Test func failedCacheWriteDoesNotChangeTheOutbox() throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(outboxItem("r")) }
        let (_, observation) = try store.observe(.everything)
        disks.cache.fail(at: 1, with: ENOSPC, once: true)
        let error = #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(sent)
                try batch.removeOutboxItem("r")
            }
        }
        #expect(error?.code == .noSpace)
        #expect(try store.messages(in: "general") == [])
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        #expect(observation.drain() == [])
    }

    @Test func failedOutboxWriteReportsAndKeepsTheCacheCommit() throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(outboxItem("r")) }
        let (_, observation) = try store.observe(.everything)
        disks.outbox.fail(at: 4, with: EIO, once: true)
        let error = #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(sent)
                try batch.removeOutboxItem("r")
                try batch.save(outboxItem("s"))
            }
        }
        #expect(error?.code == .io)
        #expect(try store.messages(in: "general") == [sent])
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        let told = observation.drain()
        #expect(told.map(\.number) == [2])
        #expect(told.first?.operations == [.savedGap(Gap(in: "general")), .savedMessage(sent)])
        // The next attempt writes both parts.
        try store.write { batch in
            try batch.save(sent)
            try batch.removeOutboxItem("r")
            try batch.save(outboxItem("s"))
        }
        #expect(observation.drain().map(\.number) == [3])
        #expect(try store.messages(in: "general") == [sent])
        #expect(try store.outboxItems().map(\.requestID) == ["s"])
    }

    @Test func countersStayCorrectIfOnlyTheOutboxFails() throws {
        var store = try disks.open(directory)
        try store.write { try $0.save(Message("1", at: 1)) }
        disks.outbox.fail(at: 1, with: EIO, once: true)
        #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(Message("2", at: 2))
                try batch.save(outboxItem("r"))
            }
        }
        try store.write { try $0.save(Message("3", at: 3)) }
        for _ in 1...2 {
            #expect(try store.messageCount(in: "general") == 3)
            #expect(try store.contradictions() == [])
            store.close()
            store = try directory.open()
        }
    }

    /// Creates a directory in the place of a file with which the store checks that a database's
    /// files can be written.
    ///
    /// The check then fails.
    private func blockMending(of name: String) throws -> URL {
        let probe = directory.url.appending(path: "\(name)/probe")
        try FileManager.default.createDirectory(at: probe, withIntermediateDirectories: false)
        return probe
    }

    @Test func oneDatabaseIsWrittenWhileTheOtherFails() throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(sent) }
        for (disk, name) in [(disks.cache, "cache"), (disks.outbox, "outbox")] {
            let probe = try blockMending(of: name)
            disk.fail(at: 1, with: ENOSPC, once: true)
            let message = Message(MessageID("of \(name)"), at: 9)
            func saveMessage(_ batch: Batch) throws { try batch.save(message) }
            func saveOutboxItem(_ batch: Batch) throws {
                try batch.save(outboxItem(RequestID(name)))
            }
            func saveBoth(_ batch: Batch) throws {
                // Reading in the batch returns the committed data.
                #expect(try batch.messages(in: "general").contains(sent))
                try saveMessage(batch)
                try saveOutboxItem(batch)
            }
            let (failed, healthy) =
                name == "cache" ? (saveMessage, saveOutboxItem) : (saveOutboxItem, saveMessage)
            #expect(throws: StoreError.self) { try store.write(failed) }
            try store.write(healthy)
            let before = try (store.messages(in: "general"), store.outboxItems())
            for body in [failed, saveBoth] {
                let error = #expect(throws: StoreError.self) { try store.write(body) }
                #expect(error?.path == probe.path)
                #expect(try store.messages(in: "general") == before.0)
                #expect(try store.outboxItems() == before.1)
            }
            // A commit without changes does not fail.
            #expect(try store.commit { _ in }.change.entries.isEmpty)
            try FileManager.default.removeItem(at: probe)
            try store.write(saveBoth)
            #expect(try store.message(message.messageID ?? "", in: "general") == message)
            #expect(try store.outboxItem(RequestID(name)) != nil)
        }
        #expect(try store.contradictions() == [])
    }

    @Test func rowsOfAnotherProcessSurviveAFailedReopening() throws {
        let store = try disks.open(directory)
        try store.write { batch in
            for id in ["a", "b"] as [MessageID] { try batch.save(Message(id, at: 1)) }
            try batch.save(outboxItem("mine"))
        }
        let (_, observation) = try store.observe(.everything)
        for disk in disks.both { disk.fail(at: 1, with: EIO, once: true) }
        #expect(throws: StoreError.self) { try store.write { try $0.save(Message("c", at: 3)) } }
        let probe = try blockMending(of: "cache")
        #expect(throws: StoreError.self) { try store.write { try $0.save(outboxItem("failed")) } }
        try FileManager.default.removeItem(at: probe)
        let files = ["cache", "outbox"].map { directory.url.appending(path: "\($0)/CURRENT") }
        for file in files {
            try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("away"))
        }
        // Now both databases have failed, and neither can be reopened.
        #expect(throws: StoreError.self) { try store.write { try $0.save(sent) } }
        #expect(throws: StoreError.self) { try store.messages(in: "general") }
        for file in files {
            try FileManager.default.moveItem(at: file.appendingPathExtension("away"), to: file)
        }
        let other = try directory.open()
        try other.write { batch in
            try batch.save(Message("d", at: 4))
            try batch.save(Message("e", at: 5, in: "other's"))
            try batch.clearMessages(in: "general")
            try batch.save(Message("d", at: 4))
            try batch.save(outboxItem("other's"))
        }
        other.close()

        try store.write { batch in
            // "d" is greater than all earlier ids, so it is saved without looking it up.
            try batch.save(Message("d", at: 9))
            try batch.save(Message("f", at: 6, in: "new"))
            try batch.save(outboxItem("last"))
        }
        #expect(try store.messages(in: "general") == [Message("d", at: 9)])
        #expect(try store.messageCount(in: "general") == 1)
        #expect(try store.messages(in: "other's").ids == "e")
        #expect(try store.messages(in: "new").ids == "f")
        #expect(try store.outboxItems().map(\.requestID) == ["mine", "other's", "last"])
        #expect(try store.contradictions() == [])
        let told = observation.drain()
        #expect(told.map(\.number) == [2, 3])
        #expect(told.first?.operations == [.missed])
        #expect(told.last?.operations.contains(.savedOutboxItem(outboxItem("last"))) == true)
    }

    @Test(arguments: ["cache", "outbox"])
    func readsReportWhyTheFilesCouldNotBeReopened(name: String) throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(sent) }
        func write(_ batch: Batch) throws {
            try batch.save(Message("2", at: 9))
            try batch.save(outboxItem("r"))
        }
        let disk = name == "cache" ? disks.cache : disks.outbox
        disk.fail(at: 1, with: ENOSPC, once: true)
        #expect(code { try store.write(write) } == .noSpace)
        disk.failOpening(with: EIO)
        #expect(code { try store.write(write) } == .io)
        #expect(code { _ = try store.messages(in: "general") } == .io)
        disk.heal()
        try store.write(write)
        #expect(try store.messages(in: "general").ids == "2 1")
        #expect(try store.contradictions() == [])
    }

    @Test(arguments: ["cache", "outbox"])
    func storeClosedAfterAFailureThrowsClosed(name: String) throws {
        let store = try disks.open(directory)
        (name == "cache" ? disks.cache : disks.outbox).fail(at: 1, with: ENOSPC, once: true)
        #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(outboxItem("r"))
                if name == "cache" { try batch.save(sent) }
            }
        }
        store.close()
        // A closed store refuses the call without accessing the files.
        try FileManager.default.removeItem(at: directory.url)
        #expect(code { _ = try store.write { try $0.save(sent) } } == .closed)
        #expect(code { try store.purgeCleared() } == .closed)
        #expect(code { try store.emit(.connection(.online)) } == .closed)
        store.close()
        #expect(!FileManager.default.fileExists(atPath: directory.url.path))
    }

    @Test func failedOutboxItemDoesNotReappearAfterTheStoreIsReleased() throws {
        do {
            let store = try disks.open(directory)
            try store.write { try $0.save(outboxItem("r")) }
            // Change 4 is the sync. When it fails, the log already contains all rows.
            disks.outbox.fail(at: 4, with: EIO, once: true)
            #expect(throws: StoreError.self) { try store.write { try $0.save(outboxItem("s")) } }
            #expect(try store.outboxItems().map(\.requestID) == ["r"])
        }
        #expect(try directory.open().outboxItems().map(\.requestID) == ["r"])
    }

    // MARK: Readers during a recovery

    @Test func heldSnapshotPreventsReopening() throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(outboxItem("r")) }
        var snapshot: Snapshot? = try store.snapshot()
        disks.outbox.fail(at: 1, with: ENOSPC, once: true)
        #expect(throws: StoreError.self) { try store.write { try $0.save(outboxItem("s")) } }
        // The snapshot prevents the files from being reopened, so the disk is not checked either.
        let probe = try blockMending(of: "outbox")
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) {
                try store.write { try $0.save(outboxItem("s")) }
            }
            #expect(error?.code == .busy)
            #expect((error?.cause as? StoreError)?.code == .noSpace)
            #expect(try store.outboxItems().map(\.requestID) == ["r"])
            #expect(try snapshot?.outboxItems().map(\.requestID) == ["r"])
        }
        try FileManager.default.removeItem(at: probe)
        snapshot = nil
        try store.write { try $0.save(outboxItem("s")) }
        #expect(try store.outboxItems().map(\.requestID) == ["r", "s"])
    }

    @Test func writerDoesNotWaitForReaders() throws {
        let store = try disks.open(directory)
        try store.write { batch in
            for id in 1...500 { try batch.save(Message(MessageID("\(id)"), at: 1)) }
        }
        let isOver = Locked(false)
        let counts = Locked<Set<Int>>([])
        let failures = Locked<[String]>([])
        onThreads(4) { thread in
            if thread > 0 {
                while !isOver.withLock({ $0 }) {
                    do {
                        let count = try store.messages(in: "general").count
                        counts.withLock { _ = $0.insert(count) }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                return
            }
            for round in 1...10 {
                (round % 2 == 0 ? disks.cache : disks.outbox).fail(at: 1, with: EIO, once: true)
                func write() throws {
                    try store.write { batch in
                        if round % 2 == 0 {
                            try batch.save(Message(MessageID("of \(round)"), at: 2))
                        } else {
                            try batch.save(outboxItem(RequestID("of \(round)")))
                        }
                    }
                }
                if code(of: write) != .io {
                    failures.withLock { $0.append("round \(round) did not fail") }
                }
                do { try write() } catch { failures.withLock { $0.append("\(error)") } }
            }
            isOver.withLock { $0 = true }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(counts.withLock { $0 }.isSubset(of: Set(500...505)))
        #expect(try store.messageCount() == 505 && store.outboxItemCount() == 5)
    }

    @Test func diskIsCheckedBeforeTheFilesAreClosed() throws {
        let disk = FailingDisk()
        let path = directory.url.appending(path: "cache").path
        let database = try LevelDB(at: path, environment: disk.environment)
        // As long as no write has failed, the disk is not checked, so this directory has no effect.
        let probe = path + "/probe"
        try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false)
        try database.checkCanReopen()
        let batch = Overlay()
        batch.put { $0.tokenKey("feed") }
        disk.fail(at: 1, with: ENOSPC, once: true)
        #expect(throws: StoreError.self) { try database.write(batch, isDurable: true) }
        for check in [{ try database.checkCanReopen() }, { try database.reopen() }] {
            let error = #expect(throws: StoreError.self) { try check() }
            #expect(error?.path == probe)
            // The database still has the same files.
            #expect(try database.snapshot().rows().isEmpty && database.hasFailed)
        }
        // The argument says that the disk was already checked, so it is not checked again.
        try database.reopen(isChecked: true)
        try database.write(batch, isDurable: true)
        #expect(try database.snapshot().rows().count == 1)
    }

    @Test func failedPurgeDoesNotUndoTheCommit() throws {
        let store = try disks.open(directory)
        try store.write { try $0.save(sent) }
        let (_, observation) = try store.observe(.everything)
        // The first four changes are the header, the payload, the flush and the sync of the commit.
        // The fifth belongs to the removal of the old rows.
        disks.cache.fail(at: 5, with: EIO, once: true)
        let (_, change) = try store.commit { try $0.clearMessages(in: "general") }
        #expect(change.number == 2)
        #expect(observation.drain() == [change])
        #expect(try store.messages(in: "general") == [])
        try store.write { try $0.save(sent) }
        #expect(try store.contradictions() == [])
        #expect(try store.messages(in: "general") == [sent])
    }

    // MARK: Openings

    enum Files: CaseIterable { case none, whole, damaged }

    @Test(arguments: [ENOSPC, EIO], Files.allCases)
    func failedOpeningLosesNothing(error: Int32, files: Files) throws {
        let steps = Steps(seed: 3)
        let template = try StoreDirectory()
        if files != .none {
            let store = try template.open()
            for number in 1...40 { try steps.write(number, to: store) }
            store.close()
        }
        if files == .damaged {
            // Damage a record in the middle of the log with the last commits.
            let log = try #require(try template.files("cache", ".log").last)
            var bytes = try Data(contentsOf: log)
            bytes[bytes.count / 2] ^= 0xFF
            try bytes.write(to: log)
        }
        for disk in ["cache", "outbox"] {
            for change in 1... {
                let directory = try StoreDirectory(of: template)
                let disks = FailingDisks()
                let failing = disk == "cache" ? disks.cache : disks.outbox
                failing.fail(at: change, with: error, once: false)
                do {
                    try disks.open(directory).close()
                } catch {
                    #expect(error.path.hasPrefix(directory.url.path))
                    #expect(error.code == .noSpace || error.code == .io)
                }
                let isOver = failing.changes < change
                failing.heal()
                let store = try directory.open()
                #expect(try store.contradictions() == [])
                #expect(store.openingReport.outboxDamage == nil)
                #expect(!store.openingReport.isOutboxLost)
                let count = files == .none ? 0 : 40
                #expect(try store.outboxPicture() == ExpectedStore(steps).outbox(after: count))
                if files == .damaged {
                    #expect(
                        try store.tokenScopes() == ["replaced"], "\(disk) failed at \(change)")
                    for url in Steps.channels { #expect(try store.gaps(in: url) == [Gap(in: url)]) }
                } else {
                    #expect(try CachePicture(store) == ExpectedStore(steps).cache(after: count))
                }
                if isOver {
                    #expect(change > 5)
                    break
                }
            }
        }
    }
}
