import Foundation
import Testing

/// Whether there is a program that makes terminals; the one of macOS has other options.
private var hasTerminals: Bool {
    #if os(Linux)
        FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
    #else
        false
    #endif
}

/// The prompt in a terminal of its own.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: hasTerminals, "there is no script(1) of Linux"))
struct TerminalTests {
    private let history = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-history-\(UUID().uuidString)")

    private func program(
        _ arguments: String..., columns: Int = 100
    ) throws -> Program {
        let program = try Program(
            ["--memory", "--demo"] + arguments, inTerminalOf: columns, history: history)
        try program.reads("alice general> ")
        return program
    }

    private func removeHistory() { try? FileManager.default.removeItem(at: history) }

    @Test func tabCompletesCommandsChannelsAndMessages() throws {
        defer { removeHistory() }
        let program = try program()
        program.type("wind\t\n")
        try program.reads("58 59 60\n")
        program.type("open ca\t\n")
        try program.reads("65  ")
        program.type("react 6\t")
        program.type("5 +1\n")
        try program.reads("gave +1 to 65")
        program.type("conditio\t\t\t")
        try program.reads("conditions")
        program.type("\u{15}")  // Ctrl-U
        program.type("\u{4}")
        #expect(program.ends().status == 0)
    }

    @Test func theLinesOfBeforeComeBackInTheNextRunToo() throws {
        defer { removeHistory() }
        let first = try program()
        first.type("version\n")
        try first.reads("LevelDB")
        first.type("\u{10}\n")  // Ctrl-P
        try first.reads("LevelDB")
        first.type("\u{4}")
        #expect(first.ends().status == 0)
        let second = try program()
        second.type("\u{10}\n")
        try second.reads("LevelDB")
        second.type("quit\n")
        #expect(second.ends().status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: history.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func newsStandsAboveTheLineThatIsTyped() throws {
        defer { removeHistory() }
        let program = try program()
        program.type("slow 800ms\n")
        try program.reads("answers take 800ms")
        program.type("send Hello\n")
        try program.reads("(alice-1)  Hello\n")
        program.type("vers")
        // It comes by itself, and the line goes on below it.
        try program.reads("= sent alice-1 as 69\n")
        try program.reads("alice general> vers")
        program.type("ion\n")
        try program.reads("LevelDB")
        program.type("\u{4}")
        #expect(program.ends().status == 0)
    }

    @Test func ctrlCEndsTheCommandAndNotTheProgram() throws {
        defer { removeHistory() }
        let program = try program()
        program.type("wait 1h\n")
        try program.reads("alice general> ")
        program.type("\u{3}")
        try program.reads("canceled")
        program.type("half a li\u{3}")
        program.type("version\n")
        try program.reads("LevelDB")
        program.type("\u{4}")
        #expect(program.ends().status == 0)
    }

    @Test func whatIsDrawnFitsTheWindow() throws {
        defer { removeHistory() }
        let program = try program(columns: 40)
        program.type("coverage\n")
        let drawn = try program.reads("█\n")
        #expect(drawn.filter { $0 == "█" }.count == 40)
        program.type("\u{4}")
        #expect(program.ends().status == 0)
    }
}
