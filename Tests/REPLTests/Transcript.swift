import Foundation

@testable import ScrollbackREPL

/// A session at the prompt, as a page shows it: the commands, and the output of each.
///
/// A line that consists of `⋮` represents any number of lines of output that the page omits.
struct Transcript {
    static let omission = "⋮"

    /// The text before the first prompt.
    let head: String

    /// The commands.
    let lines: [String]

    /// For each command, the lines of output that the page shows.
    let replies: [[String]]

    /// True if a prompt names a user, as it does after `demo` and `connect`.
    let hasUsers: Bool

    init(_ text: String) {
        var head: [String] = []
        var lines: [String] = []
        var replies: [[String]] = []
        var hasUsers = false
        for line in text.components(separatedBy: "\n") {
            if let (prompt, command) = Transcript.split(line) {
                lines.append(command)
                replies.append([])
                if prompt != "scrollback" { hasUsers = true }
            } else if lines.isEmpty {
                head.append(line)
            } else {
                replies[replies.count - 1].append(line)
            }
        }
        // The last line feed of the text does not begin a line of output.
        if replies.last?.last == "" { replies[replies.count - 1].removeLast() }
        self.head = head.map { $0 + "\n" }.joined()
        self.lines = lines
        self.replies = replies
        self.hasUsers = hasUsers
    }

    /// Splits a line into its prompt (`scrollback> `, `alice> ` or `alice general> `) and the
    /// command.
    private static func split(_ line: String) -> (prompt: Substring, command: String)? {
        guard let end = line.range(of: "> "), line.first?.isLetter == true else { return nil }
        let prompt = line[..<end.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
        guard prompt.count <= 2, prompt.allSatisfy({ !$0.isEmpty && !$0.contains(":") }) else {
            return nil
        }
        return (line[..<end.lowerBound], String(line[end.upperBound...]))
    }

    /// Runs the commands.
    ///
    /// Returns the text of the session with the actual output, except for the lines that this
    /// transcript omits.
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
            if !reply.isEmpty {
                text += Self.shortened(places.movedBack(reply), as: replies[index]) + "\n"
            }
        }
        return text
    }

    /// Returns a reply with the lines omitted that `shown` omits.
    ///
    /// The reply keeps as many lines at its beginning and at its end as `shown` has before and
    /// after its `⋮`.
    private static func shortened(_ reply: String, as shown: [String]) -> String {
        guard let index = shown.firstIndex(of: omission) else { return reply }
        let lines = reply.components(separatedBy: "\n")
        let tail = shown.count - index - 1
        guard lines.count > index + tail else { return reply }
        return (lines.prefix(index) + [omission] + lines.suffix(tail)).joined(separator: "\n")
    }
}
