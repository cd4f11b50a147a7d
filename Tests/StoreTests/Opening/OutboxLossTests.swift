import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests that opening a damaged outbox keeps each readable item, and reports the others.
@Suite struct OutboxLossTests {
    private let ids: [RequestID] = ["a", "b", "c"]

    private func outboxItem(_ id: RequestID, _ text: String? = nil) -> OutboxItem {
        OutboxItem(
            Message(
                id: nil, channelURL: "general", text: text ?? "the text of \(id)", createdAt: 5),
            requestID: id)
    }

    /// Returns the directory of a closed store.
    ///
    /// Its outbox has three items, each in its own record of the only log.
    private func directory(_ files: FileForm = .plain) throws -> StoreDirectory {
        let directory = try StoreDirectory(files)
        try directory.open().close()
        for id in ids {
            // Each item is written by another session, so that it has its own key in an encrypted
            // log.
            let store = try directory.open()
            try store.write { try $0.save(outboxItem(id)) }
            store.close()
        }
        return directory
    }

    /// The file with the version shows that a store was there.
    @Test(arguments: FileForm.allCases)
    func lostDatabasesAreReported(files: FileForm) throws {
        let directory = try directory(files)
        for name in ["outbox", "cache"] {
            try FileManager.default.removeItem(at: directory.url.appending(path: name))
        }
        let store = try directory.open()
        #expect(store.openingReport.outboxLoss?.isWholeOutbox == true)
        #expect(!store.openingReport.isNew)
        store.close()
        let new = try StoreDirectory(files).open()
        #expect(new.openingReport.outboxLoss == nil && new.openingReport.isNew)
    }

    /// Flips a bit of a text in the outbox's log.
    ///
    /// Returns true if the log contains the text.
    @discardableResult
    private func flip(_ text: String, in directory: StoreDirectory) throws -> Bool {
        for log in try directory.files("outbox", ".log") {
            var bytes = try Data(contentsOf: log)
            guard let range = bytes.range(of: Data(text.utf8)) else { continue }
            bytes[range.upperBound - 1] ^= 0x04
            try bytes.write(to: log)
            return true
        }
        return false
    }

    @Test(arguments: FileForm.allCases)
    func openingKeepsEachItemThatCanBeRead(files: FileForm) throws {
        let directory = try directory(files)
        let log = try #require(try directory.files("outbox", ".log").last)
        let bytes = try Data(contentsOf: log)
        for index in Seeds.sample(of: bytes.indices, every: 7) {
            var damaged = bytes
            damaged[index] ^= 0x04
            let copy = try StoreDirectory(of: directory)
            try damaged.write(to: copy.url.appending(path: "outbox/\(log.lastPathComponent)"))
            let opened = try copy.open()
            let kept = try opened.outboxItems()
            // If the last commit cannot be read, the other items wait for the user's confirmation.
            let texts = kept.map { $0.message?.text }
            #expect(
                texts == kept.map { outboxItem($0.requestID).message?.text }, "flipped at \(index)")
            #expect(
                kept.allSatisfy { $0.state == .pending }
                    || kept.allSatisfy { $0.errorCode == .needsConfirmation },
                "flipped at \(index)")
            #expect(try opened.contradictions() == [], "flipped at \(index)")
            let report = opened.openingReport
            // In an encrypted log, damage to the header makes all records unreadable.
            if files == .plain { #expect(kept.count >= 2, "flipped at \(index)") }
            let isReported = report.outboxLoss.map { $0.count > 0 } ?? false
            #expect(kept.count == 3 || isReported || report.outboxLogs.hasTornTail, "\(index)")
            opened.close()
            #expect(try copy.open().openingReport.outboxLoss == report.outboxLoss, "\(index)")
        }
    }

    /// A file that has the name of the newest copy must not hide the damage from the next opening.
    @Test func canceledItemStaysUnsentIfTheEvidenceOfDamageIsRemoved() throws {
        let template = try directory(.encrypted)
        let store = try template.open()
        try store.write { try $0.removeOutboxItem("a") }
        let log = try #require(try template.files("outbox", ".log").last)
        let start = try Data(contentsOf: log).count
        try store.write { try $0.removeOutboxItem("b") }
        let end = try Data(contentsOf: log).count
        try store.write { try $0.removeOutboxItem("c") }
        store.close()
        let bytes = try Data(contentsOf: log)
        for index in Seeds.sample(of: start..<end, every: 7) {
            let copy = try StoreDirectory(of: template)
            var damaged = bytes
            damaged[index] ^= 0x04
            try damaged.write(to: copy.url.appending(path: "outbox/\(log.lastPathComponent)"))
            let planted = copy.url.appending(path: "outbox-damaged-9223372036854775806")
            try Data().write(to: planted)
            // This opening may fail.
            try? copy.open().close()
            for name in ["outbox-damaged-9223372036854775806", "outbox-damaged-1"] {
                try? FileManager.default.removeItem(at: copy.url.appending(path: name))
            }
            let again = try copy.open()
            let pending = try again.outboxItems().filter { $0.state == .pending }
            #expect(!pending.contains { $0.requestID == "b" }, "flipped at \(index)")
            again.close()
        }
    }

    @Test func reportHasTheTextOfALostItem() throws {
        let directory = try directory()
        #expect(try flip("the text of b", in: directory))
        let store = try directory.open()
        #expect(try store.outboxItems().map(\.requestID) == ["a", "c"])
        let loss = try #require(store.openingReport.outboxLoss)
        #expect(loss.items == [outboxItem("b", "the text of f")])
        #expect(loss.unreadableCount == 0 && loss.count == 1)
        store.close()
        // The loss is reported until it is acknowledged, even if another item was sent since.
        let again = try directory.open()
        #expect(again.openingReport.outboxLoss == loss)
        let copy = try #require(again.openingReport.outboxCopy)
        try again.write { try $0.removeOutboxItem("a") }
        again.close()
        #expect(try LevelDB.readableTexts(of: copy) == ["the text of a", "the text of c"])
        try ChatStore.reindexOutbox(at: directory.url)
        let last = try directory.open()
        #expect(last.openingReport.isOutboxReindexed && last.openingReport.outboxLoss == loss)
        #expect(try last.mayHaveLostOutboxItems())
        try last.acknowledgeOutboxLoss()
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try !last.mayHaveLostOutboxItems())
        last.close()
        #expect(try directory.open().openingReport.outboxLoss == nil)
    }

    @Test func secondLossIsAddedToTheFirst() throws {
        let directory = try directory()
        #expect(try flip("the text of b", in: directory))
        try directory.open().close()
        let store = try directory.open()
        try store.write { try $0.save(outboxItem("x")) }
        try store.write { try $0.save(outboxItem("y")) }
        store.close()
        #expect(try flip("the text of x", in: directory))
        let loss = try #require(try directory.open().openingReport.outboxLoss)
        #expect(loss.items.map(\.requestID) == ["b", "x"])
    }

    @Test func reportNamesALostItemWhoseTextCannotBeRead() throws {
        let directory = try directory()
        // The damaged byte is the tag of the text in the item's message. Therefore the item cannot
        // be decoded.
        let log = try #require(try directory.files("outbox", ".log").last)
        var bytes = try Data(contentsOf: log)
        let text = try #require(bytes.range(of: Data("the text of b".utf8)))
        bytes[text.lowerBound - 2] = 0xFF
        try bytes.write(to: log)
        let loss = try #require(try directory.open().openingReport.outboxLoss)
        #expect(loss.items.map(\.requestID) == ["b"])
        #expect(loss.items.map(\.channelURL) == ["general"])
        #expect(loss.items.first?.message == nil)
    }

    @Test func encryptedRecordIsReportedByNumber() throws {
        let directory = try directory(.encrypted)
        let log = try #require(try directory.files("outbox", ".log").last)
        var bytes = try Data(contentsOf: log)
        // Damage the last record, which contains item c.
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: log)
        let store = try directory.open()
        #expect(try store.outboxItems().map(\.requestID) == ["a", "b"])
        let loss = try #require(store.openingReport.outboxLoss)
        #expect(loss.items == [] && loss.unreadableCount == 1)
    }

    @Test func itemThatWasSentLaterIsNotLost() throws {
        let directory = try directory()
        let store = try directory.open()
        try store.write { try $0.removeOutboxItem("b") }
        store.close()
        try flip("the text of b", in: directory)
        let opened = try directory.open()
        #expect(try opened.outboxItems().map(\.requestID) == ["a", "c"])
        #expect(opened.openingReport.outboxDamage != nil)
        #expect(opened.openingReport.outboxLoss == nil)
    }

    @Test func rebuildNamesAnItemThatOnlyItsIndexRowNames() throws {
        let directory = try directory()
        let outbox = try LevelDB(at: directory.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.remove { $0.outboxItemKey("general", 2) }
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.raw([1]) })
        try outbox.write(batch, isDurable: true)
        outbox.close()
        let store = try directory.open()
        #expect(try store.outboxItems().map(\.requestID) == ["a", "c"])
        #expect(store.openingReport.outboxLoss?.items.map(\.requestID) == ["b"])
    }

    // MARK: Logs

    @Test func fragmentsAroundDamageAreFound() throws {
        let directory = try directory()
        let log = try #require(try directory.files("outbox", ".log").last)
        let bytes = [UInt8](try Data(contentsOf: log))
        let whole = LogParts(bytes).parts
        #expect(whole.count >= 3 && LogParts(bytes).damaged == [])
        let ranges = whole.map { part -> Range<Int> in
            if case .record(let range) = part { return range }
            return 0..<0
        }
        for index in Seeds.sample(of: bytes.indices, every: 7) {
            var damaged = bytes
            damaged[index] ^= 0x20
            let log = LogParts(damaged)
            let record = try #require(ranges.firstIndex { index < $0.upperBound })
            // If the length of the last record exceeds the file, the record looks as if a crash had
            // torn it.
            let isTorn = log.parts.count == whole.count - 1
            #expect(!isTorn || record == ranges.count - 1, "flipped at \(index)")
            guard !isTorn else { continue }
            let fragment = ranges[record].lowerBound - 7..<ranges[record].upperBound
            #expect(log.damaged == [fragment], "flipped at \(index)")
            var bridged = damaged
            LogParts.bridge(fragment, in: &bridged)
            #expect(LogParts(bridged).damaged == [])
            #expect(LogParts(bridged).parts.count == whole.count)
        }
    }
}

extension LevelDB {
    /// Returns the texts of the items in the copy of an unencrypted outbox.
    ///
    /// The damaged part of the log is skipped.
    fileprivate static func readableTexts(of copy: String) throws -> [String] {
        try DatabaseFiles(copy).bridgeDamage(in: .disk())
        let database = try LevelDB(at: copy, skippingDamage: true)
        defer { database.close() }
        var texts: [String] = []
        try Rows(snapshot: database.snapshot()).scan(
            KeyRange(prefix: [OutboxTable.outboxItem.rawValue])
        ) { (_, value) throws(StoreError) in
            texts.append((try? OutboxItem(serialized: value))?.message?.text ?? "?")
            return true
        }
        return texts
    }
}
