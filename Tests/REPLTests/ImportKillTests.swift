import Foundation
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

/// Kills a program repeatedly while it imports and sends.
///
/// After each kill, every range that a device considers known must be complete. Ordinary runs kill
/// the program 10 times, nightly runs 200 times.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ImportKillTests {
    private static let killsOfOneHome = 10

    /// The number of messages in the large log.
    ///
    /// An import writes them in three batches.
    private static let largeLog = 2_400
    private static let smallLog = 30

    private let directory: ScratchDirectory
    private var home: String { "\(directory.path)/home" }

    init() throws { directory = try ScratchDirectory.made(in: ScratchDirectory.memory) }

    @Test(arguments: Seeds.count(1, atNight: 20))
    func coverageOfAKilledImportContainsOnlyStoredMessages(seed: Int) async throws {
        var random = SeededRandom(seed: seed)
        let logs = try writeLogs(&random)
        try await finish(Program(["--home", home]), ["connect alice", "import \(logs[0])"])
        for kill in 0..<Self.killsOfOneHome {
            let program = try Program(["--home", home])
            let user = ["alice", "bob"].randomElement(using: &random) ?? "alice"
            try await expectHonesty(of: user, on: program, "kill \(kill) of seed \(seed)")
            let commands = (0..<6).map { command($0, logs, &random) }
            program.type((commands + ["cache size"]).map { "\($0)\n" }.joined())
            try await read(some: commands, of: program, &random)
            try await program.kill()
        }
        try await expectAll(logs, on: Program(["--home", home]))
    }

    // MARK: Commands

    private func command(
        _ number: Int, _ logs: [String], _ random: inout SeededRandom
    ) -> String {
        let url = ["red", "blue"].randomElement(using: &random) ?? "red"
        let log = logs.randomElement(using: &random) ?? logs[0]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: return "import \(logs[1])"
        case 2..<4: return "import \(log)"
        case 4: return "import \(log) server-only"
        case 5: return "open \(url)"
        case 6: return "prev"
        case 7: return "backfill \(url)"
        default: return "send hello \(number)"
        }
    }

    /// Reads a random amount of the commands' output.
    ///
    /// The next kill then interrupts any of the commands, at its beginning or after the first batch
    /// of an import.
    private func read(
        some commands: [String], of program: Program, _ random: inout SeededRandom
    ) async throws {
        let isDuringAnImport = Bool.random(using: &random)
        let pieces = Int.random(in: 0..<(isDuringAnImport ? 3 : 30), using: &random)
        let marks = [isDuringAnImport ? "importing" : "\n", " bytes\n"]
        for _ in 0...pieces
        where try await program.reads(anyOf: marks).hasSuffix(" bytes\n") {
            return
        }
    }

    // MARK: Expectations

    /// Expects that the ranges that a device considers known equal the server's, before the device
    /// opens a channel.
    private func expectHonesty(
        of user: String, on program: Program, _ place: String
    ) async throws {
        program.type("connect \(user)\nsync\nverify red\nverify blue\n")
        for url in ["red", "blue"] {
            var line = try await program.reads("\n")
            while !line.hasPrefix("compared") && !line.hasPrefix("nothing is known") {
                line = try await program.reads("\n")
            }
            let isHonest =
                line.hasSuffix("no differences from the server\n") || line.hasPrefix("nothing")
            // At least two more lines follow: the differences, and the command that repairs them.
            let rest = isHonest ? "" : try await program.reads("\n") + program.reads("\n")
            #expect(isHonest, "\(user) in \(url) after \(place): \(line)\(rest)")
        }
    }

    /// Repeats the interrupted imports and backfills.
    ///
    /// Expects that every device then has all messages.
    private func expectAll(_ logs: [String], on program: Program) async throws {
        let imports = logs.map { "import \($0) server-only" }
        let checks = ["sync", "backfill red", "backfill blue", "verify red", "verify blue"]
        let output = try await finish(
            program, ["connect alice"] + imports + checks + ["connect bob"] + checks)
        let clean = output.matches(
            of: /compared ([0-9,]+) messages: no differences from the server/)
        #expect(clean.count == 4, "\(output.suffix(2000))")
        let counts = clean.map { Int($0.output.1.replacing(",", with: "")) ?? 0 }
        #expect(counts.prefix(2).reduce(0, +) >= Self.largeLog + Self.smallLog * 7)
        #expect(counts.prefix(2) == counts.suffix(2))
        #expect(output.matches(of: /, 0 gaps,/).count == 4)
    }

    /// Runs commands until they have ended, and returns their output.
    @discardableResult
    private func finish(_ program: Program, _ commands: [String]) async throws -> String {
        program.type(commands.map { "\($0)\n" }.joined())
        program.endInput()
        let (status, output, errors) = try await program.ends()
        #expect(status == 0, "\(errors)")
        return output
    }

    /// Writes logs of two channels: a small one, a large one, and six more small ones, whose
    /// messages are older than those of the large one, newer, or in between.
    private func writeLogs(_ random: inout SeededRandom) throws -> [String] {
        try [Self.smallLog, Self.largeLog].appending(Self.smallLog, times: 6).enumerated().map {
            index, count in
            let path = "\(directory.path)/log-\(index).jsonl"
            let begin = 1_600_000_000_000 + Int.random(in: 0..<200_000_000, using: &random)
            var lines = ""
            for number in 0..<count {
                let url = ["red", "blue"].randomElement(using: &random) ?? "red"
                let sender = number < 4 ? ["alice", "bob"][number / 2] : "u\(number % 40)"
                let channel = number < 4 ? ["red", "blue"][number % 2] : url
                lines += """
                    {"message_id":"\(index)-\(number)","channel_url":"\(channel)",\
                    "created_at":\(begin + number * 50_000),"sender":"\(sender)",\
                    "message":"message \(number) of log \(index)"}\n
                    """
            }
            try lines.write(toFile: path, atomically: false, encoding: .utf8)
            return path
        }
    }
}

extension [Int] {
    fileprivate func appending(_ element: Int, times: Int) -> [Int] {
        self + Array(repeating: element, count: times)
    }
}
