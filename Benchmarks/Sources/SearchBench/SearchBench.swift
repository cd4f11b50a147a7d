import ArgumentParser
import CPeers
import Collections
import EmbeddedServer
import Foundation
import Measuring
import Models
import Store
import Sync

/// A database with an index of FTS5.
struct Peer {
    let name: String
    let database: OpaquePointer
    /// The kinds of queries that are measured with it.
    let kinds: [Kind]
}

@main
struct SearchBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-search",
        abstract: "Compares searches in a store with those of SQLite's FTS5.")

    @Argument(help: "A file of JSON lines: message, sender, channel_url, created_at.")
    var corpus: String

    @Option(help: "Generate this number of messages from the texts of the corpus.")
    var generate: Int?

    @Option(help: "The number of different queries of each kind.")
    var queries = 300

    @Option(help: "The number of times that each query is measured.")
    var passes = 3

    @Option(help: "The directory of the databases.")
    var directory = FileManager.default.temporaryDirectory.path

    private static let pageSize = 20
    private static let batchSize = 100

    @MainActor
    func run() async throws {
        var lines = try Line.read(from: URL(filePath: corpus))
        if let generate { lines = Line.generate(generate, from: lines) }
        let queries = Queries(lines, count: queries)
        let directory = URL(filePath: directory).appending(path: "bench-search-\(getpid())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        print("Measured on \(Date.today): \(Machine()), load \(SearchBench.load).\n")
        print("\(lines.count) messages in batches of \(SearchBench.batchSize):\n")
        print("| | rate | processor time | index | memory above idle |\n|---|--:|--:|--:|--:|")
        let plain = directory.appending(path: "plain")
        try ingest(lines, isIndexed: false, at: plain).close()
        let store = try ingest(lines, isIndexed: true, at: directory.appending(path: "indexed"))
        let none = ingest(lines, PEER_NO_INDEX, at: directory)
        peer_fts_close(none)
        let column = ingest(lines, PEER_DETAIL_COLUMN, at: directory)
        let full = ingest(lines, PEER_DETAIL_FULL, at: directory)
        let prefixes = ingest(lines, PEER_WITH_PREFIXES, at: directory)
        try indexLater(lines.count, at: plain)
        print(
            "\nThe newest \(SearchBench.pageSize) results, \(self.queries) queries of each kind:\n")
        let peers = [
            Peer(
                name: "`detail=column`", database: column,
                kinds: Kind.allCases.filter { $0 != .phrase }),
            Peer(name: "`detail=full`", database: full, kinds: Kind.allCases),
            Peer(name: "`detail=full, prefix='3'`", database: prefixes, kinds: [.prefix]),
        ]
        try compare(queries, limit: SearchBench.pageSize, store, peers)
        let fewer = max(1, self.queries / 10)
        print("\nThe number of all results, \(fewer) queries of each kind:\n")
        try compare(queries.prefix(fewer), limit: nil, store, peers)
        print("\nA page of a `MessageSearch`, of the same queries, on the main thread:\n")
        try await keystrokes(queries, store)
        store.close()
        for peer in peers { peer_fts_close(peer.database) }
        print("\nload at the end \(SearchBench.load)")
    }

    private static var load: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.map(String.init) ?? "unknown"
    }
}

// MARK: Writing

extension SearchBench {
    private func batches(_ lines: [Line]) -> [ArraySlice<Line>] {
        stride(from: 0, to: lines.count, by: SearchBench.batchSize).map {
            lines[$0..<min($0 + SearchBench.batchSize, lines.count)]
        }
    }

    private func report(
        _ name: String, _ count: Int, _ seconds: Double, _ processor: Double, index: Int?,
        memory: Double
    ) {
        let count = Double(count)
        print(
            "| \(name) | \((count / seconds).brief) messages/s "
                + "| \((processor * 1e6 / count).brief) µs per message "
                + "| \(index.map { "\((Double($0) / count).brief) bytes per message" } ?? "") "
                + "| \(memory.brief) MB |")
    }

    private func ingest(_ lines: [Line], isIndexed: Bool, at place: URL) throws -> ChatStore {
        var options = StoreOptions()
        options.isSearchIndexed = isIndexed
        let store = try ChatStore(at: place, options: options)
        let memory = MemoryWatch()
        var (seconds, processor) = (0.0, 0.0)
        for batch in batches(lines) {
            let messages = batch.map(\.message)
            let gauge = Gauge()
            try store.write { rows in
                for message in messages { try rows.save(message) }
            }
            seconds += gauge.seconds
            processor += gauge.processorSeconds
        }
        let status = try store.searchIndexStatus()
        report(
            isIndexed ? "Scrollback with the index" : "Scrollback without it", lines.count, seconds,
            processor, index: status?.byteCount, memory: memory.end())
        if let status {
            print(
                "| …, at the end: \(status.segmentCount) segments, "
                    + "\(status.unsegmentedCount) unsegmented | | | | |")
        }
        return store
    }

    private func ingest(
        _ lines: [Line], _ detail: peer_fts_detail, at directory: URL
    ) -> OpaquePointer {
        let path = directory.appending(path: "fts-\(detail.rawValue).db").path
        let fts = peer_fts_open(path, detail)
        let memory = MemoryWatch()
        var (seconds, processor) = (0.0, 0.0)
        for batch in batches(lines) {
            PeerTexts(batch).withRows { rows in
                let gauge = Gauge()
                peer_fts_put(fts, rows.baseAddress!, rows.count)
                seconds += gauge.seconds
                processor += gauge.processorSeconds
            }
        }
        let name =
            switch detail {
            case PEER_NO_INDEX: "SQLite without an index"
            case PEER_DETAIL_COLUMN: "FTS5, `detail=column`"
            case PEER_WITH_PREFIXES: "FTS5, `detail=full, prefix='3'`"
            default: "FTS5, `detail=full`"
            }
        report(
            name, lines.count, seconds, processor,
            index: detail == PEER_NO_INDEX ? nil : Int(peer_fts_index_size(fts)),
            memory: memory.end())
        return fts
    }

    /// Measures indexing messages that were stored without an index.
    private func indexLater(_ count: Int, at place: URL) throws {
        var options = StoreOptions()
        options.isSearchIndexed = true
        let store = try ChatStore(at: place, options: options)
        // Fill LevelDB's caches, so that the store is like that of an app in use.
        _ = try store.searchMessages(MessageSearchParams("no such words"), limit: 1)
        let memory = MemoryWatch()
        let gauge = Gauge()
        var slowest = 0.0
        var isMore = true
        while isMore {
            let call = Gauge()
            isMore = try store.indexMessages()
            slowest = max(slowest, call.seconds)
        }
        report(
            "Scrollback, indexing stored messages", count, gauge.seconds, gauge.processorSeconds,
            index: try store.searchIndexStatus()?.byteCount, memory: memory.end())
        print(
            "| …, the slowest call, during which writers wait: \((slowest * 1e3).brief) ms | | | | |"
        )
        store.close()
    }
}

// MARK: Searching

extension SearchBench {
    /// Measures searches for the newest `limit` results; for `nil`, for the number of all results.
    ///
    /// Scrollback and its peers take turns, in varying order.
    private func compare(
        _ queries: Queries, limit: Int?, _ store: ChatStore, _ peers: [Peer]
    ) throws {
        print(
            "| | | median | p99 | p99, disturbed | as many results as Scrollback |\n"
                + "|---|---|--:|--:|--:|--:|")
        for kind in Kind.allCases {
            let peers = peers.filter { $0.kinds.contains(kind) }
            var times = Array(repeating: Times(), count: 1 + peers.count)
            var counts = Array(repeating: [Int](), count: 1 + peers.count)
            for pass in 0..<passes {
                for index in times.indices { times[index].beginPass() }
                for (number, query) in queries[kind].enumerated() {
                    for turn in times.indices {
                        let index = (turn + number + pass) % times.count
                        try times[index].measure {
                            let count =
                                index == 0
                                ? try newest(query, in: store, limit: limit ?? .max).count
                                : resultCount(of: query, in: peers[index - 1], limit: limit)
                            if pass == 0 { counts[index].append(count) }
                        }
                    }
                }
            }
            for (index, name) in (["Scrollback"] + peers.map(\.name)).enumerated() {
                let same = zip(counts[0], counts[index]).count { $0 == $1 }
                print(
                    "| \(kind.rawValue) | \(name) | "
                        + times[index].columns.joined(separator: " | ")
                        + " | \(index == 0 ? "" : "\(same) of \(counts[0].count)") |")
            }
        }
    }

    /// Returns the newest results, which an app merges if the query is a union.
    private func newest(
        _ query: Query, in store: ChatStore, limit: Int
    ) throws(StoreError) -> [FoundMessage] {
        var found: [FoundMessage] = []
        for text in query.texts {
            found += try store.searchMessages(MessageSearchParams(text), limit: limit)
        }
        guard query.texts.count > 1 else { return found }
        var union: [FoundMessage] = []
        for result in found.sorted(by: { $0.cursor < $1.cursor })
        where result.cursor != union.last?.cursor && union.count < limit {
            union.append(result)
        }
        return union
    }

    /// Reads the texts of the newest `limit` results, and returns their number.
    ///
    /// For `nil`, returns the number of all results, and reads no texts.
    private func resultCount(
        of query: Query, in peer: Peer, limit: Int?
    ) -> Int {
        guard let limit else { return Int(peer_fts_count(peer.database, query.fts)) }
        return peer_fts_search(
            peer.database, query.fts, limit,
            { _, bytes, size in
                let text = UnsafeRawBufferPointer(start: bytes, count: size)
                keep(String(decoding: text, as: UTF8.self))
            }, nil)
    }

    /// Measures the processor time of the main thread while every keystroke starts a search.
    ///
    /// The main thread does nothing else. Therefore the main actor is blocked for at most this
    /// time.
    @MainActor
    private func keystrokes(_ queries: Queries, _ store: ChatStore) async throws {
        let engine = SyncEngine(store: store, backend: try EmbeddedServer.inMemory().client())
        var last: MessageSearch?
        print("| | median | p99 | most |\n|---|--:|--:|--:|")
        for kind in Kind.allCases where kind != .union {
            var times: [Double] = []
            for query in queries[kind] {
                let start = peer_thread_time()
                last?.dispose()
                let search = MessageSearch(MessageSearchParams(query.texts[0]), engine: engine)
                _ = try await search.loadMore()
                times.append(Double(peer_thread_time() - start) / 1e6)
                last = search
            }
            times.sort()
            let columns = [times.percentile(50), times.percentile(99), times[times.count - 1]]
            print(
                "| \(kind.rawValue) | " + columns.map { "\($0.brief) ms" }.joined(separator: " | ")
                    + " |")
        }
        last?.dispose()
        await engine.close()
    }
}
