import Foundation
import GRDB
import Models

/// GRDB as its documentation recommends: a pool, and records with the message as a blob.
final class GRDBEngine: Engine {
    static let name = "GRDB"

    private let pool: DatabasePool

    private struct MessageRecord: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "message"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)

        var channel: Int
        var createdAt: Int64
        var id: String
        var request: String?
        var payload: Data

        init(_ item: Item) {
            channel = item.channel + 1
            createdAt = item.plain.createdAt
            id = item.plain.messageID
            request = item.plain.requestID.isEmpty ? nil : item.plain.requestID
            payload = item.message.serialize()
        }

        func message() throws -> Message { try Message(serialized: payload) }
    }

    private struct OutboxItemRecord: Codable, PersistableRecord {
        static let databaseTableName = "item"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)

        var request: String
        var payload: Data
    }

    private struct ChannelRecord: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "channel"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)

        var number: Int
        var url: String
        var lastMessageAt: Int64
        var payload: Data
    }

    init(at directory: URL) throws {
        pool = try DatabasePool(path: directory.appending(path: "grdb.db").path)
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
            try db.create(table: "item", options: .ifNotExists) { table in
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
        let records = items.map(MessageRecord.init)
        try setDurable(false)
        return { [pool] in
            try pool.write { db in for record in records { try record.insert(db) } }
            return records.count
        }
    }

    func put(_ item: Item) throws -> Call { try insert([item]) }

    func putDurably(_ items: [Item]) throws -> Call? {
        let records = items.map { item in
            let item = item.outboxItem
            return OutboxItemRecord(request: item.requestID.rawValue, payload: item.serialize())
        }
        // Not timed: an app would have a connection for each mode.
        try setDurable(true)
        return { [pool] in
            try pool.write { db in for record in records { try record.insert(db) } }
            return records.count
        }
    }

    private func setDurable(_ isDurable: Bool) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        }
    }

    func delete(_ item: Item) -> Call {
        let (channel, id) = (item.channel + 1, item.plain.messageID)
        return { [pool] in
            try pool.write { db in
                try MessageRecord
                    .filter(Column("channel") == channel && Column("id") == id).deleteAll(db)
            }
        }
    }

    private static func pageRequest(
        _ channel: Int, _ time: Timestamp?, _ limit: Int
    ) -> QueryInterfaceRequest<MessageRecord> {
        var request = MessageRecord.filter(Column("channel") == channel + 1)
        if let time { request = request.filter(Column("createdAt") < time.milliseconds) }
        return request.order(Column("createdAt").desc, Column("id").desc).limit(limit)
    }

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        { [pool] in
            try pool.read { db in
                try Self.pageRequest(channel, time, limit).fetchAll(db).count
            }
        }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        { [pool] in
            try pool.read { db in
                try Self.pageRequest(channel, time, limit).fetchAll(db)
                    .map { try $0.message() }.count
            }
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let id = id.rawValue
        return { [pool] in
            try pool.read { db in
                let record =
                    try MessageRecord
                    .filter(Column("channel") == channel + 1 && Column("id") == id).fetchOne(db)
                return try record?.message() == nil ? 0 : 1
            }
        }
    }

    func count(in channel: Int) -> Call {
        { [pool] in
            try pool.read { db in
                try MessageRecord.filter(Column("channel") == channel + 1).fetchCount(db)
            }
        }
    }

    func count() -> Call { { [pool] in try pool.read { db in try MessageRecord.fetchCount(db) } } }

    func put(_ channels: [ChannelItem]) throws -> Call {
        let records = channels.map { item in
            ChannelRecord(
                number: item.number + 1, url: item.channel.url.rawValue,
                lastMessageAt: item.lastMessageAt, payload: item.channel.serialize())
        }
        return { [pool] in
            try pool.write { db in for record in records { try record.insert(db) } }
            return records.count
        }
    }

    func channels(limit: Int?) -> Call {
        { [pool] in
            try pool.read { db in
                var request = ChannelRecord.order(Column("lastMessageAt").desc)
                if let limit { request = request.limit(limit) }
                return try request.fetchAll(db)
                    .map { try GroupChannel(serialized: $0.payload) }.count
            }
        }
    }
}
