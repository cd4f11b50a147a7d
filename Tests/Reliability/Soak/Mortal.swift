import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting

/// A world in a process of its own, which is killed and started again, over and over.
@MainActor
final class Mortal {
    struct End {
        var kills = 0
        var promised = 0
        var violations: [String] = []
    }

    private let directory: URL
    private let seed: Int
    private var process: Process?
    private var life = 0
    private var end = End()

    init(in directory: URL, seed: Int) {
        self.directory = directory
        self.seed = seed
    }

    /// What it printed is in a file, so that nobody has to read it while it lives.
    private var promises: URL { directory.deletingLastPathComponent().appending(path: "promises") }

    /// Kills the process, if there is one, and starts the next.
    func dieAndRise() throws {
        try die()
        life += 1
        if life == 1 { try Data().write(to: promises) }
        let output = try FileHandle(forWritingTo: promises)
        try output.seekToEnd()
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["dwell", directory.path, "\(seed)", "\(life)"]
        process.standardOutput = output
        try process.run()
        try output.close()
        self.process = process
    }

    private func die() throws {
        guard let process else { return }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        self.process = nil
        end.kills += 1
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
        else { throw Unexpected("a process ended by itself with \(process.terminationStatus)") }
    }

    /// Kills it for the last time, and checks what it has left.
    func end() async throws -> End {
        try die()
        guard life > 0 else { return end }
        let text = try String(contentsOf: promises, encoding: .utf8)
        let promises = Promises(text)
        end.promised = promises.written.values.reduce(0) { $0 + $1.count }
        let world = try await World(in: directory, life: life + 1)
        (world.promised, world.heard) = (promises.written, promises.heard)
        try world.openDevice()
        let missing = try world.unheard()
        if missing > 0 { end.violations.append("\(missing) stored messages went with a process") }
        _ = try await world.heal()
        end.violations += try await world.violations()
        let lost = try await world.lost()
        if lost > 0 { end.violations.append("\(lost) promised messages went with a process") }
        await world.close()
        return end
    }

    /// Lives until it is killed: messages come and go, and the network too.
    static func dwell(in directory: URL, seed: Int, life: Int) async throws {
        var random = SeededRandom(seed: seed + life * 1_000)
        let world = try await World(in: directory, life: life)
        try world.openDevice()
        try await world.take(.connect)
        while true {
            let isOffline = !world.network.conditions.isOnline
            let steps: [Step] =
                isOffline ? [.write, .write, .say, .goOnline] : [.write, .hear, .land, .goOffline]
            guard let step = steps.randomElement(using: &random) else { continue }
            try await world.take(step) { say($0) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
