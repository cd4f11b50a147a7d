import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests logs in which a letter has so many marks that comparing it, which sorts the marks, would
/// take hours.
@Suite(.timeLimit(.minutes(10))) @MainActor struct HostileLogTests {
    private let directory: ScratchDirectory
    private let workspace = Workspace.standing()

    init() async throws {
        directory = try .made()
        _ = await workspace.reply("demo")
    }

    private nonisolated static let marks =
        "a" + String(repeating: "\u{301}", count: 1_000_000)
        + String(repeating: "\u{316}", count: 1_000_000)

    private nonisolated static let escapedMarks =
        "a" + String(repeating: #"\u0301"#, count: 500_000)
        + String(repeating: #"\u0316"#, count: 500_000)

    private func expectIsBadLine(_ line: String, _ good: String, _ options: String = "")
        async throws
    {
        let path = directory.url.appending(path: "pets.jsonl").path
        try Data("\(good)\n\(line)\n".utf8).write(to: URL(filePath: path))
        let reply = await workspace.reply("import \(path) \(options)")
        #expect(
            reply.hasPrefix("line 2: more than 1,000 marks in a row\nimported 1 message"),
            "\(reply.prefix(200))")
        await workspace.end()
    }

    private nonisolated static let good = """
        {"message_id": 101, "channel_url": "pets", "ts": 1700000001, "user": "bob", "message": "x"}
        """

    @Test(arguments: [marks, escapedMarks])
    func lineOfJSONWithManyMarksIsABadLine(marks: String) async throws {
        let line = Self.good.replacing("101", with: "102")
        try await expectIsBadLine(line.replacing("{", with: "{\"\(marks)\": 1,"), Self.good)
    }

    @Test(arguments: ["message", "user", "type", "ts"])
    func textOfJSONWithManyMarksIsABadLine(key: String) async throws {
        let line = """
            {"\(key)": "\(Self.marks)", "channel_url": "pets", "message_id": 102}
            """
        try await expectIsBadLine(line, Self.good)
    }

    @Test func lineOfTextWithManyMarksIsABadLine() async throws {
        let good = "2023-11-14 22:13:20\tann\thello"
        try await expectIsBadLine(
            good.replacing("ann", with: Self.marks), good, "from=weechat into pets")
    }
}
