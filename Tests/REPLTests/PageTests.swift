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

    static let pages = ["Docs/GettingStarted.md", "Docs/Format.md"]

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

    /// The code of the page is a consumer package, which `make consumers` compiles and runs.
    @Test func theFirstExamplesAreAConsumer() throws {
        let code = try Project.text("Tests/Consumers/FirstExample/main.swift")
        let page = try Project.text("Docs/GettingStarted.md")
        let store = try #require(code.range(of: "\nlet directory"))
        let ofStore = code[store.lowerBound...].dropFirst()
        #expect(page.contains("```swift\n\(ofStore)```\n"))
        let ofMessage = String(code[..<store.lowerBound])
        #expect(page.contains("```swift\n\(ofMessage)```\n"))
        let ofModels = ofMessage.replacing("import Scrollback", with: "import Models")
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
