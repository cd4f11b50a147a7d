import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests links, pipes and other names of files that another program has put into the directory of
/// a store.
@Suite(.timeLimit(.minutes(10))) struct PlantedFileTests {
    /// A directory with files that do not belong to a store.
    private let elsewhere: ScratchDirectory

    private static let names = ["notes.txt", "000003.log", "000005.ldb", "CURRENT", "draft.new"]

    init() throws {
        elsewhere = try ScratchDirectory.made(in: ScratchDirectory.memory)
        for name in Self.names {
            try Data("kept".utf8).write(to: file(name))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: file(name).path)
        }
    }

    private func file(_ name: String) -> URL { elsewhere.url.appending(path: name) }

    /// Checks that no program has changed, added or removed a file elsewhere.
    private func expectNothingElsewhereHasChanged(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path)
        #expect(found.sorted() == Self.names.sorted(), sourceLocation: sourceLocation)
        for name in Self.names {
            #expect(try Data(contentsOf: file(name)) == Data("kept".utf8))
            let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
            #expect(attributes[.posixPermissions] as? NSNumber == 0o644)
        }
    }

    private func link(_ path: URL, to target: URL) throws {
        // The file need not exist.
        try? FileManager.default.removeItem(at: path)
        try FileManager.default.createSymbolicLink(at: path, withDestinationURL: target)
    }

    private func makePipe(at path: URL) throws {
        try FileManager.default.removeItem(at: path)
        #expect(mkfifo(path.path, 0o600) == 0)
    }

    /// Returns a closed store with rows and a copy of a file.
    private func store(_ form: FileForm) throws -> StoreDirectory {
        let directory = try StoreDirectory(form)
        let store = try directory.open()
        try store.write { try $0.save(GroupChannel(url: "general", createdAt: 1)) }
        _ = try store.outboxFiles?.add(file("notes.txt").path)
        store.close()
        return directory
    }

    // MARK: Links in place of directories

    @Test(
        arguments: ["cache", "outbox", "files", "outbox-damaged-1", "outbox-salvaged"],
        FileForm.allCases)
    func storeWithALinkInPlaceOfADirectoryIsNotOpened(name: String, form: FileForm) throws {
        let directory = try store(form)
        let link = directory.url.appending(path: name)
        try self.link(link, to: elsewhere.url)
        let calls: [() throws -> Void] = [
            { try directory.open().close() },
            { try ChatStore.removeCache(at: directory.url) },
            { try ChatStore.reindexOutbox(at: directory.url) },
            {
                try ChatStore.reencrypt(
                    at: directory.url, from: form.key, to: EncryptionKey())
            },
        ]
        for call in calls {
            let error = #expect(throws: StoreError.self) { try call() }
            #expect(error?.code == .io)
            #expect(error?.path == link.path)
        }
        try expectNothingElsewhereHasChanged()
        try FileManager.default.removeItem(at: link)
    }

    @Test func copiesAreNotRemovedThroughALink() throws {
        let directory = try store(.encrypted)
        let store = try directory.open()
        try link(directory.url.appending(path: "files"), to: elsewhere.url)
        store.outboxFiles?.removeAll(but: [])
        store.close()
        try expectNothingElsewhereHasChanged()
    }

    @Test func linkInPlaceOfAPushInboxIsRemoved() throws {
        let directory = try store(.encrypted)
        let inbox = directory.url.appending(path: "drops")
        let store = try directory.open()
        try store.makePushInbox()
        let box = try #require(
            try PushInbox(in: directory.url, encryptionKey: directory.files.key))
        let message = Message(id: "1", channelURL: "general", text: "hello", createdAt: 1)
        let replacements: [() throws -> Void] = [
            { try store.makePushInbox() }, { try store.removePushInbox() },
        ]
        for replace in replacements {
            try link(inbox, to: elsewhere.url)
            #expect(throws: StoreError.self) { try box.leave([message]) }
            #expect(throws: StoreError.self) {
                try PushInbox(in: directory.url, encryptionKey: directory.files.key)
            }
            try replace()
            let attributes = try? FileManager.default.attributesOfItem(atPath: inbox.path)
            #expect(attributes?[.type] as? FileAttributeType != .typeSymbolicLink)
        }
        store.close()
        try expectNothingElsewhereHasChanged()
    }

    @Test func fileInPlaceOfAPushInboxIsRemoved() throws {
        let directory = try store(.encrypted)
        let inbox = directory.url.appending(path: "drops")
        let plants: [() throws -> Void] = [
            { try Data("x".utf8).write(to: inbox) },
            { #expect(mkfifo(inbox.path, 0o600) == 0) },
        ]
        for plant in plants {
            let store = try directory.open()
            try plant()
            try store.removePushInbox()
            #expect(access(inbox.path, F_OK) != 0)
            try plant()
            try store.makePushInbox()
            let box = try PushInbox(in: directory.url, encryptionKey: directory.files.key)
            #expect(try box?.count == 0)
            store.close()
            try FileManager.default.removeItem(at: inbox)
            try plant()
            try ChatStore.removeCachedData(at: directory.url)
            #expect(access(inbox.path, F_OK) != 0)
        }
    }

    // MARK: Links in place of files

    @Test(arguments: FileForm.allCases)
    func newFilesReplaceLinksAndOtherNames(form: FileForm) throws {
        let directory = try store(form)
        let environment = try directory.environment("cache")
        let path = directory.url.appending(path: "cache/000099.log")
        let target = file("notes.txt")
        let plants: [() throws -> Void] = [
            { try link(path, to: target) },
            {
                try FileManager.default.removeItem(at: path)
                try FileManager.default.linkItem(at: target, to: path)
            },
            { try makePipe(at: path) },
        ]
        for plant in plants {
            try plant()
            let writer = try FileWriter(path.path, in: environment)
            try writer.append(Array("new".utf8))
            try writer.finish()
            let attributes = try FileManager.default.attributesOfItem(atPath: path.path)
            #expect(attributes[.type] as? FileAttributeType == .typeRegular)
            #expect(attributes[.referenceCount] as? NSNumber == 1)
            try expectNothingElsewhereHasChanged()
        }
    }

    @Test func locksDoNotFollowLinks() throws {
        let directory = try store(.encrypted)
        for target in [file("notes.txt"), file("new file")] {
            for name in ["cache", "outbox"] {
                try link(directory.url.appending(path: "\(name)/LOCK"), to: target)
            }
            try directory.open().close()
            try expectNothingElsewhereHasChanged()
        }
    }

    @Test func lockWithAnotherNameKeepsItsMode() throws {
        for name in ["cache", "outbox"] {
            let directory = try store(.encrypted)
            let lock = directory.url.appending(path: "\(name)/LOCK")
            try FileManager.default.removeItem(at: lock)
            try FileManager.default.linkItem(at: file("notes.txt"), to: lock)
            try directory.open().close()
            try expectNothingElsewhereHasChanged()
        }
    }

    /// LevelDB appends to its last log.
    @Test(arguments: ["cache", "outbox"]) func logWithAnotherNameIsNotWritten(
        database: String
    ) throws {
        let directory = try store(.plain)
        let log = directory.url.appending(path: "\(database)/000099.log")
        let empty = ScratchDirectory(in: ScratchDirectory.memory).url
        try Data().write(to: empty)
        try FileManager.default.linkItem(at: empty, to: log)
        let opened = try directory.open()
        try opened.write { try $0.save(GroupChannel(url: "other", createdAt: 2)) }
        let message = Message(id: nil, channelURL: "other", text: "unsent", createdAt: 1)
        try opened.write { try $0.save(OutboxItem(message, requestID: "r")) }
        opened.close()
        #expect(try Data(contentsOf: empty).isEmpty)
        let again = try directory.open()
        #expect(try again.outboxItems().map(\.requestID) == ["r"])
        #expect(try again.groupChannels().count == 2)
        again.close()
        try FileManager.default.removeItem(at: empty)
    }

    @Test(arguments: ["cache", "outbox"], ["CURRENT", "MANIFEST-", ".log"])
    func pipesAndLinksAreDamage(database: String, name: String) throws {
        for isPipe in [true, false] {
            let directory = try store(.encrypted)
            let file = try #require(
                try directory.files(database).last { $0.lastPathComponent.contains(name) })
            if isPipe { try makePipe(at: file) } else { try link(file, to: self.file("CURRENT")) }
            let store = try directory.open()
            #expect(store.openingReport.isOutboxRebuilt == (database == "outbox"))
            #expect((store.openingReport.replacedCache != nil) == (database == "cache"))
            store.close()
            try expectNothingElsewhereHasChanged()
        }
    }

    /// LevelDB counts on from the greatest number of a file.
    @Test(
        arguments: ["cache", "outbox"],
        [
            "18446744073709551615.log", "18446744073709551615.ldb", "09223372036854775808.log",
            "MANIFEST-18446744073709551614",
        ])
    func fileWithAForgedNumberIsDamage(database: String, name: String) throws {
        let directory = try store(.encrypted)
        let message = Message(id: nil, channelURL: "general", text: "unsent", createdAt: 1)
        var store = try directory.open()
        try store.write { try $0.save(OutboxItem(message, requestID: "r")) }
        store.close()
        let log = try #require(try directory.files(database, ".log").last)
        try FileManager.default.copyItem(
            at: log, to: directory.url.appending(path: "\(database)/\(name)"))
        store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt == (database == "outbox"))
        #expect((store.openingReport.replacedCache != nil) == (database == "cache"))
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        store.close()
        store = try directory.open()
        #expect(try store.outboxItems().map(\.requestID) == ["r"])
        store.close()
    }

    /// Such a number is valid, but soon exceeded.
    @Test(
        arguments: ["cache", "outbox"],
        [
            ["9223372036854775806.log"], ["9223372036854775807.log", "9223372036854775808.log"],
            ["18446744073709551615.log", "9223372036854775806.ldb"], ["4611686018427387903.log"],
            ["1100000.log"],
        ])
    func greatNumberOfAFileIsNotContinued(database: String, names: [String]) throws {
        let directory = try store(.encrypted)
        let message = Message(id: nil, channelURL: "general", text: "unsent", createdAt: 1)
        var store = try directory.open()
        try store.write { try $0.save(OutboxItem(message, requestID: "r")) }
        store.close()
        for name in names {
            try Data().write(to: directory.url.appending(path: "\(database)/\(name)"))
        }
        for isFirst in [true, false] {
            store = try directory.open()
            #expect(store.openingReport.isOutboxRebuilt == (isFirst && database == "outbox"))
            #expect((store.openingReport.replacedCache != nil) == (isFirst && database == "cache"))
            #expect(try store.outboxItems().map(\.requestID) == ["r"])
            store.close()
            guard database == "outbox" else { continue }
            let files = try directory.files("outbox")
            #expect(!files.contains { $0.lastPathComponent.count > "MANIFEST-000000".count })
        }
    }

    @Test func pipeInPlaceOfACopyIsDamage() throws {
        let directory = try store(.encrypted)
        let store = try directory.open()
        let files = try #require(store.outboxFiles)
        let copy = try files.add(file("notes.txt").path)
        try makePipe(at: directory.url.appending(path: "files/\(copy.name)"))
        let error = #expect(throws: StoreError.self) { try files.reader(of: copy) }
        #expect(error?.code == .corruption)
        store.close()
    }
}
