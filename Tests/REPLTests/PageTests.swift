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

    static let examples: [Example] = {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return ["README.md", "Docs/Format.md"].flatMap { page in
            let text = try? String(contentsOf: root.appending(path: page), encoding: .utf8)
            return examples(on: text ?? "")
        }
    }()

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
