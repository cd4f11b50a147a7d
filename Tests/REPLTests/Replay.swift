import Foundation
import Scrollback

@testable import ScrollbackREPL

extension Workspace {
    /// Returns a workspace in memory whose clock advances only when a command sets it.
    static func standing() -> Workspace {
        Workspace(World.Options(start: 1_700_000_000_000), now: { 1_700_000_000_000 })
    }

    /// Returns the prompt's output for a line.
    func reply(_ line: String) async -> String {
        do {
            let reply = try await Command.perform(line, in: self)
            return reply.isLast ? "quit" : reply.shown
        } catch {
            return (["error: \(sentence(of: error))"] + events().map(\.text))
                .joined(separator: "\n")
        }
    }

    /// Returns the output of `--json` for a line and its number.
    func jsonLines(_ line: String, _ number: Int) async -> String {
        do {
            let reply = try await Command.perform(line, in: self)
            return reply.jsonLines(to: line, number).joined(separator: "\n")
        } catch {
            let lines =
                events().map { ResultLine($0, number) } + [ResultLine(error, to: line, number)]
            return lines.map(\.json).joined(separator: "\n")
        }
    }
}

/// A directory for the paths in examples, which begin with `/tmp/scrollback`.
struct ExampleDirectory: ~Copyable {
    static let name = "/tmp/scrollback"

    private let url = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-tests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Replaces the paths of examples by paths in this directory.
    func moved(_ text: String) -> String {
        text.replacing(Self.name, with: "\(url.path)/")
    }

    /// Replaces paths in this directory by those of examples.
    func movedBack(_ text: String) -> String { text.replacing("\(url.path)/", with: Self.name) }

    deinit {
        // Most examples have not created the directory.
        try? FileManager.default.removeItem(at: url)
    }
}
