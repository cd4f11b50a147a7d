import Foundation
import Testing

@testable import REPL

/// Pages of the documentation that show the prompt: what they show is what it says.
@Suite struct PageTests {
    /// A command on a page, and the lines below it.
    struct Example: CustomTestStringConvertible {
        let line: String
        let reply: String

        var testDescription: String { line }
    }

    static let examples: [Example] = ["README.md", "Docs/Format.md"].flatMap { page in
        // A page that is not there has none, which is seen below.
        examples(on: (try? text(page)) ?? "")
    }

    private static func text(_ file: String) throws -> String {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }

    private static func examples(on page: String) -> [Example] {
        // Every second part is inside a pair of fences.
        let blocks = page.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.flatMap { block in
            block.components(separatedBy: "scrollback> ").dropFirst().map { example in
                let lines = example.components(separatedBy: "\n")
                let reply = lines.dropFirst().joined(separator: "\n")
                return Example(
                    line: lines[0], reply: reply.trimmingCharacters(in: .newlines))
            }
        }
    }

    @Test func thePagesHaveExamples() {
        #expect(Self.examples.count > 5)
    }

    /// `make consumers` compiles it and runs it.
    @Test func theFirstExamplesAreAConsumer() throws {
        let code = try Self.text("Tests/Consumers/FirstExample/main.swift")
        let page = try Self.text("README.md")
        let store = try #require(code.range(of: "\nlet directory"))
        let ofStore = code[store.lowerBound...].dropFirst()
        #expect(page.contains("```swift\n\(ofStore)```\n"))
        let ofMessage = String(code[..<store.lowerBound])
        #expect(page.contains("```swift\n\(ofMessage)```\n"))
        let ofModels = ofMessage.replacing("import Scrollback", with: "import Models")
        #expect(
            try Self.text("Sources/Models/Models.docc/Models.md")
                .contains("```swift\n\(ofModels)```\n"))
    }

    @Test(arguments: examples)
    @MainActor func thePromptSaysWhatThePageShows(example: Example) async {
        let reply: String
        do {
            guard case .text(let text) = try await Command.perform(example.line) else { return }
            reply = text
        } catch {
            reply = "error: \(error)"
        }
        #expect(reply == example.reply)
    }
}
