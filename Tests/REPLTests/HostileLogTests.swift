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
            reply.hasPrefix("line 2: more than 1,000 marks or flags in a row\nimported 1 message"),
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

    private nonisolated static let someMarks = String(repeating: "\u{316}\u{301}", count: 500)

    @Test func partsThatJoinToManyMarksAreABadLine() async throws {
        let parts = Array(repeating: "\"\(Self.someMarks)\"", count: 1000).joined(separator: ",")
        try await expectIsBadLine(
            Self.good.replacing("101", with: "102").replacing("\"x\"", with: "[\(parts)]"),
            Self.good)
    }

    /// A regular expression that steps back over flags counts those before each step.
    @Test func lineOfFlagsIsABadLine() async throws {
        let flags = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 1_000_000)
        let good = "2023-11-14 22:13:20\tann\thello"
        try await expectIsBadLine(good + flags, good, "from=weechat into pets")
    }

    /// In UTF-8, the bytes are control characters.
    @Test func lineInUTF16IsABadLine() async throws {
        let file = directory.url.appending(path: "pets.jsonl")
        var log = Data("\(Self.good)\n".utf8)
        let text = "{\"\(Self.marks)\": 1}"
        for unit in text.utf16 { log += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try log.write(to: file)
        let reply = await workspace.reply("import \(file.path)")
        #expect(reply.hasPrefix("line 2: the JSON is not in UTF-8\nimported 1 message"), "\(reply)")
        await workspace.end()
    }

    /// The import removes the direction marks between the others.
    @Test func manyMarksBetweenDirectionMarksAreABadLine() async throws {
        let marks = Array(repeating: Self.someMarks, count: 1000).joined(separator: "\u{200E}")
        let good = "14.11.23, 22:13 - Ann: hello"
        try await expectIsBadLine(good + marks, good, "from=whatsapp into pets")
    }

    /// Each document has new values outside of its messages.
    @Test func valuesOutsideOfTheMessagesOfADocumentEndWithIt() async throws {
        var log = ""
        for document in 0..<3_000 {
            let values = (0..<30).map { "\"k\(document)-\($0)\": 1" }.joined(separator: ", ")
            log += """
                {\(values), "messages": [{"sender_name": "Ann",
                 "timestamp_ms": \(1_700_000_000_000 + document), "content": "x"}]}\n
                """
        }
        let file = directory.url.appending(path: "message_1.json")
        try Data(log.utf8).write(to: file)
        let reply = await workspace.reply("import \(file.path) from=messenger")
        #expect(reply.contains("imported 3,000 messages"), "\(reply.prefix(200))")
        await workspace.end()
    }

    /// The names would be hashed again for each element.
    @Test func namesOutsideOfTheMessagesAreReadOnce() async throws {
        let marks = String(repeating: "\u{316}\u{301}", count: 250)
        let values = (0..<100).map { "\"k\($0)\(marks)\": 1" }.joined(separator: ", ")
        let elements = String(repeating: "{},", count: 100_000)
        let file = directory.url.appending(path: "message_1.json")
        try Data(
            """
            {\(values), "messages": [\(elements)
            {"sender_name": "Ann", "timestamp_ms": 1700000000000, "content": "x"}]}
            """.utf8
        ).write(to: file)
        let reply = await workspace.reply("import \(file.path) from=messenger")
        #expect(reply.contains("imported 1 message"), "\(reply.prefix(200))")
        await workspace.end()
    }

    @Test func decodedTextWithManyMarksIsNotImported() async throws {
        let file = directory.url.appending(path: "pets_1/message_1.json")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let text = "a" + String(repeating: #"\u00cc\u0081"#, count: 1_000_000)
        try Data(
            """
            {"messages": [
            {"sender_name": "Ann", "timestamp_ms": 1700000000000, "content": "\(text)"},
            {"sender_name": "Ann", "timestamp_ms": 1700000001000, "content": "x"}]}
            """.utf8
        ).write(to: file)
        let reply = await workspace.reply("import \(file.path) from=messenger")
        #expect(
            reply.contains("more than 1,000 marks or flags in a row\nimported 1 message"),
            "\(reply.prefix(200))")
        await workspace.end()
    }

    @Test func lineOfTextWithManyMarksIsABadLine() async throws {
        let good = "2023-11-14 22:13:20\tann\thello"
        try await expectIsBadLine(
            good.replacing("ann", with: Self.marks), good, "from=weechat into pets")
    }
}
