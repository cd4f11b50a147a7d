import Foundation
import Scrollback

@testable import REPL

extension Workspace {
    /// A workspace in memory whose clock only commands move.
    static func standing() -> Workspace {
        Workspace(World.Options(start: 1_700_000_000_000), now: { 1_700_000_000_000 })
    }

    /// What the prompt shows for a line.
    func reply(_ line: String) async -> String {
        do {
            switch try await Command.perform(line, in: self) {
            case .text(let text): return text
            case .quit: return "quit"
            }
        } catch {
            return (["error: \(sentence(of: error))"] + news()).joined(separator: "\n")
        }
    }
}

/// A directory for the paths in examples, which begin with `/tmp/scrollback`.
struct ExampleDirectory: ~Copyable {
    static let name = "/tmp/scrollback"

    private let url = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-tests-\(UUID().uuidString)")

    /// A line with the paths moved here.
    func moved(_ text: String) -> String {
        text.replacing(Self.name, with: "\(url.path)/")
    }

    /// The other way around.
    func movedBack(_ text: String) -> String { text.replacing("\(url.path)/", with: Self.name) }

    deinit {
        // Most examples have made none.
        try? FileManager.default.removeItem(at: url)
    }
}
