import Foundation
import Scrollback
import ScrollbackStorySupport

@testable import ScrollbackREPL

extension Workspace {
    /// Returns a workspace in memory.
    ///
    /// Its clock changes only when a command sets it.
    static func standing() -> Workspace {
        var options = World.Options(start: 1_700_000_000_000)
        options.wrapBackend = JitteryBackend.wrapping
        let workspace = Workspace(options, now: { 1_700_000_000_000 })
        // Other programs may use the machine.
        workspace.patience = .seconds(120)
        return workspace
    }

    /// Returns what the prompt prints for a line.
    func reply(_ line: String) async -> String {
        do {
            return try await Command.perform(line, in: self).text
        } catch {
            return (["error: \(sentence(of: error))"] + events().map(\.text))
                .joined(separator: "\n")
        }
    }

    /// Returns what `--json` prints for a line with a number.
    func jsonLines(_ line: String, _ number: Int) async -> String {
        let lines: [OutputLine]
        do {
            lines = try await Command.perform(line, in: self).lines(for: line, number)
        } catch {
            lines = events().map { OutputLine($0, number) } + [OutputLine(error, to: line, number)]
        }
        return lines.map(\.json).joined(separator: "\n")
    }
}

/// A scratch directory.
///
/// It replaces `/tmp/scrollback`, with which the paths in examples begin.
struct ExampleDirectory: ~Copyable {
    static let name = "/tmp/scrollback"

    private let url = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-tests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Replaces paths of examples with paths in this directory.
    func moved(_ text: String) -> String {
        text.replacing(Self.name, with: "\(url.path)/")
    }

    /// Replaces paths in this directory with those of examples.
    func movedBack(_ text: String) -> String { text.replacing("\(url.path)/", with: Self.name) }

    deinit {
        // This fails if no example has created the directory.
        try? FileManager.default.removeItem(at: url)
    }
}
