import Foundation
import Models
import ScrollbackTestSupport
import Store
import Testing

/// Runs the engine in random worlds, and compares its cache with a separate record of the server's
/// history.
///
/// A failing run is shortened for as long as it violates the same rule, and is written to a file.
///
/// - `SCROLLBACK_TRACE=file` runs that file again and prints each event.
/// - `SCROLLBACK_DISK=1` uses a disk.
/// - `SCROLLBACK_RUNS` is the number of runs, and `SCROLLBACK_FIRST` is the seed of the first one.
@Suite struct ModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runCount = number("SCROLLBACK_RUNS") ?? 500
    private static let first = number("SCROLLBACK_FIRST") ?? 0

    private static func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }

    /// The tests that run in parallel, each of which executes a share of the runs.
    private static let parts = 0..<20

    @Test(.enabled(if: environment["SCROLLBACK_TRACE"] == nil), arguments: parts)
    func cacheContainsOnlyTheServersData(part: Int) async throws {
        for index in 0..<max(1, Self.runCount / Self.parts.count) {
            let seed = Self.first + index * Self.parts.count + part
            let run = ModelRun(trace: Trace(seed: seed))
            if let violation = await run.violation() {
                return try await report(violation, run)
            }
        }
    }

    @Test(.enabled(if: environment["SCROLLBACK_TRACE"] == nil), arguments: parts)
    func endingTheProcessAfterAnyCommitLosesNothing(part: Int) async throws {
        for index in 0..<max(1, Self.runCount / 20 / Self.parts.count) {
            let seed = Self.first + 1_000_000 + index * Self.parts.count + part
            // The first run is finished again from every commit, the others from eight commits.
            let cutCount = index == 0 ? Int.max : 8
            let run = ModelRun(trace: Trace(seed: seed, length: 60), cutCount: cutCount)
            if let violation = await run.violation() {
                return try await report(violation, run)
            }
        }
    }

    @Test(.enabled(if: environment["SCROLLBACK_TRACE"] == nil), arguments: parts)
    func diskAndPowerFailuresLoseNothing(part: Int) async throws {
        for index in 0..<max(1, Self.runCount / 20 / Self.parts.count) {
            let seed = Self.first + 2_000_000 + index * Self.parts.count + part
            let run = ModelRun(trace: Trace(seed: seed, length: 150), isOnDisk: true)
            if let violation = await run.violation() {
                return try await report(violation, run)
            }
        }
    }

    @Test(arguments: KnownTrace.all) func knownTraceBreaksNoRule(known: KnownTrace) async throws {
        let run = ModelRun(trace: known.trace, cutCount: .max, isOnDisk: known.isOnDisk)
        #expect(await run.violation() == nil)
    }

    @Test func equalSeedsGiveEqualRuns() async throws {
        let trace = Trace(seed: 7)
        #expect(trace == Trace(seed: 7))
        #expect(try Trace(lines: trace.lines) == trace)
        // The order of a set or dictionary differs in each instance, so a decision that depends on
        // it differs in most of these pairs of runs.
        for seed in 0..<20 {
            let trace = Trace(seed: seed)
            #expect(try await log(of: trace) == log(of: trace), "seed \(seed)")
        }
    }

    #if os(Linux)
        /// The hash values of sets and dictionaries differ between processes.
        @Test func equalSeedsGiveEqualRunsInAnotherProcess() async throws {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [
                "--testing-library", "swift-testing", "--filter", "digestIsPrinted",
            ]
            process.environment = Self.environment.merging(["SCROLLBACK_DIGEST": "1"]) { $1 }
            process.standardOutput = output
            process.standardError = Pipe()
            try process.run()
            let watchdog = Watchdog(process)
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            watchdog.cancel()
            #expect(text.contains("digest \(try await digest()),"))
        }
    #endif

    /// Prints what ``equalSeedsGiveEqualRunsInAnotherProcess()`` compares.
    @Test(.enabled(if: environment["SCROLLBACK_DIGEST"] != nil)) func digestIsPrinted() async throws
    {
        print("digest \(try await digest()),")
    }

    /// Returns a number that depends on each byte of the logs of some runs (FNV-1a).
    private func digest() async throws -> UInt64 {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for seed in 0..<10 {
            for byte in try await log(of: Trace(seed: seed)).joined(separator: "\n").utf8 {
                digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return digest
    }

    /// Returns all steps, actions and cached histories of a run, and the rows at its end.
    private func log(of trace: Trace) async throws -> [String] {
        var lines: [String] = []
        let outcome = try await ModelRun(trace: trace) { lines.append($0) }.run()
        // The descriptions of answers contain dictionaries, which have no order.
        lines.removeAll { $0.contains("the server: ") || $0.contains("reply(") }
        return lines + outcome.rows.map { "\($0.key) \($0.value)" }
    }

    @Test(.enabled(if: environment["SCROLLBACK_TRACE"] != nil))
    func storedTraceCanBeReplayed() async throws {
        guard let path = Self.environment["SCROLLBACK_TRACE"] else { return }
        let trace = try Trace(lines: String(contentsOfFile: path, encoding: .utf8))
        let isOnDisk = Self.environment["SCROLLBACK_DISK"] != nil
        var run = ModelRun(trace: trace, cutCount: 1000, isOnDisk: isOnDisk) { print($0) }
        guard let violation = await run.violation() else { return }
        run.log = nil
        try await report(violation, run)
    }

    private static let wasShrunk = Locked(false)

    private func report(_ violation: Violation, _ run: ModelRun) async throws {
        // Shortening takes time, and other failures are likely to have the same cause.
        let isFirst = Self.wasShrunk.withLock { wasShrunk in
            defer { wasShrunk = true }
            return !wasShrunk
        }
        guard isFirst, Self.environment["SCROLLBACK_SHRINK"] != "0" else {
            Issue.record("seed \(run.trace.seed): \(violation)\n\(try run.trace.keep())")
            return
        }
        let shorter = await run.shrunk(violation.rule)
        let last = await shorter.violation() ?? violation
        let file = try shorter.trace.keep()
        Issue.record("seed \(run.trace.seed): \(last)\n\(file)\n\(await shorter.story())")
    }
}
