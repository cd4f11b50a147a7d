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

    /// Writes rows to the plain outbox as another program could.
    private func forge(_ change: (Overlay) -> Void) throws {
        let outbox = try LevelDB(at: plain.url.appending(path: "outbox").path)
        let batch = Overlay()
        change(batch)
        try outbox.write(batch, isDurable: true)
        outbox.close()
    }

    private func adopt() throws -> [OutboxItem] {
        try ChatStore.adopt(at: plain.url, with: key, as: new.url, now: 9)
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

    /// The user sees what is sent, and a file is uploaded from the copy that is shown.
    @Test func failedItemShowsWhatIsSent() throws {
        let store = try plain.open()
        try store.write { batch in
            var item = try #require(try batch.outboxItem("r"))
            item.message?.text = "shown"
            item.message?.requestID = "another"
            item.message?.newMessage?.metaArrays = [MetaArray(key: "html", values: ["sent"])]
            item.message?.newMessage?.mentionType = .channel
            item.message?.newMessage?.mentionedMessageTemplate = "sent"
            item.message?.newMessage?.pollID = 7
            item.message?.newMessage?.data = "of the app"
            item.message?.newMessage?.extra = ["poll_id": 7, "own": 1]
            item.setUploadedFile(FileInfo(url: "mxc://example.org/other"), at: 0)
            item.fail(.requestFailed)
            try batch.save(item)
        }
        store.close()
        let item = try #require(try adopt().first)
        #expect(item.message?.text == "planted" && item.newMessage?.text == "planted")
        #expect(item.errorCode == .needsConfirmation)
        #expect(item.uploadedFile(at: 0) == nil && item.indicesToUpload == [0])
        #expect(item.message?.sendingStatus == .failed && item.message?.requestID == "r")
        #expect(item.newMessage?.metaArrays == [] && item.message?.metaArrays == [])
        #expect(item.newMessage?.mentionType == .users && item.message?.mentionType == .users)
        #expect(item.newMessage?.mentionedMessageTemplate == nil && item.newMessage?.pollID == nil)
        #expect(item.newMessage?.data == "of the app" && item.message?.data == "of the app")
        #expect(item.newMessage?.extra == ["own": 1])
    }

    @Test(arguments: ["file:///etc/passwd", "fi\tle:/etc/passwd"])
    func noAddressOfALocalFileIsKept(_ url: String) throws {
        let store = try plain.open()
        try store.write { batch in
            var item = try #require(try batch.outboxItem("r"))
            item.message?.newMessage?.files = [UploadableFile(url: url)]
            try batch.save(item)
        }
        store.close()
        let item = try #require(try adopt().first)
        #expect(item.newMessage?.files.map(\.url) == [nil])
    }

    @Test func textHasNoUploadedFile() throws {
        let store = try plain.open()
        try store.write { batch in
            let message = Message(NewMessage("text"), in: "c", by: nil, at: 5)
            var item = OutboxItem(message, requestID: "r")
            item.uploadedFiles = [FileInfo(url: "mxc://example.org/other")]
            item.fileCopies = [FileCopy()]
            try batch.save(item)
        }
        store.close()
        let item = try #require(try adopt().first)
        #expect(item.uploadedFile(at: 0) == nil && item.fileCopy(at: 0) == nil)
    }

    /// No list shows requests, and a change has no message to show.
    @Test func userConfirmsOnlyWhatListsShow() throws {
        let store = try plain.open()
        try store.write { batch in
            try batch.save(OutboxItem(.request, requestID: "q", channelURL: "c", createdAt: 6))
            var deletion = OutboxItem(.delete, requestID: "d", channelURL: "c", createdAt: 7)
            deletion.messageID = "m"
            deletion.targetEpoch = "another"
            deletion.message = try batch.outboxItem("r")?.message
            try batch.save(deletion)
            var edit = OutboxItem(.update, requestID: "u", channelURL: "c", createdAt: 8)
            edit.messageID = "m"
            var params = UserMessageUpdateParams()
            (params.text, params.mentionType) = ("edited", .channel)
            params.mentionedMessageTemplate = "sent"
            edit.userMessageUpdateParams = params
            try batch.save(edit)
        }
        store.close()
        let items = try adopt()
        #expect(items.map(\.requestID) == ["r", "d", "u"])
        #expect(items[1].message == nil && items[1].targetEpoch == nil)
        let edit = items[2].userMessageUpdateParams
        #expect(edit?.text == "edited" && edit?.mentionType == nil)
        #expect(edit?.mentionedMessageTemplate == nil)
        #expect(items.allSatisfy { $0.state == .failed })
        let encrypted = try new.open()
        #expect(try encrypted.outboxItem("q") == nil && encrypted.check().isEmpty)
        encrypted.close()
    }

    /// The index names a row that does not exist; after damage, it is rebuilt.
    @Test func itemWithAForgedIndexIsHeld() throws {
        try forge { batch in
            batch.put(
                { $0.outboxItemRequestKey("r") },
                { $0.raw(Array(ByteWriter.key { $0.outboxItemKey("c", 9) }.dropFirst()) + [0]) })
        }
        expectHeld(try adopt())
        try Data().write(to: new.url.appending(path: "DISTRUST-OUTBOX"))
        let store = try new.open()
        expectHeld(try store.outboxItems())
        store.close()
    }

    /// The next number would be too great, and every opening would fail.
    @Test func itemsGetNewNumbers() throws {
        let before = try plain.open()
        let item = try #require(try before.outboxItem("r"))
        before.close()
        try forge { batch in
            batch.put(
                { $0.outboxItemKey("c", .maximumAssigned) }, { $0.raw(item.serializedBytes) })
        }
        expectHeld(try adopt())
        let store = try new.open()
        try store.write { batch in
            var next = item
            next.requestID = "next"
            try batch.save(next)
        }
        #expect(try store.outboxItems().map(\.requestID) == ["r", "next"])
        store.close()
    }

    @Test func noItemIsReportedAsLost() throws {
        try forge { batch in
            batch.put(
                { $0.outboxItemRequestKey("invented") },
                { $0.raw(Array(ByteWriter.key { $0.outboxItemKey("c", 9) }.dropFirst())) })
        }
        expectHeld(try adopt())
        let store = try new.open()
        #expect(store.openingReport.outboxLoss == nil)
        store.close()
    }

    @Test func unreadableItemIsReported() throws {
        try forge { batch in
            batch.put({ $0.outboxItemKey("c", .maximumAssigned) }, { $0.raw([0xFF]) })
        }
        expectHeld(try adopt())
        let store = try new.open()
        #expect(store.openingReport.outboxLoss?.unreadableCount == 1)
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

    /// The process ends before the plain store is removed.
    @Test func interruptedCallIsRepeated() throws {
        let copy = try StoreDirectory(of: plain)
        _ = try adopt()
        try Data().write(to: new.url.appending(path: "ADOPTED"))
        expectHeld(try ChatStore.adopt(at: copy.url, with: key, as: new.url, now: 9))
        #expect(!FileManager.default.fileExists(atPath: copy.url.path))
        #expect(try !ChatStore.isAdoptionUnfinished(at: new.url))
    }

    /// An opening was interrupted before it moved a rebuilt outbox to its place.
    @Test func rebuiltOutboxIsKept() throws {
        let outbox = plain.url.appending(path: "outbox").path
        try FileManager.default.moveItem(atPath: outbox, toPath: outbox + "-salvaged")
        expectHeld(try adopt())
    }

    /// The one who wrote them may have invented them; the server has the true ones.
    @Test func messagesOfThePlainStoreAreNotKept() throws {
        let message = Message(id: "p", channelURL: "c", text: "canary", createdAt: 5)
        let store = try plain.open()
        try store.write { try $0.save(message) }
        try store.makePushInbox()
        store.close()
        try #require(try PushInbox(in: plain.url)).leave([message])
        _ = try adopt()
        let encrypted = try new.open()
        #expect(try encrypted.messageCount() == 0 && encrypted.pushNames().isEmpty)
        // Earlier pushes do not bring deleted messages back.
        #expect(try encrypted.snapshot().replacedAt() == 9)
        #expect(encrypted.openingReport.replacedCache == nil)
        encrypted.close()
    }

    /// A disk may leave a copy of an outgoing file empty.
    @Test func emptyCopyOfAFileIsKept() throws {
        let files = plain.url.appending(path: "files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data().write(to: files.appending(path: "r-0"))
        expectHeld(try adopt())
        let copy = new.url.appending(path: "files/r-0").path
        #expect(try new.environment("files").contents(of: copy).isEmpty)
    }

    /// A copy of a damaged outbox could later be put in the place of the outbox.
    @Test func copiesOfOutboxesAreNotKept() throws {
        try FileManager.default.copyItem(
            at: plain.url.appending(path: "outbox"),
            to: plain.url.appending(path: "outbox-damaged-1"))
        _ = try adopt()
        let names = try FileManager.default.contentsOfDirectory(atPath: new.url.path)
        #expect(Set(names) == ["KEY", "VERSION", "cache", "files", "outbox"])
    }

    /// Near the greatest number, the outbox would soon count from the beginning again.
    @Test func numbersOfThePlainStoreAreNotKept() throws {
        let great = UInt64.max >> 1 - 1
        for name in ["outbox", "cache"] {
            let database = try LevelDB(at: plain.url.appending(path: name).path)
            let batch = Overlay()
            batch.put({ $0.schemaKey(.generation) }, { $0.integer(great) })
            try database.write(batch, isDurable: true)
            database.close()
        }
        _ = try adopt()
        let store = try new.open()
        #expect(store.openingReport.outboxLoss == nil)
        store.close()
        let outbox = try LevelDB(
            at: new.url.appending(path: "outbox").path, environment: new.environment("outbox"))
        #expect(try outbox.generation() < 10)
        outbox.close()
    }

    /// With a valid key file in the plain directory, its files would count as encrypted.
    @Test func plainStoreWithAKeyFileIsRefused() throws {
        try KeyFile(in: plain.url.path).write(DataKeys(), for: [key])
        let error = #expect(throws: StoreError.self) { _ = try adopt() }
        #expect(error?.code == .wrongKey)
        #expect(!FileManager.default.fileExists(atPath: new.url.path))
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
