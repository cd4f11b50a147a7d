import ArgumentParser
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

@main
struct SyncBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-sync",
        abstract: "Measures the engine and the collections, on an embedded server and a disk.")

    @Flag(help: "Measure a tenth of everything, to see that it runs.")
    var quick = false

    @Option(help: "Measure only what has this text in its name.")
    var filter: String?

    @Option(help: .hidden)
    var probe: String?

    @Option(help: .hidden)
    var directory: String?

    @Flag(help: .hidden)
    var encrypted = false

    @Option(help: .hidden)
    var count = 0

    @Option(help: .hidden)
    var started = 0

    func run() async throws {
        if let probe = probe.flatMap(ProcessProbe.init), let directory {
            let work = ProbeWork(
                directory: URL(filePath: directory), isEncrypted: encrypted, count: count,
                startedAt: started)
            return try await probe.run(work)
        }
        let scale = quick ? 10 : 1
        let cases: [(String, (URL) async throws -> [Row])] = [
            ("encryption", { try encryption(of: 200_000 / scale, in: $0) }),
            ("pages", { try await pages(of: 100_000 / scale, in: $0) }),
            ("feed", { try await feed(of: 100_000 / scale, in: $0) }),
            ("live", { try await live(2_000 / scale, in: $0) }),
            ("outbox, sends", { try await sends(2_000 / scale, in: $0) }),
            ("outbox, shown", { try await shownSends(2_000 / scale, in: $0) }),
            ("outbox, queue", { try await queue(of: 100_000 / scale, in: $0) }),
            ("catch-up", { try await catchUp(with: 10_000 / scale, in: $0) }),
            ("reconnect", { try await reconnect(channels: 50 / scale, missed: 200, in: $0) }),
            ("growth", { try await growth(upTo: 1_000_000 / scale, in: $0) }),
            ("cold start", { try await coldStart(100_000 / scale, 10_000 / scale, in: $0) }),
            ("processes", { try await ProcessProbe.rows(of: 100_000 / scale, in: $0) }),
            ("delegate", { try await delegate(2_000 / scale, in: $0) }),
            ("paging back", { try await pagingBack(249, in: $0) }),
            ("fold", { try await fold(2_000 / scale, in: $0) }),
        ]
        print("| what | how many | figure |\n|---|--:|--:|")
        for (name, body) in cases where filter.map(name.contains) ?? true {
            let directory = FileManager.default.temporaryDirectory
                .appending(path: "bench-sync-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            for row in try await body(directory) { print(row) }
        }
    }
}

/// A row of the table.
struct Row: CustomStringConvertible {
    let what: String
    let count: Int
    let figure: String

    var description: String { "| \(what) | \(count) | \(figure) |" }
}

/// Returns rows with the median and the 99th percentile of durations.
func rows(_ what: String, _ times: [Duration]) -> [Row] {
    let (count, sorted) = (times.count, times.sorted())
    return [
        Row(what: "\(what), median", count: count, figure: sorted[count / 2].short),
        Row(what: "…, p99", count: count, figure: sorted[count * 99 / 100].short),
    ]
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration with three digits in a suitable unit.
    var short: String {
        switch seconds {
        case 1...: String(format: "%.2f s", seconds)
        case 1e-3...: String(format: "%.2f ms", seconds * 1e3)
        default: String(format: "%.1f µs", seconds * 1e6)
        }
    }
}
