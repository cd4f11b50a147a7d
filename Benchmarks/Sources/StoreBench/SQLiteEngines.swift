import CPeers
import Foundation
import Measuring
import Models

/// SQLite called from C, tuned for speed.
final class SQLiteEngine: TunedSQLiteEngine {
    static let name = "SQLite, tuned"

    let db: OpaquePointer

    init(at directory: URL) {
        db = peer_sqlite_open(
            directory.appending(path: "sqlite.db").path, PEER_SQLITE_TUNED, !isColdProbe)
    }
}

/// SQLite called from C, tuned for speed, for a server whose message ids are integers.
final class IntegerSQLiteEngine: TunedSQLiteEngine {
    static let name = "SQLite, integer ids"

    let db: OpaquePointer

    init(at directory: URL) {
        db = peer_sqlite_open(
            directory.appending(path: "integers.db").path, PEER_SQLITE_INTEGER_IDS, !isColdProbe)
    }
}

/// The operations that both tuned variants of SQLite share.
protocol TunedSQLiteEngine: SQLiteFileEngine {}

extension TunedSQLiteEngine {
    func insert(_ items: [Item]) -> Call { put(RawMessages(items), isDurable: false) }
    func put(_ item: Item) -> Call { put(RawMessages([item]), isDurable: false) }
    func putDurably(_ items: [Item]) -> Call? {
        put(RawMessages(items: items), isDurable: true)
    }

    private func put(_ raw: RawMessages, isDurable: Bool) -> Call {
        // Changing the mode is not timed, because an app would have a connection for each mode.
        peer_sqlite_set_durable(db, isDurable)
        return { [db] in
            peer_sqlite_put(db, raw.pointer, raw.count, isDurable)
            return raw.count
        }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let before = time?.milliseconds ?? .max
        return { [db] in
            var messages: [Message] = []
            messages.reserveForPage(limit)
            _ = withPointer(to: &messages) {
                peer_sqlite_page(db, UInt32(channel + 1), before, limit, readMessages, $0)
            }
            return messages.count
        }
    }

    func screen(_ channel: Int, around time: Timestamp, each limit: Int) -> Call? {
        { [db] in
            var messages: [Message] = []
            messages.reserveForPage(2 * limit)
            withPointer(to: &messages) {
                let (number, time) = (UInt32(channel + 1), time.milliseconds)
                _ = peer_sqlite_page(db, number, time, limit, readMessages, $0)
                _ = peer_sqlite_page_from(db, number, time, limit, readMessages, $0)
            }
            return messages.count
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let id = RawID(id)
        return { [db] in
            peer_sqlite_get(
                db, UInt32(channel + 1), id.characters, id.characters.count, readEachMessage, nil)
                ? 1 : 0
        }
    }
}

/// SQLite as the guides of chat SDKs show it.
///
/// Each call opens the database, prepares a statement, runs it and closes the database.
///
/// Messages are stored as JSON, and nothing is tuned.
final class RecipeEngine: SQLiteFileEngine {
    static let name = "database guide"
    static let largestSize = 100_000

    let db: OpaquePointer

    init(at directory: URL) {
        db = peer_sqlite_open(
            directory.appending(path: "guide.db").path, PEER_SQLITE_RECIPE, false)
    }

    func insert(_ items: [Item]) throws -> Call { put(try json(items), isDurable: false) }
    func put(_ item: Item) throws -> Call { put(try json([item]), isDurable: false) }
    func putDurably(_ items: [Item]) throws -> Call? {
        put(RawMessages(items: items), isDurable: true)
    }

    /// Loads all messages in one transaction, so that a large database is ready in seconds.
    ///
    /// The guides do not show this.
    func load(_ items: [Item]) throws -> Bool {
        let raw = try json(items)
        peer_sqlite_load(db, raw.pointer, raw.count)
        return true
    }

    private func json(_ items: [Item]) throws -> RawMessages {
        let encoder = JSONEncoder()
        return try RawMessages(items) { Array(try encoder.encode($0.plain)) }
    }

    private func put(_ raw: RawMessages, isDurable: Bool) -> Call {
        { [db] in
            peer_sqlite_put(db, raw.pointer, raw.count, isDurable)
            return raw.count
        }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let before = time?.milliseconds ?? .max
        return { [db] in
            var messages: [PlainMessage] = []
            _ = withPointer(to: &messages) {
                peer_sqlite_page(db, UInt32(channel + 1), before, limit, readJSON, $0)
            }
            return messages.count
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let id = RawID(id)
        return { [db] in
            var messages: [PlainMessage] = []
            _ = withPointer(to: &messages) {
                peer_sqlite_get(
                    db, UInt32(channel + 1), id.characters, id.characters.count, readJSON, $0)
            }
            return messages.count
        }
    }
}

/// The operations that all variants of SQLite share.
///
/// None of them decodes a message.
protocol SQLiteFileEngine: Engine {
    var db: OpaquePointer { get }
}

extension SQLiteFileEngine {
    func close() { peer_sqlite_close(db) }

    func delete(_ item: Item) -> Call {
        let id = RawID(item.message.messageID!)
        return { [db] in
            peer_sqlite_delete(db, UInt32(item.channel + 1), id.characters, id.characters.count)
                ? 1 : 0
        }
    }

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        let before = time?.milliseconds ?? .max
        return { [db] in peer_sqlite_page(db, UInt32(channel + 1), before, limit, readRaw, nil) }
    }

    func count(in channel: Int) -> Call { { [db] in peer_sqlite_count(db, UInt32(channel + 1)) } }
    func count() -> Call { { [db] in peer_sqlite_count_all(db) } }

    func put(_ channels: [ChannelItem]) -> Call {
        let raw = RawChannels(channels)
        return { [db] in
            peer_sqlite_put_channels(db, raw.pointer, raw.count)
            return raw.count
        }
    }

    func channels(limit: Int?) -> Call {
        { [db] in
            var channels: [GroupChannel] = []
            _ = withPointer(to: &channels) {
                peer_sqlite_channels(db, limit ?? .max, readChannels, $0)
            }
            return channels.count
        }
    }
}
