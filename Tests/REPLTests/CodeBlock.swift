import Foundation
import ScrollbackTestSupport
import Testing

/// A code block of a page.
struct CodeBlock: CustomTestStringConvertible {
    /// The page, relative to the root of the project.
    let page: String
    /// The number of the line with the opening fence.
    let line: Int
    /// The word after the fence, such as `swift`.
    let language: String
    /// The lines of the block without surrounding spaces.
    let lines: [String]

    var testDescription: String { "\(page):\(line)" }

    /// The first command in the block, without the prompt (`scrollback> ` or `alice general> `)
    /// before it.
    var firstCommand: String? { Transcript(lines.joined(separator: "\n")).lines.first }

    /// The commands that start with `make` or `swift`, without the comments after them.
    var shellCommands: [String] {
        guard language.isEmpty, firstCommand == nil else { return [] }
        return lines.map { $0.components(separatedBy: "  #")[0] }
            .filter { $0.hasPrefix("make ") || $0.hasPrefix("swift ") }
    }

    /// The code blocks of a page, in order.
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
    static let root = Repository.root

    /// The pages that show code.
    static let pages: [String] = {
        let named = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Tests/Consumers/README.md"]
        return named + files(in: "Docs", "Sources").filter { $0.hasSuffix(".md") }
    }()

    /// Returns all Swift files in some directories, by path.
    static func swift(in directories: String...) -> [String: String] {
        let paths = directories.flatMap { files(in: $0) }.filter { $0.hasSuffix(".swift") }
        let texts = paths.compactMap { path in (try? text(path)).map { (path, $0) } }
        return Dictionary(texts) { first, _ in first }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the files in some directories.
    ///
    /// Build products are left out, and links are not followed.
    static func files(in directories: String...) -> [String] {
        directories.flatMap { directory in
            let url = root.appending(path: directory)
            let paths = FileManager.default.enumerator(atPath: url.path)?.allObjects ?? []
            return paths.compactMap { $0 as? String }.filter { !$0.contains(".build") }.sorted()
                .map { "\(directory)/\($0)" }
        }
    }
}
