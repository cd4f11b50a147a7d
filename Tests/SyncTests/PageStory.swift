import Foundation
import Testing

/// A story of a page: lines of what happens, each with a picture of what is shown then.
///
/// ```swift
/// var page = try PageStory("Docs/Sync.md", "Sending messages")
/// try await story.write("d")
/// #expect(try story.picture() == page.next("offline, bob sends d", "on disk"))
/// ```
struct PageStory {
    /// The columns of the lines that are still to come.
    private var lines: ArraySlice<[String]>

    /// Reads a story.
    ///
    /// - Parameters:
    ///   - page: The page, from the root of the project.
    ///   - heading: The heading that the story stands below.
    ///   - index: Which of the blocks below that heading it is, the first by default.
    /// - Throws: If there is no such block.
    init(_ page: String, _ heading: String, block index: Int = 0) throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## ").first { $0.hasPrefix("\(heading)\n") },
            "\(page) has no heading \(heading)")
        // Every second part is inside a pair of fences.
        let parts = section.components(separatedBy: "```")
        try #require(parts.indices.contains(index * 2 + 1), "\(heading) has no block \(index)")
        let columns = parts[index * 2 + 1].split(separator: "\n").map { line in
            line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
        lines = columns[...]
    }

    /// Goes on to the next line.
    ///
    /// - Parameters:
    ///   - words: All columns of the line but the picture, in order.
    ///   - sourceLocation: Where a test says so.
    /// - Returns: The picture: what is left of the line.
    /// - Throws: If the line says something else.
    mutating func next(
        _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let line = lines.popFirst() ?? []
        let picture = line.indices.first { index in
            var rest = line
            rest.remove(at: index)
            return rest == words
        }
        let place = try #require(
            picture, "the page says \(line), and the test \(words)", sourceLocation: sourceLocation)
        return line[place]
    }

    /// Whether all of it was told.
    var isOver: Bool { lines.isEmpty }
}
