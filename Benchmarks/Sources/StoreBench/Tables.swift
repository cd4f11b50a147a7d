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

        /// The number of values that a call writes or reads.
        func count(_ size: Int) -> Int {
            switch self {
            case .putMany: 100
            case .put, .putDurably, .get: 1
            case .range: 30
            case .scan: size
            }
        }
    }

    func run() throws {
        print("\(Machine()), values of 200 bytes, medians in µs.")
        print("LMDB waits for the disk only in durable writes (MDB_NOSYNC).\n")
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
            for start in stride(from: 0, to: size, by: 10_000) {
                try engine.fill((start..<start + 10_000).map { ($0, bytes(of: $0)) })
            }
        }
        print("| \(size) values | \(engines.map { type(of: $0).name }.joined(separator: " | ")) |")
        print("|---|\(engines.map { _ in "--:|" }.joined())")
        for row in Row.allCases {
            let cells = try times(row, size, engines).map { times in
                String(format: "%.3g", times.sorted()[times.count / 2])
            }
            print("| \(row.rawValue) | \(cells.joined(separator: " | ")) |")
        }
        print()
        for engine in engines { try engine.close() }
    }

    /// Returns the times of the calls of each engine in microseconds.
    private func times(
        _ row: Row, _ size: Int, _ engines: [any TableEngine]
    ) throws -> [[Double]] {
        var times = [[Double]](repeating: [], count: engines.count)
        for round in 0..<(row == .scan ? 5 : 9) {
            for index in Dice.turns(engines.count, round: round) {
                // All engines perform the same calls.
                var dice = Dice(round)
                let calls = try (0..<row.repeats).map { number in
                    try call(
                        row, engines[index], size, key: dice.roll(below: size),
                        new: size + (round * row.repeats + number) * 100)
                }
                for call in calls {
                    let start = ContinuousClock.now
                    let count = try call()
                    let time = start.duration(to: .now).nanoseconds / 1000
                    precondition(count == row.count(size), "\(row.rawValue) missed values.")
                    times[index].append(row == .scan ? time / Double(size) : time)
                }
            }
        }
        return times
    }

    private func bytes(of key: Int) -> Data {
        Data((0..<200).map { UInt8(truncatingIfNeeded: key &* 31 &+ $0 &* 7) })
    }

    /// Prepares a call with a stored key, or with new keys from `new` on.
    private func call(
        _ row: Row, _ engine: any TableEngine, _ size: Int, key: Int, new: Int
    ) throws -> Call {
        switch row {
        case .putMany:
            return try engine.put(
                (new..<new + 100).map { ($0, bytes(of: $0)) }, isDurable: false)
        case .put, .putDurably:
            return try engine.put([(key, bytes(of: key + 1))], isDurable: row == .putDurably)
        case .get: return engine.get(key)
        case .range: return engine.range(from: min(key, size - 30), limit: 30)
        case .scan:
            let pages = stride(from: 0, to: size, by: 1000).map {
                engine.range(from: $0, limit: 1000)
            }
            return { try pages.reduce(0) { $0 + (try $1()) } }
        }
    }
}
