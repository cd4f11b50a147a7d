import Foundation
import Models
import ScrollbackTesting
import Testing

@testable import Store

/// Tests a store whose outbox is replaced by an earlier copy.
@Suite(.timeLimit(.minutes(10))) struct RolledBackOutboxTests {
    private func item(_ id: RequestID) -> OutboxItem {
        OutboxItem(
            Message(id: nil, channelURL: "general", text: "canary-\(id)", createdAt: 5),
            requestID: id)
    }

    private func write(_ id: RequestID, to directory: StoreDirectory) throws {
        let store = try directory.open()
        try store.write { try $0.save(item(id)) }
        store.close()
    }

    private func copy(_ name: String, of directory: StoreDirectory) throws -> URL {
        let copy = directory.url.appending(path: "\(name)-copy")
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: directory.url.appending(path: name), to: copy)
        return copy
    }

    private func restore(_ name: String, of directory: StoreDirectory) throws {
        let place = directory.url.appending(path: name)
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(
            at: directory.url.appending(path: "\(name)-copy"), to: place)
    }

    private func states(_ store: ChatStore) throws -> [String] {
        try store.outboxItems().map { item in
            "\(item.requestID) \(item.state)" + (item.errorCode.map { " \($0)" } ?? "")
        }
    }

    private let held = "a failed \(ErrorCode.needsConfirmation)"

    /// The user has not written the request, and could not find it.
    @Test func requestsOfAnEarlierCopyAreRemoved() throws {
        let directory = try StoreDirectory(.encrypted)
        var store = try directory.open()
        var request = item("b")
        (request.operation, request.message) = (.request, nil)
        try store.write { [request] batch in
            try batch.save(item("a"))
            try batch.save(request)
        }
        store.close()
        _ = try copy("outbox", of: directory)
        store = try directory.open()
        try store.write { try $0.save(item("c")) }
        store.close()
        try restore("outbox", of: directory)
        store = try directory.open()
        #expect(try states(store) == [held])
        #expect(try store.outboxItem("b") == nil)
        store.close()
    }

    /// The commits after the copy, each of which makes the copy an earlier one.
    enum Later: CaseIterable {
        case removed, edited, added
    }

    @Test(arguments: FileForm.allCases, Later.allCases)
    func itemsOfAnEarlierCopyAreNotPending(form: FileForm, later: Later) throws {
        let directory = try StoreDirectory(form)
        var store = try directory.open()
        try store.write { try $0.save(item("a")) }
        store.close()
        _ = try copy("outbox", of: directory)
        store = try directory.open()
        try store.write { batch in
            switch later {
            case .removed: try batch.removeOutboxItem("a")
            case .edited:
                var edited = item("a")
                edited.message?.text = "edited"
                try batch.save(edited)
            case .added: try batch.save(item("b"))
            }
        }
        store.close()
        try restore("outbox", of: directory)
        store = try directory.open()
        #expect(store.openingReport.outboxLoss?.isRolledBack == true)
        #expect(try states(store) == [held])
        // The user decides, and later openings keep that decision and the report.
        try store.write { batch in
            var item = item("a")
            item.resend(at: 6)
            try batch.save(item)
        }
        store.close()
        store = try directory.open()
        #expect(store.openingReport.outboxLoss?.isRolledBack == true)
        #expect(try states(store) == ["a pending"])
        try store.acknowledgeOutboxLoss()
        store.close()
        store = try directory.open()
        #expect(store.openingReport.outboxLoss == nil)
        #expect(try states(store) == ["a pending"])
        store.close()
    }

    @Test func markOfDamageDoesNotHideAnEarlierCopy() throws {
        let directory = try StoreDirectory(.encrypted)
        var store = try directory.open()
        try store.write { try $0.save(item("a")) }
        store.close()
        _ = try copy("outbox", of: directory)
        store = try directory.open()
        try store.write { try $0.removeOutboxItem("a") }
        store.close()
        try restore("outbox", of: directory)
        try Data().write(to: directory.url.appending(path: "DISTRUST-OUTBOX"))
        store = try directory.open()
        #expect(store.openingReport.outboxLoss?.isRolledBack == true)
        #expect(try states(store) == [held])
        store.close()
    }

    @Test(arguments: FileForm.allCases)
    func removalIsRecordedBeforeTheStoreIsClosed(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try directory.open()
        try store.write { try $0.save(item("a")) }
        _ = try copy("outbox", of: directory)
        try store.write { try $0.removeOutboxItem("a") }
        // The process ends here: the copy has the files that are on disk now.
        let killed = try StoreDirectory(of: directory)
        store.close()
        try restore("outbox", of: killed)
        let again = try killed.open()
        #expect(try states(again) == [held])
        again.close()
    }

    /// The data of the outbox's database other than items.
    enum Kept: CaseIterable {
        case draft, pin, row
    }

    @Test(arguments: Kept.allCases)
    func keptDataIsRecordedBeforeTheStoreIsClosed(kept: Kept) throws {
        let directory = try StoreDirectory()
        let table = StoreTable<String, Int>("blocked")
        let store = try directory.open()
        _ = try copy("outbox", of: directory)
        try store.write { batch in
            switch kept {
            case .draft: try batch.setDraft("written", of: "general")
            case .pin: try batch.setKeptInCache(true, for: "general")
            case .row: try batch.put(1, for: "bob", in: table)
            }
        }
        let killed = try StoreDirectory(of: directory)
        store.close()
        try restore("outbox", of: killed)
        let again = try killed.open()
        #expect(again.openingReport.outboxLoss?.isRolledBack == true)
        again.close()
    }

    /// An earlier copy of the outbox is accepted after a kill, because it lacks only added items.
    ///
    /// The later copy then is another branch.
    @Test func otherBranchOfTheOutboxIsDetected() throws {
        let directory = try StoreDirectory()
        try write("x", to: directory)
        let second = try directory.open()
        try second.write { try $0.save(item("y")) }
        let earlier = try StoreDirectory(of: directory)
        try second.write { try $0.save(item("z")) }
        try second.write { try $0.save(item("w")) }
        let later = try StoreDirectory(of: directory)
        second.close()

        var store = try earlier.open()
        #expect(try states(store) == ["x pending", "y pending"])
        try store.write { try $0.removeOutboxItem("y") }
        store.close()
        try FileManager.default.copyItem(
            at: later.url.appending(path: "outbox"),
            to: earlier.url.appending(path: "outbox-copy"))
        try restore("outbox", of: earlier)
        store = try earlier.open()
        #expect(store.openingReport.outboxLoss?.isRolledBack == true)
        #expect(try store.outboxItems().allSatisfy { $0.state == .failed })
        store.close()
    }

    @Test func firstCommitOfAnOpeningIsRecorded() throws {
        let directory = try StoreDirectory()
        try write("x", to: directory)
        _ = try copy("outbox", of: directory)
        let second = try directory.open()
        try second.write { try $0.save(item("y")) }
        let killed = try StoreDirectory(of: directory)
        second.close()
        try restore("outbox", of: killed)
        let store = try killed.open()
        #expect(store.openingReport.outboxLoss?.isRolledBack == true)
        #expect(try states(store) == ["x failed \(ErrorCode.needsConfirmation)"])
        store.close()
    }

    @Test func rolledBackOutboxIsDetectedAfterASuspension() throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { try $0.save(item("a")) }
        try store.suspend()
        _ = try copy("outbox", of: directory)
        try store.resume()
        try store.write { try $0.removeOutboxItem("a") }
        try store.suspend()
        try restore("outbox", of: directory)
        let error = #expect(throws: StoreError.self) { try store.resume() }
        #expect(error?.code == .corruption)
        store.close()
        let again = try directory.open()
        #expect(try states(again) == [held])
        again.close()
    }

    /// The server has all data of the cache, so an earlier copy of the cache is no loss.
    @Test func earlierCopyOfTheCacheChangesNoItem() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { try $0.save(item("a")) }
        store.close()
        _ = try copy("cache", of: directory)
        store = try directory.open()
        try store.write { batch in
            try batch.save(.sample(text: "said"))
            try batch.removeOutboxItem("a")
            try batch.save(item("b"))
        }
        store.close()
        try restore("cache", of: directory)
        store = try directory.open()
        #expect(store.openingReport.outboxLoss == nil)
        #expect(try states(store) == ["b pending"])
        store.close()
        try ChatStore.removeCache(at: directory.url)
        store = try directory.open()
        #expect(store.openingReport.outboxLoss == nil)
        #expect(try states(store) == ["b pending"])
        store.close()
    }

    /// Copies the files after each step, as if the process had ended there.
    @Test(arguments: FileForm.allCases)
    func endOfAProcessNeverLooksLikeAnEarlierCopy(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try directory.open()
        let copies = Locked<[StoreDirectory]>([])
        @Sendable func keep() throws {
            let copy = try StoreDirectory(of: directory)
            copies.withLock { $0.append(copy) }
        }
        store.didCommit.withLock { $0 = { _ in try? keep() } }
        for number in 1...4 {
            let id = RequestID("\(number)")
            try store.write { try $0.save(item(id)) }
            try keep()
            try store.write { batch in
                try batch.save(.sample(text: "said"))
                if number % 2 == 0 { try batch.removeOutboxItem(id) }
            }
            try keep()
            try store.write { try $0.save(.sample(text: "more")) }
        }
        store.close()
        let kept = copies.withLock(\.self)
        #expect(kept.count > 8)
        for copy in kept {
            let store = try copy.open()
            #expect(store.openingReport.outboxLoss == nil)
            #expect(try store.outboxItems().allSatisfy { $0.state == .pending })
            store.close()
        }
    }

    @Test func greatNumberInThePlainCacheIsIgnored() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { try $0.save(item("a")) }
        store.close()
        let cache = try LevelDB(at: directory.url.appending(path: "cache").path)
        let batch = Overlay()
        batch.put({ $0.schemaKey(.generation) }, { $0.integer(UInt64.max) })
        try cache.write(batch, isDurable: true)
        cache.close()
        store = try directory.open()
        #expect(try states(store) == ["a pending"])
        store.close()
    }
}
