// Converts the pages in Docs into a DocC catalog, so that the site of the reference has the guides
// too.
//
//     guides CATALOG
//
// Runs in the project's directory. Docs/README.md becomes the root page and its lists become
// topics; each page that it does not list is an error. Links between pages become links between
// articles; links to other files of the project become their paths, since the site does not contain
// them.

import Foundation

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("guides: \(message)\n".utf8))
    exit(1)
}

guard CommandLine.arguments.count == 2 else { fail("usage: guides CATALOG") }
let docs = URL(filePath: "Docs").standardizedFileURL
let root = docs.deletingLastPathComponent()
let catalog = URL(filePath: CommandLine.arguments[1])

/// A page in Docs.
struct Page {
    let url: URL
    var lines: [String]

    init(_ url: URL) {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            fail("cannot read \(url.path)")
        }
        self.url = url
        lines = text.components(separatedBy: "\n")
    }

    /// The article's name on the site, such as `Decisions-Store` for `Decisions/Store.md`.
    var name: String { Self.name(of: url) }

    static func name(of url: URL) -> String {
        var parts = url.deletingPathExtension().pathComponents.dropFirst(docs.pathComponents.count)
        if parts.last == "README" { parts.removeLast() }
        return parts.isEmpty ? "Guides" : parts.joined(separator: "-")
    }

    /// Returns the form that DocC uses for the heading to which GitHub links by `anchor`.
    func fragment(of anchor: String) -> String? {
        let headings = lines.filter { $0.hasPrefix("#") }.map {
            $0.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
        }
        let heading = headings.first { heading in
            heading.lowercased().filter {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
            }
            .replacingOccurrences(of: " ", with: "-") == anchor
        }
        return heading?.replacingOccurrences(of: "`", with: "")
            .replacingOccurrences(of: " ", with: "-")
    }
}

let found = FileManager.default.enumerator(at: docs, includingPropertiesForKeys: nil)
let files = (found?.compactMap { ($0 as? URL)?.standardizedFileURL } ?? [])
let pages = files.filter { $0.pathExtension == "md" }.map(Page.init)
let names = Set(pages.map(\.name))

/// Returns the link to an article for the destination of a link in a page, or nil if the site does
/// not have the destination.
func articleLink(_ destination: String, in page: Page) -> String? {
    let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var target = page
    if !parts[0].isEmpty {
        let url = URL(filePath: String(parts[0]), relativeTo: page.url.deletingLastPathComponent())
            .standardizedFileURL
        guard let other = pages.first(where: { $0.url.path == url.path }) else {
            guard FileManager.default.fileExists(atPath: url.path) else {
                fail("\(page.url.path) links to \(destination), which does not exist")
            }
            return nil
        }
        target = other
    }
    guard parts.count == 2 else { return "doc:\(target.name)" }
    guard let fragment = target.fragment(of: String(parts[1])) else {
        fail("\(page.url.path) links to \(destination), but that page has no such heading")
    }
    return "doc:\(target.name)#\(fragment)"
}

let link = #/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/#

/// Converts the links in a passage that is outside of code blocks.
///
/// The text of a link may be wrapped over two lines.
func converted(_ passage: [String], in page: Page) -> [String] {
    passage.joined(separator: "\n").replacing(link) { match in
        let (whole, image, text, destination) = match.output
        if !image.isEmpty || destination.hasPrefix("http") { return String(whole) }
        if let article = articleLink(String(destination), in: page) {
            return "[\(text)](\(article))"
        }
        let path = URL(
            filePath: String(destination), relativeTo: page.url.deletingLastPathComponent()
        )
        .standardizedFileURL.path.dropFirst(root.path.count + 1)
        return text.contains(path) || text.contains("`") ? String(text) : "\(text) (`\(path)`)"
    }.components(separatedBy: "\n")
}

/// Returns the lines of an article.
///
/// Links are converted except in code, and collapsed parts are expanded.
func article(_ page: Page) -> [String] {
    var result: [String] = []
    var passage: [String] = []
    var isCode = false
    for line in page.lines {
        if line.hasPrefix("```") {
            result += converted(passage, in: page)
            passage = []
            isCode.toggle()
            result.append(line)
        } else if isCode {
            result.append(line)
        } else if !line.hasPrefix("<details>"), line != "</details>" {
            passage.append(line)
        }
    }
    return result + converted(passage, in: page)
}

/// Returns the root page.
///
/// Each section of Docs/README.md becomes a group of topics.
func index(_ page: Page) -> [String] {
    var result: [String] = []
    for line in page.lines {
        if line.hasPrefix("# ") {
            result += [line, "", "@Metadata {", "    @TechnologyRoot", "}"]
        } else if line.hasPrefix("## ") {
            if !result.contains("## Topics") { result += ["## Topics", ""] }
            result.append("#" + line)
        } else if line.hasPrefix("- ["), let match = line.firstMatch(of: link) {
            guard let article = articleLink(String(match.output.3), in: page) else {
                fail("Docs/README.md lists \(match.output.3), which is not a page of Docs")
            }
            result.append("- <\(article)>")
        } else {
            result.append(line)
        }
    }
    return result
}

guard let rootPage = pages.first(where: { $0.name == "Guides" }) else { fail("no Docs/README.md") }
let topics = index(rootPage)
for page in pages where page.name != "Guides" && !topics.contains("- <doc:\(page.name)>") {
    fail("Docs/README.md does not list \(page.url.path)")
}

do {
    try FileManager.default.createDirectory(at: catalog, withIntermediateDirectories: true)
    for page in pages {
        let lines = page.name == "Guides" ? topics : article(page)
        try lines.joined(separator: "\n")
            .write(
                to: catalog.appending(path: page.name + ".md"), atomically: true, encoding: .utf8)
    }
    for image in files where ["svg", "png"].contains(image.pathExtension) {
        let copy = catalog.appending(path: image.lastPathComponent)
        try FileManager.default.copyItem(at: image, to: copy)
    }
} catch {
    fail("could not write the catalog: \(error)")
}
