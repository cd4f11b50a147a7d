import CPeers
import Foundation
import Models

/// LMDB called from C: the limit for reads.
///
/// Its writes are not compared. With its default settings, each of them waits for the disk.
final class LMDBEngine: Engine {
    static let name = "LMDB from C"
    static let onlyReads = true

    private let db: OpaquePointer

    init(at directory: URL) {
        db = peer_lmdb_open(directory.appending(path: "lmdb.db").path, !isColdProbe)
    }

    func close() { peer_lmdb_close(db) }

    func insert(_ items: [Item]) -> Call {
        let raw = RawMessages(items)
        return { [db] in
            peer_lmdb_insert(db, raw.pointer, raw.count)
            return raw.count
        }
    }

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        let before = time?.milliseconds ?? .max
        return { [db] in peer_lmdb_page(db, UInt32(channel + 1), before, limit, readRaw, nil) }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let before = time?.milliseconds ?? .max
        return { [db] in
            var messages: [Message] = []
            messages.reserveForPage(limit)
            _ = withPointer(to: &messages) {
                peer_lmdb_page(db, UInt32(channel + 1), before, limit, readMessages, $0)
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
                _ = peer_lmdb_page(db, number, time, limit, readMessages, $0)
                _ = peer_lmdb_page_from(db, number, time, limit, readMessages, $0)
            }
            return messages.count
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let id = RawID(id)
        return { [db] in
            peer_lmdb_get(
                db, UInt32(channel + 1), id.characters, id.characters.count, readEachMessage, nil)
                ? 1 : 0
        }
    }

    func count(in channel: Int) -> Call { { [db] in peer_lmdb_count(db, UInt32(channel + 1)) } }

    func count() -> Call {
        { [db] in
            (0..<World.channelCount).reduce(0) { $0 + peer_lmdb_count(db, UInt32($1 + 1)) }
        }
    }

    func put(_ item: Item) -> Call { unmeasured() }
    func putDurably(_ items: [Item]) -> Call? { unmeasured() }
    func delete(_ item: Item) -> Call { unmeasured() }
    func put(_ channels: [ChannelItem]) -> Call { unmeasured() }
    func channels(limit: Int?) -> Call { unmeasured() }

    private func unmeasured() -> Never { fatalError("Only reads are measured.") }
}
