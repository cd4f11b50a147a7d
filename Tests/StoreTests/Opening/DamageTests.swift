import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests files that are cut, deleted or have a flipped bit.
///
/// Reading must then throw an error or return what was written, and every loss must be reported.
///
/// One kind of damage cannot be detected. A log that is cut exactly between two commits looks as if
/// the later commits had never been written. A crash cannot cause this for synced data, such as the
/// outbox, but a faulty disk or a person can. In this case, the rows must be exactly those of an
/// earlier commit.
///
/// Another kind is not tested. Unencrypted files are not authenticated, so changing a record
/// together with its checksum is not detected.
@Suite struct DamageTests {
    /// A small store.
    ///
    /// Each of its databases has some tables and a log.
    private struct Victim {
        static let last = 70
        let directory: StoreDirectory
        let expected: ExpectedStore
        let messages: Set<Message>
        let items: Set<OutboxItem>
        /// The offsets in the outbox's log at which a commit ends, and the offset at which the
        /// log's records begin.
        let seams: Set<Int>

        init(_ files: FileForm = .plain) throws {
            let directory = try StoreDirectory(files)
            let steps = Steps(seed: 5)
            self.directory = directory
            messages = steps.everyMessage(through: Victim.last)
            items = steps.everyOutboxItem(through: Victim.last)
            expected = try ExpectedStore(steps)
            var store = try directory.open()
            for number in 1...Victim.last / 2 { try steps.write(number, to: store) }
            store.close()
            // Compact the databases. Otherwise, the outbox would be too small to have tables.
            for name in ["cache", "outbox"] {
                try LevelDB(
                    at: directory.url.appending(path: name).path,
                    environment: directory.environment(name)
                ).compact()
            }
            store = try directory.open()
            func sizeOfLog() throws -> Int {
                let log = try #require(try directory.files("outbox", ".log").last)
                return try Data(contentsOf: log).count
            }
            var seams: Set<Int> = [0, try sizeOfLog()]
            // The records of an encrypted log begin after its header.
            if files == .encrypted { seams.insert(64) }
            for number in Victim.last / 2 + 1...Victim.last {
                try steps.write(number, to: store)
                seams.insert(try sizeOfLog())
            }
            store.close()
            self.seams = seams
        }

        /// Damages one file of a copy of the store, and reads all rows that are left.
        func checkDamage(
            to path: String, _ what: String, isSeam: Bool = false,
            _ damage: (URL) throws -> Void
        ) throws {
            let copy = try StoreDirectory(of: directory)
            try damage(copy.url.appending(path: path))
            // The first opening replaces the cache or repairs the outbox. The second one must
            // report no new damage.
            for opening in 1...2 {
                let store: ChatStore
                do throws(StoreError) {
                    store = try copy.open()
                } catch {
                    #expect(error.code == .corruption, "\(what): \(error)")
                    #expect(error.path.hasPrefix(copy.url.path), "\(what): \(error)")
                    return
                }
                let cacheIsWhole = try checkCache(store, what, isFirst: opening == 1)
                let outboxIsWhole = try checkOutbox(store, what, isSeam, isFirst: opening == 1)
                if cacheIsWhole && outboxIsWhole {
                    #expect(try store.contradictions() == [], "\(what)")
                }
                if opening == 2 {
                    try readable { try expected.steps.write(Victim.last + 1, to: store) }
                }
                store.close()
            }
        }

        /// Calls a closure that may find damage.
        ///
        /// Returns true if it found none.
        @discardableResult
        private func readable(_ body: () throws -> Void) throws -> Bool {
            do {
                try body()
                return true
            } catch let error as StoreError where error.code == .corruption {
                #expect(error.path.hasPrefix("/"))
                return false
            }
        }

        /// Returns true if all rows could be read.
        private func checkCache(
            _ store: ChatStore, _ what: String, isFirst: Bool
        ) throws -> Bool {
            var isWhole = true
            for url in Steps.channels {
                isWhole =
                    try readable {
                        for message in try store.messages(in: url) {
                            #expect(message.channelURL == url, "\(what)")
                            #expect(messages.contains(message), "\(what)")
                        }
                    } && isWhole
            }
            for message in messages {
                isWhole =
                    try readable {
                        guard let id = message.messageID else { return }
                        let found = try store.message(id, in: message.channelURL)
                        if let found { #expect(messages.contains(found), "\(what)") }
                        for reply in try store.replies(to: id, in: message.channelURL) {
                            #expect(messages.contains(reply), "\(what)")
                        }
                    } && isWhole
            }
            var picture: CachePicture?
            isWhole = try readable { picture = try CachePicture(store) } && isWhole
            guard let picture else { return false }
            if store.openingReport.replacedCache != nil {
                #expect(picture.step == nil, "\(what)")
                #expect(try store.channelURLs() == [], "\(what)")
            } else if isWhole && isFirst {
                // Only the last commits may be missing. The token contains the last step that is
                // left, and the rows must be exactly those after that step.
                let isOfStep = try picture == expected.cache(after: picture.step ?? 0)
                #expect(isOfStep, "\(what): \(store.openingReport)")
            }
            return isWhole
        }

        /// Returns an item as it was before the opening found the outbox damaged or older than the
        /// cache.
        private func settled(_ item: OutboxItem) -> OutboxItem {
            var item = item
            if item.errorCode == .needsConfirmation {
                item.resend(at: 0)
                item.resentAt = nil
            }
            item.isDoubtful = false
            return item
        }

        private func checkOutbox(
            _ store: ChatStore, _ what: String, _ isSeam: Bool, isFirst: Bool
        ) throws -> Bool {
            var isWhole = try readable {
                for item in try store.outboxItems() {
                    #expect(items.contains(settled(item)), "\(what)")
                }
            }
            for item in items {
                isWhole =
                    try readable {
                        let found = try store.outboxItem(item.requestID)
                        if let found { #expect(items.contains(settled(found)), "\(what)") }
                    } && isWhole
            }
            let report = store.openingReport
            let isTold =
                report.outboxDamage != nil || report.outboxLogs.hasTornTail || report.isOutboxLost
                || report.isOutboxRebuilt || report.outboxLoss?.isRolledBack == true
            if isWhole && isFirst && !isTold {
                let picture = try store.outboxPicture()
                if isSeam {
                    let all = try (0...Victim.last).map { try expected.outbox(after: $0) }
                    #expect(all.contains(picture), "\(what)")
                } else {
                    let isLast = try picture == expected.outbox(after: Victim.last)
                    #expect(isLast, "\(what): \(report)")
                }
            }
            if report.outboxDamage != nil { #expect(report.outboxCopy != nil, "\(what)") }
            return isWhole
        }
    }

    /// Returns the offsets of the bytes to damage: all bytes of a small file and of a file's end,
    /// and some of the others.
    private static func offsets(_ count: Int, seed: Int) -> [Int] {
        var random = SeededRandom(seed: seed)
        let end = Seeds.isNight ? 1_024 : 6
        if count <= max(end, Seeds.isNight ? 400 : 20) { return Array(0..<count) }
        let rest = (0..<(Seeds.isNight ? 300 : 4)).map { _ in
            Int.random(in: end..<count, using: &random)
        }
        return (Array(0..<end) + rest).map { count - 1 - $0 }
    }

    private static let kinds = ["cache", "outbox"].flatMap { database in
        [".log", ".ldb", "MANIFEST", "CURRENT"].map { "\(database)/\($0)" }
    }

    /// Returns the paths of the files of a kind such as "cache/.log".
    private func paths(_ kind: String, in victim: Victim) throws -> [String] {
        let parts = kind.split(separator: "/").map(String.init)
        let names = try victim.directory.files(parts[0]).map(\.lastPathComponent)
            .filter { $0.hasSuffix(parts[1]) || $0.hasPrefix(parts[1]) }
        try #require(!names.isEmpty, "there is no \(kind)")
        return names.map { "\(parts[0])/\($0)" }
    }

    @Test(arguments: kinds, FileForm.allCases)
    func truncatedFileIsDetected(kind: String, files: FileForm) throws {
        let victim = try Victim(files)
        for path in try paths(kind, in: victim) {
            let bytes = try Data(contentsOf: victim.directory.url.appending(path: path))
            for size in DamageTests.offsets(bytes.count, seed: 1) {
                let isSeam = kind == "outbox/.log" && victim.seams.contains(size)
                try victim.checkDamage(to: path, "\(path) cut at \(size)", isSeam: isSeam) {
                    try bytes.prefix(size).write(to: $0)
                }
            }
        }
    }

    @Test(arguments: kinds, FileForm.allCases)
    func flippedBitIsDetected(kind: String, files: FileForm) throws {
        let victim = try Victim(files)
        var random = SeededRandom(seed: 2)
        for path in try paths(kind, in: victim) {
            let bytes = try Data(contentsOf: victim.directory.url.appending(path: path))
            for index in DamageTests.offsets(bytes.count, seed: 2) {
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                try victim.checkDamage(to: path, "\(path) flipped at \(index) by \(bit)") {
                    var bytes = bytes
                    bytes[index] ^= bit
                    try bytes.write(to: $0)
                }
            }
        }
    }

    @Test(arguments: kinds, FileForm.allCases)
    func missingFileIsReported(kind: String, files: FileForm) throws {
        let victim = try Victim(files)
        for path in try paths(kind, in: victim) {
            try victim.checkDamage(to: path, "\(path) deleted") {
                try FileManager.default.removeItem(at: $0)
            }
        }
    }

    @Test(arguments: ["cache", "outbox"]) func missingDatabaseIsReported(name: String) throws {
        let victim = try Victim()
        try victim.checkDamage(to: name, "\(name) deleted") {
            try FileManager.default.removeItem(at: $0)
        }
        let copy = try StoreDirectory(of: victim.directory)
        try FileManager.default.removeItem(at: copy.url.appending(path: name))
        let report = try copy.open().openingReport
        #expect(report.isOutboxLost == (name == "outbox"))
        #expect(!report.isNew)
        let again = try copy.open()
        #expect(again.openingReport.isOutboxLost == (name == "outbox"))
        try again.acknowledgeOutboxLoss()
        again.close()
        #expect(try !copy.open().openingReport.isOutboxLost)
    }

    @Test func versionFileWithoutANumberIsCorruption() throws {
        let victim = try Victim()
        let texts = ["x", "-1", "0", "99999999999999999999"].map { Data($0.utf8) }
        for bytes in texts + [Data([0x80]), Data([0xFF])] {
            let copy = try StoreDirectory(of: victim.directory)
            let file = copy.url.appending(path: "VERSION")
            try bytes.write(to: file)
            let before = try copy.contents()
            let error = #expect(throws: StoreError.self) { try copy.open() }
            #expect(error?.code == .corruption && error?.path == file.path)
            #expect(try copy.contents() == before)
        }
        try victim.checkDamage(to: "VERSION", "VERSION deleted") {
            try FileManager.default.removeItem(at: $0)
        }
    }

    @Test(arguments: FileForm.allCases)
    func emptiedTableIsCorruption(files: FileForm) throws {
        let victim = try Victim(files)
        func error(after damage: (URL) throws -> Void, to path: String) throws -> StoreError? {
            let copy = try StoreDirectory(of: victim.directory)
            try damage(copy.url.appending(path: path))
            do throws(StoreError) {
                let store = try copy.open()
                if let reason = store.openingReport.replacedCache { return reason }
                _ = try store.describedRows(of: .cache)
                return nil
            } catch {
                return error
            }
        }
        var tables = 0
        for table in try victim.directory.files("cache", ".ldb") {
            let path = "cache/\(table.lastPathComponent)"
            // A table may be a leftover of a compaction that the database does not use. Its removal
            // is no damage.
            let missing = try error(after: FileManager.default.removeItem(at:), to: path)
            guard missing != nil else { continue }
            tables += 1
            let emptied = try error(after: { try Data().write(to: $0) }, to: path)
            #expect(emptied?.code == .corruption)
        }
        #expect(tables > 0)
        for table in try victim.directory.files("outbox", ".ldb") {
            let path = "outbox/\(table.lastPathComponent)"
            let without = try StoreDirectory(of: victim.directory)
            try FileManager.default.removeItem(at: without.url.appending(path: path))
            guard try without.open().openingReport.isOutboxRebuilt else { continue }
            let copy = try StoreDirectory(of: victim.directory)
            try Data().write(to: copy.url.appending(path: path))
            #expect(try copy.open().openingReport.isOutboxRebuilt)
        }
    }
}
