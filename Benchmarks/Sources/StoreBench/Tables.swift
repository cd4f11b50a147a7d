import ArgumentParser
import Foundation
import Measuring

/// Measures a table of the app's own.
struct Tables: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a table of values of 200 bytes under integer keys.")

    @Option(help: "How many values: 100000,1000000 or some of them.")
    var sizes = "100000,1000000"

    /// The operations, each with how often it is repeated in a round.
    private enum Row: String, CaseIterable {
        case putMany = "put 100 new values"
        case put = "put one value again"
        case putDurably = "put one value durably"
        case get = "get"
        case range = "range of 30"
        case scan = "scan of all, per value"

        var repeats: Int {
            switch self {
            case .putMany: 20
            case .put: 200
            case .putDurably: 20
            case .get, .range: 500
            case .scan: 1
            }
        }
    }

    func run() throws {
        print("\(Machine()), values of 200 bytes, medians in µs\n")
        for size in sizes.split(separator: ",").compactMap({ Int($0) }) { try measure(size) }
    }

    private func measure(_ size: Int) throws {
        let place = FileManager.default.temporaryDirectory
            .appending(path: "bench-tables-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let engines = try tableEngineTypes.map { type in
            let directory = place.appending(path: type.name.filter(\.isLetter))
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            return try type.init(at: directory)
        }
        for engine in engines {
            // Larger transactions, because LMDB waits for the disk after each.
            for start in stride(from: 0, to: size, by: 10_000) {
                try engine.put((start..<start + 10_000).map { ($0, bytes(of: $0)) })
            }
        }
        print("| \(size) values | \(engines.map { type(of: $0).name }.joined(separator: " | ")) |")
        print("|---|\(engines.map { _ in "--:|" }.joined())")
        var new = size
        for row in Row.allCases {
            let rounds = row == .scan ? 5 : 9
            var times = [[Double]](repeating: [], count: engines.count)
            for round in 0..<rounds {
                for index in Dice.turns(engines.count, round: round) {
                    let engine = engines[index]
                    if !type(of: engine).writes, [.putMany, .put, .putDurably].contains(row) {
                        continue
                    }
                    // All engines perform the same calls.
                    var dice = Dice(round)
                    for _ in 0..<row.repeats {
                        times[index].append(
                            try time(row, engine, size, dice.roll(below: size), new))
                        if row == .putMany { new += 100 }
                    }
                }
            }
            let cells = times.map { times in
                times.isEmpty ? "" : String(format: "%.3g", times.sorted()[times.count / 2])
            }
            print("| \(row.rawValue) | \(cells.joined(separator: " | ")) |")
        }
        print()
        for engine in engines { try engine.close() }
    }

    private func bytes(of key: Int) -> Data {
        Data((0..<200).map { UInt8(truncatingIfNeeded: key &* 31 &+ $0 &* 7) })
    }

    /// Returns the time of a call in microseconds.
    private func time(
        _ row: Row, _ engine: any TableEngine, _ size: Int, _ key: Int, _ new: Int
    ) throws -> Double {
        let values = row == .putMany ? (new..<new + 100).map { ($0, bytes(of: $0)) } : []
        let value = bytes(of: key + 1)
        var count = 1
        let start = ContinuousClock.now
        switch row {
        case .putMany: try engine.put(values)
        case .put: try engine.put([(key, value)])
        case .putDurably: try engine.putDurably(key, value)
        case .get: keep(try engine.get(key)?.count)
        case .range: keep(try engine.range(from: min(key, size - 30), limit: 30).count)
        case .scan:
            count = 0
            while count < size {
                count += try engine.range(from: count, limit: min(1000, size - count)).count
            }
        }
        return start.duration(to: .now).nanoseconds / 1000 / Double(count)
    }
}
