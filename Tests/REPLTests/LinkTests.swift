import Foundation
import Testing

/// Tests the links between the project's pages.
@Suite struct LinkTests {
    private static let pages: [String] = {
        let docs =
            (try? FileManager.default.contentsOfDirectory(atPath: Project.root.path + "/Docs"))
            ?? []
        return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
            + docs.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/\($0)" }
    }()

    /// Returns the targets of the links on a page.
    ///
    /// Links in code are left out.
    private func links(in page: String) throws -> [String] {
        let prose = try Project.text(page).components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 0 }.map(\.element).joined()
        return prose.components(separatedBy: "](").dropFirst().compactMap { part in
            part.firstIndex(of: ")").map { String(part[..<$0]) }
        }
    }

    /// Returns the anchors of a page's headings in GitHub's form.
    private func anchors(in page: String) throws -> Set<String> {
        Set(
            try Project.text(page).split(separator: "\n").filter { $0.hasPrefix("#") }.map {
                heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                    .replacing(" ", with: "-")
            })
    }

    @Test(arguments: pages) func everyLinkHasATarget(page: String) throws {
        for link in try links(in: page) where !link.contains("://") {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let target =
                parts[0].isEmpty
                ? page
                : URL(filePath: "/" + page).deletingLastPathComponent()
                    .appending(path: String(parts[0])).standardized.path.dropFirst().description
            #expect(
                FileManager.default.fileExists(atPath: Project.root.appending(path: target).path),
                "\(page) links to \(link), which is not there")
            if parts.count > 1, target.hasSuffix(".md") {
                #expect(
                    try anchors(in: target).contains(String(parts[1])),
                    "\(page) links to \(link), and \(target) has no such heading")
            }
        }
    }

    /// Tests the paths in the table of Docs/Architecture.md.
    @Test func everyFileOfTheMapExists() throws {
        let paths = Project.files(in: "Sources", "Tests", "Examples", "Benchmarks").map { "/\($0)" }
        let named = try Project.text("Docs/Architecture.md")
            .matches(of: /`([\w+*\/]+\/[\w+*\/]*|[\w+*\/]+\.(?:swift|cpp|h))`/)
            .map { String($0.output.1) }
        #expect(named.count > 40)
        for name in named {
            let end = name.hasSuffix("/") ? String(name.dropLast()) : name
            let parts = end.components(separatedBy: "*")
            let isThere = paths.contains { path in
                path.hasSuffix("/\(end)")
                    || parts.count == 2 && path.contains("/\(parts[0])")
                        && path.hasSuffix(parts[1])
            }
            #expect(isThere, "the map names \(name), which is not there")
        }
    }

    /// Tests the functions that Docs/Architecture.md names as `Type.function`.
    @Test func everyFunctionOfThePathsExists() throws {
        let sources = Project.files(in: "Sources").filter { $0.hasSuffix(".swift") }
        let names = try Project.text("Docs/Architecture.md")
            .matches(of: /`([A-Z]\w+)\.([a-z]\w+)`/)
            .filter { !["swift", "h"].contains($0.output.2) }
        #expect(names.count > 40)
        for name in names {
            let (type, function) = (name.output.1, name.output.2)
            let isThere = try sources.contains { path in
                let file = URL(filePath: path).lastPathComponent
                guard file == "\(type).swift" || file.hasPrefix("\(type)+") else { return false }
                return try Project.text(path).contains("func \(function)")
            }
            #expect(isThere, "the page names \(type).\(function), which is not there")
        }
    }

    @Test func thereAreLinksToCheck() throws {
        #expect(try Self.pages.flatMap(links).count > 60)
    }
}
