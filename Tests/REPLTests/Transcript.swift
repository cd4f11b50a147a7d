import Foundation

@testable import REPL

/// Lines behind a prompt, and what is said below each.
struct Transcript {
    /// What is above the first prompt.
    let head: String

    /// The commands.
    let lines: [String]

    /// Whether a prompt names a user, as it does in a world that `demo` or `connect` has begun.
    let hasUsers: Bool

    init(_ text: String) {
        var head: [String] = []
        var lines: [String] = []
        var hasUsers = false
        for line in text.components(separatedBy: "\n") {
            if let (prompt, command) = Transcript.split(line) {
                lines.append(command)
                if prompt != "scrollback" { hasUsers = true }
            } else if lines.isEmpty {
                head.append(line)
            }
        }
        self.head = head.map { $0 + "\n" }.joined()
        self.lines = lines
        self.hasUsers = hasUsers
    }

    /// A prompt, `scrollback> `, `alice> ` or `alice general> `, and what follows it.
    private static func split(_ line: String) -> (prompt: Substring, command: String)? {
        guard let end = line.range(of: "> "), line.first?.isLetter == true else { return nil }
        let prompt = line[..<end.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
        guard prompt.count <= 2, prompt.allSatisfy({ !$0.isEmpty && !$0.contains(":") }) else {
            return nil
        }
        return (line[..<end.lowerBound], String(line[end.upperBound...]))
    }

    /// The text as the prompt makes it.
    @MainActor func replayed(
        in workspace: Workspace, _ places: borrowing ExampleDirectory, asJSON: Bool = false
    ) async -> String {
        var text = head
        for (index, line) in lines.enumerated() {
            text += "\(workspace.prompt)\(line)\n"
            let reply =
                asJSON
                ? await workspace.jsonLines(places.moved(line), index + 1)
                : await workspace.reply(places.moved(line))
            if !reply.isEmpty { text += places.movedBack(reply) + "\n" }
        }
        return text
    }
}
