import Foundation
import Models
import ScrollbackCrashWriter
import Testing

@testable import Store

/// Tests the encryption of a store that another program may have written.
@Suite(.timeLimit(.minutes(10))) struct AdoptingTests {
    private let plain: StoreDirectory
    /// The directory after the encryption.
    private let new: StoreDirectory
    private let key: EncryptionKey
    private let path = "/canary/path"

    /// Creates a plain store with a pending item that has a path.
    init() throws {
        key = try #require(Steps.key)
        plain = try StoreDirectory()
        new = try StoreDirectory(.encrypted)
        try FileManager.default.removeItem(at: new.url)
        let store = try plain.open()
        let message = NewMessage("planted", files: [UploadableFile(path: path)])
        try store.write { batch in
            try batch.save(
                OutboxItem(Message(message, in: "c", by: nil, at: 5), requestID: "r"))
        }
        store.close()
    }

    private func adopt() throws -> [OutboxItem] {
        try ChatStore.adopt(at: plain.url, with: key, movingTo: new.url)
    }

    private func expectHeld(
        _ items: [OutboxItem], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(items.map(\.requestID) == ["r"], sourceLocation: sourceLocation)
        #expect(items.allSatisfy { $0.state == .failed }, sourceLocation: sourceLocation)
        #expect(
            items.flatMap(\.files).allSatisfy { $0.path == nil }, sourceLocation: sourceLocation)
    }

    @Test func itemIsHeld() throws {
        expectHeld(try adopt())
        let store = try new.open()
        expectHeld(try store.outboxItems())
        #expect(store.openingReport.outboxLoss == nil)
        store.close()
    }

    /// The index names a row that does not exist; after damage, it is rebuilt.
    @Test func itemWithAForgedIndexIsHeld() throws {
        let outbox = try LevelDB(at: plain.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.put(
            { $0.outboxItemRequestKey("r") },
            { $0.raw(Array(ByteWriter.key { $0.outboxItemKey("c", 9) }.dropFirst()) + [0]) })
        try outbox.write(batch, isDurable: true)
        outbox.close()
        expectHeld(try adopt())
        try Data().write(to: new.url.appending(path: "DISTRUST-OUTBOX"))
        let store = try new.open()
        expectHeld(try store.outboxItems())
        store.close()
    }

    /// A program could cut a log that first contains the pending item and then the held one.
    @Test func noEncryptedLogContainsThePendingItem() throws {
        _ = try adopt()
        let logs = try new.files("outbox", ".log")
        #expect(!logs.isEmpty)
        for log in logs {
            let bytes = try new.environment("outbox").contents(of: log.path)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("canary"))
        }
    }

    /// The process ends before the new outbox is in its place.
    @Test func interruptedCallIsRepeated() throws {
        let files = StoreFiles(directory: plain.url)
        let keys = try files.keyFile.beginExchange(from: nil, to: key)
        try files.holdOutboxItems(sealedBy: keys)
        try FileManager.default.moveItem(atPath: files.outbox, toPath: files.salvaged)
        expectHeld(try adopt())
    }

    /// Another program removes the file while the files are being re-encrypted.
    @Test func missingKeyFileIsNotReplacedByOneThatAcceptsPlainFiles() throws {
        let keys = KeyFile(in: plain.url.path)
        let error = #expect(throws: StoreError.self) {
            _ = try keys.beginExchange(from: key, to: EncryptionKey())
        }
        #expect(error?.code == .wrongKey)
        #expect(try !keys.exists())
    }

    @Test func directoryInPlaceOfTheKeyFileDoesNotPreventTheRemoval() throws {
        _ = try adopt()
        let file = KeyFile(in: new.url.path).path
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(
            atPath: file + "/x", withIntermediateDirectories: true)
        try ChatStore.removeFiles(at: new.url)
        #expect(!FileManager.default.fileExists(atPath: new.url.path))
    }

    /// LevelDB numbers the files of each cache from the same number.
    @Test func fileOfAReplacedCacheIsNoFileOfTheNextOne() throws {
        let directory = try StoreDirectory(.encrypted)
        let store = try directory.open()
        try store.write {
            try $0.save(Message(id: "m", channelURL: "c", text: "canary", createdAt: 5))
        }
        store.close()
        let log = try #require(try directory.files("cache", ".log").last)
        func isReadable(_ environment: LevelDB.Environment) throws -> Bool {
            String(decoding: try environment.contents(of: log.path), as: UTF8.self)
                .contains("canary")
        }
        let cache = try directory.environment("cache")
        #expect(try isReadable(cache))
        let next = cache.another(at: directory.url.appending(path: "cache-2").path)
        #expect(try !isReadable(next))
    }
}
