import Foundation
import ScrollbackTestSupport
package import Testing

/// A diagram of a page: events, each with a picture of the result.
///
/// ```swift
/// var page = try PageStory("Docs/Sync.md", "Sending messages")
/// try await story.write("d")
/// #expect(try story.picture() == page.next("offline, bob sends d", "on disk"))
/// ```
package struct PageStory {
    /// The lines that `next` has not returned yet, each as its columns.
    private var lines: ArraySlice<[String]>

    /// Reads a diagram.
    ///
    /// - Parameters:
    ///   - page: The page, relative to the root of the project.
    ///   - heading: The heading above the diagram.
    ///   - index: The index of the code block below that heading.
    /// - Throws: If the block does not exist.
    package init(_ page: String, _ heading: String, block index: Int = 0) throws {
        let root = Repository.root
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

    /// Moves to the next line.
    ///
    /// - Parameters:
    ///   - words: All columns of the line except the picture, in order.
    ///   - sourceLocation: The location for a failure.
    /// - Returns: The picture, which is the remaining column.
    /// - Throws: If the line has other columns.
    package mutating func next(
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

    /// True if no line is left.
    package var isOver: Bool { lines.isEmpty }
}
