import ArgumentParser
import Foundation
import GRDB
import Measuring
import Models
import Store

/// Measures lists of messages of a kind, beside SQLite with a partial index.
struct Kinds: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the first page of the links of a channel, and the size of the index.")

    @Option(help: "The number of messages, of which five percent have a link.")
    var count = 1_000_000

    @Option(help: "The number of measured pages.")
    var passes = 1_000

    @Option(help: "The directory of the databases.")
    var directory = FileManager.default.temporaryDirectory.path

    private static let channelCount = 10
    private static let pageSize = 40
    private static let step = 20

    func run() throws {
        let place = URL(filePath: directory).appending(path: "bench-kinds-\(getpid())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        print("Measured on \(Date.today): \(Machine()).\n")
        print("\(count) messages in \(Self.channelCount) channels, 5 percent with a link:\n")
        print("| | median of a first page of \(Self.pageSize) | p99 | index per link |")
        print("|---|--:|--:|--:|")
        try measureScrollback(at: place)
        try measureSQLite(at: place)
    }

    private func url(_ number: Int) -> ChannelURL { ChannelURL("channel-\(number)") }

    /// Returns a message, which has a link if it is to have a kind.
    private func message(_ number: Int, hasKind: Bool) -> Message {
        let isLink = (number / Self.channelCount).isMultiple(of: Self.step) && hasKind
        let address = isLink ? "https://example.com/\(number)" : "httpsx//example.com/\(number)"
        return Message(
            id: MessageID("\(7_000_000_000 + number)"),
            channelURL: url(number % Self.channelCount),
            sender: Sender(id: "alice", nickname: "Alice"),
            text: "What do you think about \(address) and the rest?",
            createdAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1_000))
    }

    private func report(_ name: String, _ durations: [Duration], indexBytes: Double) {
        let sorted = durations.sorted()
        let p99 = sorted[sorted.count * 99 / 100]
        let links = Double(max(1, count / Self.step))
        print(
            "| \(name) | \((sorted[sorted.count / 2].nanoseconds / 1e3).brief) µs "
                + "| \((p99.nanoseconds / 1e3).brief) µs "
                + "| \((indexBytes / links).brief) bytes |")
    }

    private func measure(_ page: (Int) throws -> Int) throws -> [Duration] {
        var durations: [Duration] = []
        for pass in 0..<passes {
            let start = ContinuousClock.now
            let found = try page(pass % Self.channelCount)
            durations.append(start.duration(to: .now))
            guard found == Self.pageSize || count < Self.pageSize * 200 else {
                throw ValidationError("A page has \(found) messages.")
            }
        }
        return durations
    }

    // MARK: Scrollback

    private func fill(_ place: URL, hasKinds: Bool) throws -> (store: ChatStore, size: Double) {
        var store = try ChatStore(at: place)
        for start in stride(from: 0, to: count, by: 1_000) {
            try store.write { batch in
                for number in start..<min(start + 1_000, count) {
                    try batch.save(message(number, hasKind: hasKinds))
                }
            }
        }
        store.close()
        // Opening writes the log's rows to tables.
        store = try ChatStore(at: place)
        return (store, bytes(in: place))
    }

    private func measureScrollback(at place: URL) throws {
        let plain = try fill(place.appending(path: "plain"), hasKinds: false)
        plain.store.close()
        let (store, size) = try fill(place.appending(path: "kinds"), hasKinds: true)
        let durations = try measure { channel in
            try store.messages(of: .link, in: url(channel), limit: Self.pageSize).count
        }
        report("Scrollback", durations, indexBytes: size - plain.size)
        store.close()
    }

    // MARK: SQLite

    private func measureSQLite(at place: URL) throws {
        let queue = try DatabaseQueue(path: place.appending(path: "kinds.db").path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE message (channel INTEGER, created_at INTEGER, id TEXT,
                        kinds INTEGER, bytes BLOB, PRIMARY KEY (channel, created_at, id))
                        WITHOUT ROWID;
                    CREATE INDEX link ON message (channel, created_at) WHERE kinds & 32 <> 0;
                    """)
        }
        for start in stride(from: 0, to: count, by: 1_000) {
            try queue.write { db in
                let insert = try db.cachedStatement(
                    sql: "INSERT INTO message VALUES (?, ?, ?, ?, ?)")
                for number in start..<min(start + 1_000, count) {
                    let message = message(number, hasKind: true)
                    try insert.execute(arguments: [
                        number % Self.channelCount, message.createdAt.milliseconds,
                        message.messageID?.rawValue, Int(message.kinds.rawValue),
                        Data(message.serialize()),
                    ])
                }
            }
        }
        let durations = try measure { channel in
            try queue.read { db in
                let select = try db.cachedStatement(
                    sql: """
                        SELECT bytes FROM message WHERE channel = ? AND kinds & 32 <> 0
                        ORDER BY created_at DESC LIMIT ?
                        """)
                let rows = try Data.fetchAll(select, arguments: [channel, Self.pageSize])
                return try rows.map { try Message(serialized: Array($0)) }.count
            }
        }
        let size = try queue.write { db in
            let free =
                "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
            let before = try Int.fetchOne(db, sql: free) ?? 0
            try db.execute(sql: "DROP INDEX link")
            return (try Int.fetchOne(db, sql: free) ?? 0) - before
        }
        report("SQLite with a partial index", durations, indexBytes: Double(size))
    }
}
