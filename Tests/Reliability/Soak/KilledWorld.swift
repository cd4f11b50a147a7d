import EmbeddedServer
import Foundation
import ScrollbackTesting

/// A world in a separate process that is repeatedly killed and restarted.
@MainActor
final class KilledWorld {
    struct Outcome {
        var kills = 0
        var promised = 0
        var violations: [String] = []
    }

    private let directory: URL
    private let seed: Int
    private var process: ChildProcess?
    /// The number of processes that have opened the world.
    private var count = 0

    init(in directory: URL, seed: Int) {
        self.directory = directory
        self.seed = seed
    }

    /// Kills the current process, if any, and starts the next one.
    func restart() throws {
        try kill()
        count += 1
        process = try ChildProcess("world", in: directory, "\(seed)", "\(count)")
    }

    func kill() throws {
        try process?.kill()
        process = nil
    }

    /// Checks the files that the last process has left.
    func end() async throws -> Outcome {
        var outcome = Outcome()
        guard count > 0 else { return outcome }
        let promises = try Promises(in: directory)
        outcome.kills = count
        outcome.promised = promises.count
        let world = try await World(in: directory, process: count + 1)
        (world.promised, world.heard) = (promises.written, promises.heard)
        try world.openDevice()
        let missing = try world.unheard()
        if missing > 0 {
            outcome.violations.append("\(missing) stored messages went with a process")
        }
        _ = try await world.heal()
        outcome.violations += try await world.violations()
        let lost = try await world.lost()
        if lost > 0 { outcome.violations.append("\(lost) promised messages went with a process") }
        await world.close()
        return outcome
    }

    /// Runs in the process: sends and receives messages while the network changes, until the
    /// process is killed.
    static func run(in directory: URL, seed: Int, process number: Int) async throws {
        var random = SeededRandom(seed: seed + number * 1_000)
        let world = try await World(in: directory, process: number)
        try world.openDevice()
        try await world.perform(.connect)
        while true {
            let isOffline = !world.network.conditions.isOnline
            let steps: [Step] =
                isOffline
                ? [.write, .write, .say, .goOnline]
                : [.write, .receive, .waitUntilSent, .goOffline]
            guard let step = steps.randomElement(using: &random) else { continue }
            try await world.perform(step) { say($0) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
