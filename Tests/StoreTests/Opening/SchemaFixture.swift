import Foundation
import Models
import ScrollbackTestSupport

@testable import Store

/// Stores that each version of the schema has written.
///
/// Do not change their files.
///
/// `Schemas/N` has an unencrypted store, an encrypted one, and the rows of both as lines.
/// `SCROLLBACK_WRITE_GOLDEN=1 swift test --filter SchemaFixtureTests` writes the missing files of
/// the newest version.
struct SchemaFixture {
    static let directory = Repository.root.appending(path: "Tests/StoreTests/Schemas")

    let version: Int

    static let newest = SchemaFixture(version: StoreSchema.current.version)

    private var url: URL { Self.directory.appending(path: "\(version)") }

    private func url(_ form: FileForm) -> URL { url.appending(path: "\(form)") }

    /// Returns a copy of the store, which can be opened.
    func copy(_ form: FileForm) throws -> StoreDirectory {
        let directory = try StoreDirectory(form)
        try FileManager.default.removeItem(at: directory.url)
        try FileManager.default.copyItem(at: url(form), to: directory.url)
        return directory
    }

    /// False if the linked LevelDB cannot read the files: those of version 1 are compressed.
    var isReadable: Bool { version > 1 || hasSnappy }

    /// All rows as lines.
    ///
    /// The first line of each database is the database's name.
    var rows: [String] {
        get throws {
            try String(contentsOf: url.appending(path: "rows"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }

    /// Writes the files that are missing.
    func writeMissing() throws {
        let files = FileManager.default
        for form in FileForm.allCases where !files.fileExists(atPath: url(form).path) {
            let directory = try StoreDirectory(form)
            try Self.fill(directory)
            try files.createDirectory(at: url, withIntermediateDirectories: true)
            try files.copyItem(at: directory.url, to: url(form))
        }
        let list = url.appending(path: "rows")
        if !files.fileExists(atPath: list.path) {
            let lines = try Self.rows(of: copy(.plain))
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: list)
        }
    }

    /// Returns the rows of a closed store without decoding them.
    static func rows(of directory: StoreDirectory) throws -> [String] {
        var lines: [String] = []
        let files = StoreFiles(directory: directory.url)
        for (name, path) in [("cache", files.cache), ("outbox", files.outbox)] {
            let database = try LevelDB(
                at: path,
                environment: directory.environment(URL(filePath: path).lastPathComponent))
            lines.append(name)
            lines += try database.snapshot().rows().map { "\($0.key.hex) → \($0.value.hex)" }
            database.close()
        }
        return lines
    }
}

extension [UInt8] {
    fileprivate var hex: String {
        isEmpty ? "nothing" : map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}

// MARK: Contents

extension SchemaFixture {
    /// Fills a new store.
    ///
    /// Each table of the schema gets at least one row, which is in a LevelDB table or in a log.
    static func fill(_ directory: StoreDirectory) throws {
        let store = try directory.open()
        try fillTables(store)
        store.close()
        for name in ["cache", "outbox"] {
            let database = try LevelDB(
                at: directory.url.appending(path: name).path,
                environment: directory.environment(name))
            try database.compact()
            database.close()
        }
        let again = try directory.open()
        try fillLogs(again)
        again.close()
    }

    private static func fillTables(_ store: ChatStore) throws {
        try store.write { batch in
            var group = GroupChannel(url: "general", createdAt: 1_600_000_000_000)
            group.name = "General"
            try batch.save(group)
            try batch.save(OpenChannel(url: "lobby", createdAt: 1_600_000_000_001))
            try batch.setKeptInCache(true, for: "general")
            try batch.save(User(id: "alice", nickname: "Alice"))
            for (id, time) in [("1", 1), ("2", 2), ("3", 3)] as [(MessageID, Int64)] {
                var message = Message(
                    id, at: Timestamp(milliseconds: 1_700_000_000_000 + time), by: "alice",
                    request: RequestID("r\(id)"), to: id == "3" ? "1" : nil)
                if id == "2" { message.mentionType = .channel }
                try batch.save(message)
            }
            try batch.cover("general", from: bound("1", 1), through: bound("3", 3))
            try batch.save(
                KindCoverage(.image, in: "general", downTo: bound("1", 1), cursor: "older"))
            try batch.save(
                Tombstone(
                    "9", in: "general", deletedAt: 1_700_000_000_009,
                    position: Position(createdAt: 1_700_000_000_005, messageID: "9")))
            try batch.save(Message("gone", at: 5, in: "cleared"))
            batch.setToken(Array("1 1700000000000 1 eab".utf8), for: "feed")
            try batch.save(OutboxItem("first", request: "d1"))
            try batch.setDraft("Hello", of: "general")
        }
    }

    private static func fillLogs(_ store: ChatStore) throws {
        try store.write { batch in
            try batch.clearMessages(in: "cleared")
            try batch.markStale(
                StaleRange(in: "general", from: bound("1", 1), to: bound("2", 2), lossNumber: 7))
            try batch.recordAccess(to: "general")
            try batch.save(OutboxItem("second", request: "d2"))
            try batch.save(
                OutboxItem(
                    .delete, requestID: "d3", channelURL: "general", createdAt: 6, messageID: "2"))
        }
        try store.write { batch in
            var gaps = try batch.gaps(in: "general")
            gaps[0].backfillCursor = PageCursor("older")
            try batch.update(gaps[0])
        }
    }

    private static func bound(_ id: MessageID, _ time: Int64) -> Gap.Bound {
        .position(
            Position(
                createdAt: Timestamp(milliseconds: 1_700_000_000_000 + time), messageID: id))
    }
}

extension [String] {
    /// The lines of the outbox, among all rows of a store, without its generation, which depends on
    /// the number of openings.
    var ofOutbox: [String] {
        self[(firstIndex(of: "outbox") ?? endIndex)...].filter { !$0.hasPrefix("7367 ") }
    }
}

/// True if the linked LevelDB has Snappy, with which the fixtures of version 1 are compressed.
///
/// On Apple's systems, the package builds LevelDB without it.
let hasSnappy: Bool = {
    #if canImport(Darwin)
        false
    #else
        true
    #endif
}()
