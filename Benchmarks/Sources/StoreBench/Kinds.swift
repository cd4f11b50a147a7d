import ArgumentParser
import CPeers
import Foundation
import Measuring
import Models
@_spi(Measuring) import Store

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
        let store = try filledStore(at: place.appending(path: "scrollback"))
        let db = filledDatabase(at: place.appending(path: "links.db").path)
        let times = try measure([{ try page($0, of: store) }, { page($0, of: db) }])
        print("Measured on \(Date.today): \(Machine()).\n")
        print("\(count) messages in \(Self.channelCount) channels, 5 percent with a link:\n")
        print("| | median of a first page of \(Self.pageSize) | p99 | index rows, per link |")
        print("|---|--:|--:|--:|")
        report("Scrollback", times[0], indexBytes: try indexBytes(of: store))
        report(
            "SQLite from C, with a partial index", times[1],
            indexBytes: Int(peer_sqlite_links_index_size(db)))
        store.close()
        peer_sqlite_links_close(db)
    }

    private func url(_ number: Int) -> ChannelURL { ChannelURL("channel-\(number)") }

    private func message(_ number: Int) -> Message {
        let isLink = (number / Self.channelCount).isMultiple(of: Self.step)
        let address = isLink ? "https://example.com/\(number)" : "httpsx//example.com/\(number)"
        return Message(
            id: MessageID("\(7_000_000_000 + number)"),
            channelURL: url(number % Self.channelCount),
            sender: Sender(id: "alice", nickname: "Alice"),
            text: "What do you think about \(address) and the rest?",
            createdAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1_000))
    }

    private func report(_ name: String, _ times: [Double], indexBytes: Int) {
        let sorted = times.sorted()
        let p99 = sorted[sorted.count * 99 / 100]
        let links = Double(max(1, count / Self.step))
        print(
            "| \(name) | \(sorted[sorted.count / 2].brief) µs | \(p99.brief) µs "
                + "| \((Double(indexBytes) / links).brief) bytes |")
    }

    /// Returns the times of the pages in microseconds.
    ///
    /// The stores take turns, as in ``Runner``.
    private func measure(_ pages: [(Int) throws -> Int]) throws -> [[Double]] {
        var times = [[Double]](repeating: [], count: pages.count)
        let rounds = 10
        for round in 0..<rounds {
            for index in Dice.turns(pages.count, round: round) {
                // The first page is not timed: after the other store's pages, it includes the cost
                // of cache misses.
                _ = try pages[index](0)
                for pass in 0..<max(1, passes / rounds) {
                    let start = ContinuousClock.now
                    let found = try pages[index](pass % Self.channelCount)
                    times[index].append(start.duration(to: .now).nanoseconds / 1000)
                    guard found == Self.pageSize || count < Self.pageSize * 200 else {
                        throw ValidationError("A page has \(found) messages.")
                    }
                }
            }
        }
        return times
    }

    private func forEachBatch(_ body: (Range<Int>) throws -> Void) rethrows {
        for start in stride(from: 0, to: count, by: 1_000) {
            try body(start..<min(start + 1_000, count))
        }
    }

    // MARK: Scrollback

    private func filledStore(at place: URL) throws -> ChatStore {
        let store = try ChatStore(at: place)
        try forEachBatch { numbers in
            try store.write { batch in
                for number in numbers { try batch.save(message(number)) }
            }
        }
        store.close()
        // Opening writes the log's rows to tables.
        return try ChatStore(at: place)
    }

    private func page(_ channel: Int, of store: ChatStore) throws -> Int {
        try store.messages(of: .link, in: url(channel), limit: Self.pageSize).count
    }

    /// Returns the total size of the keys and values of the index, before LevelDB compresses the
    /// common beginnings of keys.
    private func indexBytes(of store: ChatStore) throws -> Int {
        var bytes = 0
        try store.forEachRow { key, value in
            if key.first == UInt8(ascii: "h") { bytes += key.count + value.count }
        }
        return bytes
    }

    // MARK: SQLite

    private func filledDatabase(at path: String) -> OpaquePointer {
        let db = peer_sqlite_links_open(path)
        forEachBatch { numbers in
            peer_sqlite_links_begin(db)
            for number in numbers {
                let message = message(number)
                let id = RawID(message.messageID!).characters
                message.serializedBytes.withUnsafeBytes {
                    peer_sqlite_links_put(
                        db, Int64(number % Self.channelCount), message.createdAt.milliseconds, id,
                        id.count, Int64(message.kinds.rawValue), $0.baseAddress!, $0.count)
                }
            }
            peer_sqlite_links_commit(db)
        }
        peer_sqlite_links_close(db)
        return peer_sqlite_links_open(path)
    }

    private func page(_ channel: Int, of db: OpaquePointer) -> Int {
        var messages: [Message] = []
        messages.reserveForPage(Self.pageSize)
        return withPointer(to: &messages) {
            peer_sqlite_links_page(db, Int64(channel), Self.pageSize, readMessages, $0)
        }
    }
}
