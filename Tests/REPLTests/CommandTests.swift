import Testing

@testable import REPL

@Suite @MainActor struct CommandTests {
    @Test func noTwoCommandsHaveOneName() {
        let names = Command.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: Command.all.map(\.name))
    func theExampleInHelpWorks(name: String) async throws {
        let command = try Command.named(name)
        let reply = try await Command.perform(command.example)
        #expect(command.example.hasPrefix(name))
        #expect(reply != .text(""))
    }

    @Test func helpListsEveryCommand() async throws {
        guard case .text(let overview) = try await Command.perform("help") else {
            Issue.record("help is not a text")
            return
        }
        let names = overview.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names.map(String.init) == Command.all.map(\.name))
    }

    @Test func helpShowsAnExample() async throws {
        let reply = try await Command.perform("  help   quit ")
        #expect(
            reply
                == .text(
                    """
                    quit
                        Leaves. So does Ctrl-D.
                        For example: quit
                    """
                )
        )
    }

    @Test(arguments: ["", "   ", "# quit", "#quit"])
    func emptyLinesAndCommentsDoNothing(line: String) async throws {
        #expect(try await Command.perform(line) == .text(""))
    }

    @Test(arguments: [
        ("tiem 1", "there is no command 'tiem': help lists them all"),
        ("help tiem", "there is no command 'tiem': help lists them all"),
        ("time", "usage: time MILLISECONDS | DATE"),
        ("time 1 2", "usage: time MILLISECONDS | DATE"),
    ])
    func anErrorSaysWhatToDoInstead(line: String, message: String) async {
        let error = await #expect(throws: CommandError.self) { try await Command.perform(line) }
        #expect(error?.description == message)
    }

    @Test func tabOffersCommandsFirstAndAfterHelp() {
        #expect(Completion.words("q", after: "") == ["quit"])
        #expect(Completion.words("", after: "help ") == Command.all.map(\.name).sorted())
        #expect(Completion.words("q", after: "time ") == [])
    }
}
