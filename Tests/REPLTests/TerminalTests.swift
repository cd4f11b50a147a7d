import Foundation
import ScrollbackTestSupport
import Testing

/// True if the tool `script` can create a terminal.
///
/// The options of `script` are those of Linux; on macOS it has other ones.
private var hasTerminals: Bool {
    #if os(Linux)
        FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
    #else
        false
    #endif
}

/// Tests the prompt in a terminal.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: hasTerminals, "there is no script(1) of Linux"))
struct TerminalTests {
    private let directory: ScratchDirectory
    private var history: URL { directory.url.appending(path: "history") }

    init() throws { directory = try .made() }

    private func program(
        _ arguments: String..., columns: Int = 100, environment: [String: String] = [:]
    ) async throws -> Program {
        let program = try Program(
            ["--memory", "--demo"] + arguments, inTerminalOf: columns, history: history,
            environment: environment)
        try await program.reads("alice general> ")
        return program
    }

    @Test func tabCompletesCommandsChannelsAndMessages() async throws {
        let program = try await program()
        program.type("wind\t\n")
        try await program.reads("58 59 60\n")
        program.type("open ca\t\n")
        try await program.reads("65  ")
        program.type("react 6\t")
        program.type("5 +1\n")
        try await program.reads("added +1 to 65")
        program.type("conditio\t\t\t")
        try await program.reads("conditions")
        program.type("\u{15}")  // Ctrl-U
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func historyIsRestoredInTheNextRun() async throws {
        let first = try await program()
        first.type("version\n")
        try await first.reads("LevelDB")
        first.type("\u{10}\n")  // Ctrl-P
        try await first.reads("LevelDB")
        first.type("\u{4}")
        #expect(try await first.ends().status == 0)
        let second = try await program()
        second.type("\u{10}\n")
        try await second.reads("LevelDB")
        second.type("quit\n")
        #expect(try await second.ends().status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: history.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func tabCompletesFiles() async throws {
        let files = ScratchDirectory()
        try FileManager.default.createDirectory(
            at: files.url.appending(path: "my logs"), withIntermediateDirectories: true)
        defer { files.remove() }
        let path = files.path
        // `HOME` determines the meaning of `~`.
        let program = try await program(environment: ["HOME": path])
        program.type("export ~/my\\ logs/cats.jsonl cats\n")
        try await program.reads("exported 5 messages of cats")
        // TAB completes a path through a directory. The space in the directory's name may be
        // escaped by a backslash or by an open quote.
        for typed in ["\(path)/my\tca\t", "'\(path)/my\tca\t", "~/m\tc\t"] {
            program.type("export \(typed) random\n")
            try await program.reads("exported 3 messages of random")
        }
        // TAB completes the second argument as a channel.
        program.type("export ~/m\tcopy ca\t\n")
        try await program.reads("exported 5 messages of cats")
        // If two completions begin in the same way, a second TAB lists both.
        program.type("import ~/m\tc\t\t")
        try await program.reads("cats.jsonl")
        try await program.reads("copy")
        program.type("\u{15}\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func eventsArePrintedAboveTheInputLine() async throws {
        let program = try await program()
        program.type("slow 800ms\n")
        try await program.reads("answers take 800ms")
        program.type("send Hello\n")
        try await program.reads("(alice-1)  Hello\n")
        program.type("vers")
        // The event is printed above the input line.
        try await program.reads("= sent alice-1 as 69\n")
        try await program.reads("alice general> vers")
        program.type("ion\n")
        try await program.reads("LevelDB")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func ctrlCEndsTheCommandAndNotTheProgram() async throws {
        let program = try await program()
        program.type("wait 1h\n")
        try await program.reads("alice general> ")
        program.type("\u{3}")
        try await program.reads("canceled")
        program.type("half a li\u{3}")
        program.type("version\n")
        try await program.reads("LevelDB")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func drawingFitsTheTerminalWidth() async throws {
        let program = try await program(columns: 40)
        program.type("coverage\n")
        let drawn = try await program.reads("█\n")
        #expect(drawn.filter { $0 == "█" }.count == 40)
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func progressIsReplacedByThePrompt() async throws {
        let log = try LogOfMessages(count: 3000, from: 1000)
        let program = try await program(environment: ["TERM": "xterm-256color"])
        program.type("import \(log.path)\n")
        try await program.reads("importing  ▕█")
        // The prompt is drawn over the progress line.
        let drawn = try await program.reads("alice general> ")
        #expect(drawn.contains("/s"))
        #expect(drawn.contains("syncing"))
        #expect(!drawn.contains("\n"))
        try await program.reads("imported 3,000 messages into 1 channel\n")
        try await program.reads("3,000 messages are in the cache of alice\n")
        program.type("version\n")
        try await program.reads("LevelDB")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func progressFitsANarrowWindow() async throws {
        let log = try LogOfMessages(count: 3000, from: 1000)
        let program = try await program(columns: 40, environment: ["TERM": "xterm-256color"])
        program.type("import \(log.path)\n")
        try await program.reads("\rimporting  ")
        let drawn = try await program.reads("alice general> ")
        let lines = "importing  \(drawn)".replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "")
            .split(separator: "\r")
        for line in lines {
            #expect(line.count <= 40)
            #expect(line.contains(#/^(importing|syncing|alice) /#), "\(line) is the rest of a line")
        }
        program.type("version\n")
        try await program.reads("LevelDB")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    /// On a terminal that cannot overwrite a line, readline would cut the progress line in the
    /// middle of a character.
    @Test func progressIsPrintedInLinesIfTheTerminalCannotOverwrite() async throws {
        let log = try LogOfMessages(count: 3000, from: 1000)
        let program = try await program(environment: ["TERM": "dumb"])
        program.type("import \(log.path)\n")
        let drawn = try await program.reads("imported 3,000 messages into 1 channel\n")
        #expect(drawn.contains(#/\rimporting  ▕█.*▏  \d\d %  1,000  [0-9,]+/s.*\n/#))
        #expect(!drawn.contains("\u{FFFD}"))
        program.type("version\n")
        try await program.reads("LevelDB")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func passwordIsNeitherShownNorKept() async throws {
        let program = try Program(
            ["--memory", "--matrix", "http://127.0.0.1:1", "--user", "@alice:localhost"],
            inTerminalOf: 100, history: history)
        try await program.reads("Password of @alice:localhost: ")
        program.type("hunter2\n")
        var shown = try await program.reads("127.0.0.1 cannot be reached")
        shown += try await program.reads("@alice:localhost> ")
        // For a user who connects later, the prompt asks for the password on the next line.
        program.type("connect @bob:localhost\n")
        shown += try await program.reads("Password of @bob:localhost: ")
        program.type("hunter2\n")
        shown += try await program.reads("127.0.0.1 cannot be reached")
        // Ctrl-C cancels a command that asks for a password.
        program.type("connect @carol:localhost\n")
        shown += try await program.reads("Password of @carol:localhost: ")
        program.type("hunt\u{3}")
        shown += try await program.reads("canceled")
        // The last line in the history is the command. The history must not contain the password.
        program.type("\u{10}\n")
        shown += try await program.reads("Password of @carol:localhost: ")
        program.type("\u{3}")
        shown += try await program.reads("canceled")
        program.type("version\n")
        shown += try await program.reads("LevelDB")
        program.type("\u{4}")
        let end = try await program.ends()
        #expect(end.status == 0)
        #expect(!(shown + end.output).contains("hunt"))
        #expect(try !String(contentsOf: history, encoding: .utf8).contains("hunt"))
    }

    @Test func colorTerminalGetsColors() async throws {
        let program = try await program(environment: ["TERM": "xterm-256color"])
        program.type("as bob send Hi\n")
        try await program.reads("\u{1B}[32m+ general 69  Bob: Hi\u{1B}[0m\n")
        program.type("tiem\n")
        try await program.reads("\u{1B}[31merror: there is no command 'tiem'")
        program.type("\u{4}")
        #expect(try await program.ends().status == 0)
    }

    @Test func colorsCanBeTurnedOff() async throws {
        let program = try await program(
            environment: ["TERM": "xterm-256color", "NO_COLOR": "1"])
        program.type("as bob send Hi\ntiem\nquit\n")
        let output = try await program.ends().output
        #expect(output.contains("\n+ general 69  Bob: Hi\n"))
        #expect(!output.contains(/\u{1B}\[[0-9;]*m/))
    }
}
