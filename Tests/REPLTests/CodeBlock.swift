import Foundation
import Testing

/// What stands between two fences of a page.
struct CodeBlock: CustomTestStringConvertible {
    /// The page, from the root of the project.
    let page: String
    /// The line of the fence above it.
    let line: Int
    /// What follows the fence, such as `swift`.
    let language: String
    /// Its lines, without the spaces before and behind them.
    let lines: [String]

    var testDescription: String { "\(page):\(line)" }

    /// What follows `scrollback> ` or `alice general> ` in its first line with a prompt.
    var firstCommand: String? { Transcript(lines.joined(separator: "\n")).lines.first }

    /// What is typed into a shell, without comments.
    var shellCommands: [String] {
        guard language.isEmpty, firstCommand == nil else { return [] }
        return lines.map { $0.components(separatedBy: "  #")[0] }
            .filter { $0.hasPrefix("make ") || $0.hasPrefix("swift ") }
    }

    /// The blocks of a page, from its top to its end.
    static func all(on page: String) throws -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, language: String, lines: [String])?
        for (index, text) in try Project.text(page).components(separatedBy: "\n").enumerated() {
            let line = text.trimmingCharacters(in: .whitespaces)
            if let begun = open {
                guard line == "```" else {
                    open?.lines.append(line)
                    continue
                }
                blocks.append(
                    CodeBlock(
                        page: page, line: begun.line, language: begun.language, lines: begun.lines))
                open = nil
            } else if line.hasPrefix("```") {
                open = (index + 1, String(line.dropFirst(3)), [])
            }
        }
        try #require(open == nil, "\(page) has a fence without its end")
        return blocks
    }
}

/// The files of the project.
enum Project {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The pages that show code.
    static let pages: [String] = {
        let named = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Tests/Consumers/README.md"]
        return named + files(in: "Docs", "Sources").filter { $0.hasSuffix(".md") }
    }()

    /// All Swift in some directories, by its path.
    static func swift(in directories: String...) -> [String: String] {
        let paths = directories.flatMap { files(in: $0) }.filter { $0.hasSuffix(".swift") }
        let texts = paths.compactMap { path in (try? text(path)).map { (path, $0) } }
        return Dictionary(texts) { first, _ in first }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The files below some directories, except what was built there; links are not followed.
    static func files(in directories: String...) -> [String] {
        directories.flatMap { directory in
            let url = root.appending(path: directory)
            let paths = FileManager.default.enumerator(atPath: url.path)?.allObjects ?? []
            return paths.compactMap { $0 as? String }.filter { !$0.contains(".build") }.sorted()
                .map { "\(directory)/\($0)" }
        }
    }
}
