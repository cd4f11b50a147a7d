import Foundation
import Testing

@testable import ScrollbackREPL

/// Compares the prompt sessions on pages with the prompt's actual output.
@Suite(.timeLimit(.minutes(10))) struct PageTests {
    /// The consecutive commands of a block, each with the output that follows it.
    struct Session: CustomTestStringConvertible {
        let examples: [(line: String, reply: String)]

        var testDescription: String { examples[0].line }
    }

    static let pages = ["Docs/GettingStarted.md", "Docs/Format.md", "Docs/Store.md"]

    static let sessions: [Session] = pages.flatMap { page in
        // A missing page has no sessions. A test below detects this.
        sessions(on: (try? Project.text(page)) ?? "")
    }

    private static func sessions(on page: String) -> [Session] {
        // Every second part is the contents of a block.
        let blocks = page.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.compactMap { block in
            let examples = block.components(separatedBy: "scrollback> ").dropFirst().map {
                let lines = $0.components(separatedBy: "\n")
                let reply = lines.dropFirst().joined(separator: "\n")
                return (line: lines[0], reply: reply.trimmingCharacters(in: .newlines))
            }
            // Blocks with several users are tested by TranscriptTests.
            guard !examples.isEmpty, !Transcript(block).hasUsers else { return nil }
            return Session(examples: examples)
        }
    }

    @Test func thePagesHaveExamples() {
        #expect(Self.sessions.flatMap(\.examples).count > 5)
    }

    @Test func scriptsPageListsAllJSONKeys() throws {
        #expect(try Project.text("Docs/Scripts.md").hasSuffix("```\n\(OutputLine.help)\n```\n"))
    }

    @Test @MainActor func scriptsPageShowsTheActualJSON() async throws {
        let block = try #require(
            CodeBlock.all(on: "Docs/Scripts.md").first { $0.lines[0].hasPrefix("$ printf") })
        let script = try #require(block.lines[0].firstMatch(of: /'(.*)'/)).output.1
        let workspace = Workspace()
        var written: [String] = []
        for (index, line) in script.split(separator: "\\n").enumerated() {
            written.append(await workspace.jsonLines(String(line), index + 1))
        }
        await workspace.end()
        #expect(written.joined(separator: "\n") == block.lines.dropFirst().joined(separator: "\n"))
    }

    /// The code of the page is a consumer package, which `make consumers` compiles and runs.
    @Test func theFirstExamplesAreAConsumer() throws {
        let code = try Project.text("Tests/Consumers/FirstExample/main.swift")
        let page = try Project.text("Docs/GettingStarted.md")
        let store = try #require(code.range(of: "\nlet directory"))
        let ofStore = code[store.lowerBound...].dropFirst()
        #expect(page.contains("```swift\n\(ofStore)```\n"))
        let ofMessage = String(code[..<store.lowerBound])
        #expect(page.contains("```swift\n\(ofMessage)```\n"))
        let ofModels = ofMessage.replacing("import Store\n", with: "")
        #expect(
            try Project.text("Sources/Models/Models.docc/Models.md")
                .contains("```swift\n\(ofModels)```\n"))
    }

    @Test(arguments: sessions)
    @MainActor func promptOutputEqualsThePage(session: Session) async {
        let workspace = Workspace()
        for example in session.examples {
            #expect(await workspace.reply(example.line) == example.reply)
        }
    }
}
