import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests a store that is suspended, which closes its files, and resumed.
@Suite(.timeLimit(.minutes(10))) struct SuspendingTests {
    private let store: ChatStore
    private let directory: ScratchDirectory
    private var url: URL { directory.url }

    init() throws {
        directory = try .made()
        store = try ChatStore(at: directory.url)
    }

    private func message(
        _ id: MessageID, at time: Timestamp, in url: ChannelURL = "c"
    ) -> Message {
        Message(id: id, channelURL: url, createdAt: time)
    }

    @Test func suspendedStoreCannotBeReadOrWritten() throws {
        try store.write { try $0.save(message("1", at: 1)) }
        try store.suspend()
        try store.suspend()
        #expect(code { _ = try store.messageCount() } == .suspended)
        #expect(code { _ = try store.snapshot() } == .suspended)
        #expect(code { _ = try store.observe(.everything) } == .suspended)
        #expect(code { _ = try store.write { try $0.save(message("2", at: 2)) } } == .suspended)
        #expect(code { try store.purgeCleared() } == .suspended)
        #expect(code { _ = try store.cachedDataSize() } == .suspended)
        try store.resume()
        try store.resume()
        #expect(try store.messageCount() == 1)
        try store.write { try $0.save(message("2", at: 2)) }
        #expect(try store.messageCount() == 2)
    }

    @Test func suspendedStoreReleasesItsFiles() throws {
        try store.write { batch in
            try batch.save(message("1", at: 1))
            try batch.save(GroupChannel(url: "c", createdAt: 0))
        }
        #expect(try store.groupChannels().map(\.url) == ["c"])
        let (_, changes) = try store.observe(.channel("c"))
        #expect(code { _ = try ChatStore(at: url) } == .locked)
        try store.suspend()

        let other = try ChatStore(at: url)
        try other.write { batch in
            try batch.clearCachedData()
            try batch.save(message("2", at: 2, in: "new"))
            try batch.save(GroupChannel(url: "new", createdAt: 0))
        }
        #expect(code { try store.resume() } == .locked)
        #expect(code { _ = try store.messageCount() } == .suspended)
        other.close()

        try store.resume()
        #expect(changes.drain().flatMap(\.operations) == [.missed])
        #expect(try store.messages(in: "new").map(\.messageID) == ["2"])
        #expect(try store.messages(in: "c") == [])
        #expect(try store.groupChannels().map(\.url) == ["new"])
        #expect(try store.messageCount() == 1)
        // No message number is used again, and observers receive new messages.
        try store.write { try $0.save(message("3", at: 3)) }
        #expect(try store.messages(in: "new").map(\.messageID) == ["2"])
        #expect(changes.drain().count == 1)
    }

    @Test func snapshotKeepsTheFilesOpen() throws {
        try store.write { try $0.save(message("1", at: 1)) }
        do {
            let snapshot = try store.snapshot()
            #expect(code { try store.suspend() } == .busy)
            #expect(try snapshot.messageCount() == 1)
            try store.write { try $0.save(message("2", at: 2)) }
        }
        try store.suspend()
        #expect(try ChatStore(at: url).messageCount() == 2)
    }

    @Test func suspendedStoreDeliversAndNumbersEphemeralEvents() throws {
        let (_, changes) = try store.observe(.everything)
        try store.suspend()
        try store.emit(.connection(.offline))
        try store.resume()
        #expect(changes.drain().map(\.number) == [1, 2])
        #expect(try store.snapshot().number == 2)
    }

    @Test func aSuspendedStoreCanBeClosed() throws {
        try store.suspend()
        store.close()
        #expect(code { _ = try store.messageCount() } == .closed)
        #expect(code { try store.suspend() } == .closed)
        try store.resume()
        #expect(code { _ = try store.messageCount() } == .closed)
        #expect(try ChatStore(at: url).messageCount() == 0)
    }

    @Test func resumingAfterANewerVersionIsAnError() throws {
        try store.suspend()
        do {
            let cache = try LevelDB(at: url.appending(path: "cache").path)
            try cache.setSchemaVersion(StoreSchema.current.version + 1)
            cache.close()
        }
        #expect(code { try store.resume() } == .newerSchema)
        #expect(code { _ = try store.messageCount() } == .suspended)
    }

    /// The next opening reports what was lost.
    @Test(arguments: [["outbox"], ["cache", "outbox"], ["cache"]])
    func resumingWithoutTheFilesIsAnError(names: [String]) throws {
        try store.write { try $0.save(OutboxItem("kept", request: "1", in: "c")) }
        try store.suspend()
        for name in names { try FileManager.default.removeItem(at: url.appending(path: name)) }
        for name in names { try DiskFile.createDirectory(url.appending(path: name).path) }
        #expect(code { try store.resume() } == .corruption)
        #expect(code { _ = try store.messageCount() } == .suspended)
        store.close()
        let again = try ChatStore(at: url)
        let isLost = names.contains("outbox")
        #expect(again.openingReport.isOutboxLost == isLost)
        #expect(try again.outboxItems().count == (isLost ? 0 : 1))
        again.close()
    }

    @Test func resumingWithAnEarlierCopyIsAnError() throws {
        let copy = ScratchDirectory()
        try store.suspend()
        try FileManager.default.copyItem(at: url, to: copy.url)
        try store.resume()
        try store.write { try $0.save(OutboxItem("written", request: "1", in: "c")) }
        try store.suspend()
        for name in ["cache", "outbox"] {
            try FileManager.default.removeItem(at: url.appending(path: name))
            try FileManager.default.copyItem(
                at: copy.url.appending(path: name), to: url.appending(path: name))
        }
        #expect(code { try store.resume() } == .corruption)
        store.close()
    }

    /// A write that fails, for example on a full disk, makes the store open its files again.
    @Test(arguments: [false, true])
    func reopeningOtherFilesIsAnError(isEmptied: Bool) throws {
        let directory = try ScratchDirectory.made()
        let disks = FailingDisks()
        let store = try disks.open(directory.url)
        try store.write { try $0.save(OutboxItem("written", request: "1", in: "c")) }
        let (outbox, copy) = (directory.url.appending(path: "outbox"), ScratchDirectory())
        try FileManager.default.copyItem(at: outbox, to: copy.url)
        try store.write { try $0.removeOutboxItem("1") }
        disks.outbox.fail(at: 1, with: ENOSPC, once: false)
        func write() throws {
            try store.write { try $0.save(OutboxItem("later", request: "2", in: "c")) }
        }
        #expect(code { try write() } == .noSpace)
        try FileManager.default.removeItem(at: outbox)
        if isEmptied {
            try DiskFile.createDirectory(outbox.path)
        } else {
            try FileManager.default.copyItem(at: copy.url, to: outbox)
        }
        disks.heal()
        for _ in 1...2 { #expect(code { try write() } == .corruption) }
        #expect(code { _ = try store.outboxItems() } == .corruption)
        store.close()
        let again = try ChatStore(at: directory.url)
        #expect(again.openingReport.isOutboxLost == isEmptied)
        #expect(try again.outboxItems().allSatisfy { $0.state == .failed })
        again.close()
    }

    @Test(arguments: ["cache", "outbox"], [false, true])
    func resumingDoesNotFollowALink(name: String, hasNextCache: Bool) throws {
        let elsewhere = try ScratchDirectory.made()
        try store.suspend()
        let path = url.appending(path: name).path
        if hasNextCache { try DiskFile.createDirectory(url.appending(path: "cache-2").path) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: elsewhere.path)
        #expect(code { try store.resume() } == .io)
        store.close()
        #expect(elsewhere.contents == [])
    }

    @Test func inMemoryStoreKeepsItsDataWhileSuspended() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.save(message("1", at: 1)) }
        try store.suspend()
        try store.resume()
        #expect(try store.messageCount() == 1)
    }
}
