import CPeers
import Foundation
import Models

/// LevelDB called from C, with the same rows and options as Scrollback's store.
///
/// A store that is built on LevelDB cannot be faster than this one.
class LevelDBEngine: Engine {
    class var name: String { "LevelDB from C" }
    class var onlyWrites: Bool { false }
    /// True if each message is looked up before it is written, which correct indexes and counters
    /// require.
    var looks: Bool { true }

    private let db: OpaquePointer

    required init(at directory: URL) {
        db = peer_leveldb_open(directory.appending(path: "leveldb").path)
    }

    func close() { peer_leveldb_close(db) }

    func put(_ item: Item) -> Call { insert([item]) }

    func insert(_ items: [Item]) -> Call {
        let raw = RawMessages(items)
        return { [db, looks] in
            peer_leveldb_put(db, raw.pointer, raw.count, looks, false)
            return raw.count
        }
    }

    func putDurably(_ items: [Item]) -> Call? {
        let raw = RawMessages(items: items)
        let url = Array(World.url(items[0].channel).rawValue.utf8CString)
        return { [db] in
            peer_leveldb_put_drafts(db, raw.pointer, raw.count, url, url.count - 1)
            return raw.count
        }
    }

    func delete(_ item: Item) -> Call {
        let id = RawID(item.message.messageID!)
        return { [db] in
            peer_leveldb_delete(db, UInt32(item.channel + 1), id.characters, id.characters.count)
                ? 1 : 0
        }
    }

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        let before = time?.milliseconds ?? .max
        return { [db] in
            peer_leveldb_page(db, UInt32(channel + 1), before, limit, readRaw, nil)
        }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let before = time?.milliseconds ?? .max
        return { [db] in
            var messages: [Message] = []
            messages.reserveForPage(limit)
            _ = withPointer(to: &messages) {
                peer_leveldb_page(
                    db, UInt32(channel + 1), before, limit, readMessages, $0)
            }
            return messages.count
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let id = RawID(id)
        return { [db] in
            peer_leveldb_get(
                db, UInt32(channel + 1), id.characters, id.characters.count, readEachMessage, nil)
                ? 1 : 0
        }
    }

    func count(in channel: Int) -> Call {
        { [db] in peer_leveldb_count(db, UInt32(channel + 1)) }
    }
    func count() -> Call { { [db] in peer_leveldb_count_all(db) } }

    func put(_ channels: [ChannelItem]) -> Call {
        let raw = RawChannels(channels)
        return { [db] in
            peer_leveldb_put_channels(db, raw.pointer, raw.count)
            return raw.count
        }
    }

    func channels(limit: Int?) -> Call {
        { [db] in
            var channels: [GroupChannel] = []
            _ = withPointer(to: &channels) {
                peer_leveldb_channels(db, limit ?? .max, readChannels, $0)
            }
            return channels.count
        }
    }

    /// Returns all rows of some tables.
    ///
    /// Each key is followed by its value.
    func rows(of tables: [UInt8]) -> [[UInt8]] {
        struct Rows {
            let tables: [UInt8]
            var rows: [[UInt8]] = []
        }
        var rows = Rows(tables: tables)
        withPointer(to: &rows) {
            peer_leveldb_rows(
                db,
                { context, key, keySize, value, valueSize in
                    let rows = context!.assumingMemoryBound(to: Rows.self)
                    let key = UnsafeRawBufferPointer(start: key, count: keySize)
                    let value = UnsafeRawBufferPointer(start: value, count: valueSize)
                    if rows.pointee.tables.contains(key[0]) {
                        rows.pointee.rows += [Array(key), Array(value)]
                    }
                }, $0)
        }
        return rows.rows
    }
}

/// LevelDB called from C, without looking up messages before they are written.
///
/// The indexes and counters are correct only if all messages are new.
final class BlindLevelDBEngine: LevelDBEngine {
    override class var name: String { "LevelDB from C, blind" }
    override class var onlyWrites: Bool { true }
    override var looks: Bool { false }
}
