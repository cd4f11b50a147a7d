import Foundation
import GRDB
import Measuring
import Models

/// GRDB in the way that its documentation recommends for performance: a pool, mapped files, cached
/// statements instead of records, and a cursor that reads rows without copying the blob.
final class GRDBEngine: Engine {
    static let name = "GRDB"

    private let pool: DatabasePool

    init(at directory: URL) throws {
        pool = try .tuned(in: directory)
        try pool.write { db in
            try db.create(table: "message", options: [.ifNotExists, .withoutRowID]) { table in
                table.column("channel", .integer).notNull()
                table.column("createdAt", .integer).notNull()
                table.column("id", .text).notNull()
                table.column("request", .text)
                table.column("payload", .blob).notNull()
                table.primaryKey(["channel", "createdAt", "id"])
            }
            try db.create(
                index: "messageByID", on: "message", columns: ["channel", "id"],
                options: [.ifNotExists, .unique])
            try db.create(
                index: "messageByRequest", on: "message", columns: ["channel", "request"],
                options: [.ifNotExists, .unique], condition: Column("request") != nil)
            try db.create(table: "item", options: [.ifNotExists, .withoutRowID]) { table in
                table.primaryKey("request", .text)
                table.column("payload", .blob).notNull()
            }
            try db.create(table: "channel", options: .ifNotExists) { table in
                table.primaryKey("number", .integer)
                table.column("url", .text).notNull()
                table.column("lastMessageAt", .integer).notNull().indexed()
                table.column("payload", .blob).notNull()
            }
        }
    }

    func close() throws { try pool.close() }

    func insert(_ items: [Item]) throws -> Call {
        let rows = items.map { item -> StatementArguments in
            let request = item.plain.requestID.isEmpty ? nil : item.plain.requestID
            return [
                item.channel + 1, item.plain.createdAt, item.plain.messageID, request,
                item.message.serialize(),
            ]
        }
        try setDurable(false)
        // A stored message keeps its rows in the indexes, unless its time changes.
        return write(
            rows,
            """
            INSERT INTO message VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (channel, createdAt, id) DO UPDATE SET payload = excluded.payload
            ON CONFLICT (channel, id) DO UPDATE
            SET createdAt = excluded.createdAt, payload = excluded.payload
            """)
    }

    private func write(_ rows: [StatementArguments], _ sql: String) -> Call {
        { [pool] in
            try pool.write { db in
                let statement = try db.cachedStatement(sql: sql)
                for row in rows { try statement.execute(arguments: row) }
            }
            return rows.count
        }
    }

    func put(_ item: Item) throws -> Call { try insert([item]) }

    func putDurably(_ items: [Item]) throws -> Call? {
        let rows = items.map { item -> StatementArguments in
            let item = item.outboxItem
            return [item.requestID.rawValue, item.serialize()]
        }
        // Changing the mode is not timed, because an app would have a connection for each mode.
        try setDurable(true)
        return write(
            rows,
            """
            INSERT INTO item VALUES (?, ?)
            ON CONFLICT (request) DO UPDATE SET payload = excluded.payload
            """)
    }

    private func setDurable(_ isDurable: Bool) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        }
    }

    func delete(_ item: Item) -> Call {
        let arguments: StatementArguments = [item.channel + 1, item.plain.messageID]
        return { [pool] in
            try pool.write { db in
                try db.cachedStatement(sql: "DELETE FROM message WHERE channel = ? AND id = ?")
                    .execute(arguments: arguments)
                return db.changesCount
            }
        }
    }

    /// Returns a call that reads the blobs of the rows that a statement selects.
    private func read(
        _ sql: String, _ arguments: StatementArguments, _ body: @escaping (Data) throws -> Void
    ) -> Call {
        { [pool] in
            try pool.read { db in
                let rows = try GRDB.Row.fetchCursor(
                    try db.cachedStatement(sql: sql), arguments: arguments)
                var count = 0
                while let row = try rows.next() {
                    try row.withUnsafeData(atIndex: 0) { try body($0 ?? Data()) }
                    count += 1
                }
                return count
            }
        }
    }

    private func readPage(
        _ channel: Int, _ time: Timestamp?, _ limit: Int, _ body: @escaping (Data) throws -> Void
    ) -> Call {
        let order = "ORDER BY createdAt DESC, id DESC LIMIT ?"
        guard let time else {
            return read(
                "SELECT payload FROM message WHERE channel = ? \(order)", [channel + 1, limit], body
            )
        }
        return read(
            "SELECT payload FROM message WHERE channel = ? AND createdAt < ? \(order)",
            [channel + 1, time.milliseconds, limit], body)
    }

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        readPage(channel, time, limit) { $0.withUnsafeBytes(keepBytes) }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let messages = Collected<Message>()
        let read = readPage(channel, time, limit) {
            messages.values.append(try Message(serialized: $0))
        }
        return {
            messages.values = []
            messages.values.reserveForPage(limit)
            return try read()
        }
    }

    /// The values that a call has decoded so far.
    private final class Collected<Value> {
        var values: [Value] = []
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        read(
            "SELECT payload FROM message WHERE channel = ? AND id = ?",
            [channel + 1, id.rawValue]
        ) { keep(try Message(serialized: $0)) }
    }

    func count(in channel: Int) -> Call {
        count("SELECT COUNT(*) FROM message WHERE channel = ?", [channel + 1])
    }

    func count() -> Call { count("SELECT COUNT(*) FROM message", []) }

    private func count(_ sql: String, _ arguments: StatementArguments) -> Call {
        { [pool] in
            try pool.read { db in
                try Int.fetchOne(try db.cachedStatement(sql: sql), arguments: arguments) ?? 0
            }
        }
    }

    func put(_ channels: [ChannelItem]) throws -> Call {
        let rows = channels.map { item -> StatementArguments in
            [
                item.number + 1, item.channel.url.rawValue, item.lastMessageAt,
                item.channel.serialize(),
            ]
        }
        return write(
            rows,
            """
            INSERT INTO channel VALUES (?, ?, ?, ?) ON CONFLICT (number) DO UPDATE
            SET url = excluded.url, lastMessageAt = excluded.lastMessageAt,
            payload = excluded.payload
            """)
    }

    func channels(limit: Int?) -> Call {
        let channels = Collected<GroupChannel>()
        let read = read(
            "SELECT payload FROM channel ORDER BY lastMessageAt DESC LIMIT ?", [limit ?? -1]
        ) { channels.values.append(try GroupChannel(serialized: $0)) }
        return {
            channels.values = []
            return try read()
        }
    }
}

extension DatabasePool {
    /// Opens a database with a mapped file, unless it is cold.
    static func tuned(in directory: URL) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA mmap_size = \(isColdProbe ? 0 : 2_147_418_112)")
            // Debian's SQLite otherwise overwrites deleted rows with zeros.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
        }
        return try DatabasePool(
            path: directory.appending(path: "grdb.db").path, configuration: configuration)
    }
}
