// Checks rules about the shape of the code that neither the compiler nor the formatter checks, and
// exits with 1 if a file of Sources or Examples breaks one:
//
// - A file has at most 450 lines, a function at most 70, and a line of a comment at most 100
//   columns.
// - A function has at most three parameters without labels.
// - Where the code silences a check of the compiler, a comment gives the reason.
// - Code, a page or a test uses each public name of Sources.
// - Code reads each public option.
// - No type has an old name according to Docs/Glossary.md.
//
// Runs in the project's directory, on the files that git tracks. It relies on the layout that
// `make format` writes.

import Foundation

let maximumFileLength = 450
let maximumFunctionLength = 70
let maximumCommentWidth = 100
let maximumUnlabelledCount = 3

/// A file of code, or a page.
struct Source {
    let name: String
    let lines: [Substring]
    let words: [String: Int]

    init(_ name: String) throws {
        self.name = name
        let text = try String(contentsOfFile: name, encoding: .utf8)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            .reduce(into: [:]) { $0[String($1), default: 0] += 1 }
    }

    var isCode: Bool { name.hasSuffix(".swift") }
    /// A Boolean value that indicates whether apps receive the file.
    var isShipped: Bool { name.hasPrefix("Sources/") }

    func finding(_ line: Int, _ text: String) -> String { "\(name):\(line + 1): error: \(text)" }
}

extension Substring {
    var indentation: Int { prefix { $0 == " " }.count }
    var isComment: Bool { drop { $0 == " " }.hasPrefix("//") }
}

// MARK: Files and functions

let modifiers = #"^ *(?:(?:@\S+|[a-z]+(?:\([a-z]+\))?) )*"#
let function = try Regex(modifiers + #"(func \S+?|init)\??(?:<.*?>)?\("#)

extension Source {
    var longFiles: [String] {
        guard lines.count - 1 > maximumFileLength else { return [] }
        return [finding(maximumFileLength, "the file has \(lines.count - 1) lines")]
    }

    var functionFindings: [String] {
        var findings: [String] = []
        for first in lines.indices where !lines[first].isComment {
            guard let match = try? function.firstMatch(in: lines[first]) else { continue }
            let name = match.output[1].substring ?? ""
            let count = unlabelledCount(in: lines[first][match.range.upperBound...], first)
            if count > maximumUnlabelledCount {
                findings.append(finding(first, "\(name) has \(count) parameters without labels"))
            }
            let length = length(ofFunctionAt: first)
            if length > maximumFunctionLength {
                findings.append(finding(first, "\(name) has \(length) lines"))
            }
        }
        return findings
    }

    /// Returns the number of parameters without labels after the opening parenthesis.
    private func unlabelledCount(in start: Substring, _ line: Int) -> Int {
        var depth = 0
        var parameter = ""
        var count = 0
        func end() { if parameter.drop(while: \.isWhitespace).hasPrefix("_ ") { count += 1 } }
        for text in [start] + lines[(line + 1)...] {
            for character in text {
                if "([<{".contains(character) { depth += 1 }
                if character == ")", depth == 0 {
                    end()
                    return count
                }
                if ")]>}".contains(character) { depth -= 1 }
                if character == ">", parameter.last == "-" { depth += 1 }
                if character == ",", depth == 0 {
                    end()
                    parameter = ""
                } else {
                    parameter.append(character)
                }
            }
            parameter.append(" ")
        }
        return count
    }

    /// Returns the number of lines to the closing brace; 1 if the function has no other line with
    /// one.
    private func length(ofFunctionAt first: Int) -> Int {
        let indentation = lines[first].indentation
        for line in lines.indices[(first + 1)...] where !lines[line].isEmpty {
            guard lines[line].indentation <= indentation else { continue }
            let start = lines[line].dropFirst(indentation)
            if start.hasPrefix("}") { return line - first + 1 }
            // The end of the parameters.
            if !start.hasPrefix(")") && !start.hasPrefix("where ") && !start.hasPrefix("{") {
                return 1
            }
        }
        return 1
    }
}

// MARK: Comments

extension Source {
    var wideComments: [String] {
        lines.indices.compactMap { line in
            guard lines[line].isComment, lines[line].count > maximumCommentWidth else { return nil }
            return finding(line, "the comment is wider than \(maximumCommentWidth) columns")
        }
    }
}

// MARK: Silenced checks

let silencing = try Regex(
    #"@unchecked Sendable|nonisolated\(unsafe\)|@preconcurrency|try!|swift-format-ignore"#)

extension Source {
    var silencedChecks: [String] {
        lines.indices.compactMap { line in
            guard !lines[line].isComment || lines[line].contains("swift-format-ignore"),
                let match = try? silencing.firstMatch(in: lines[line]),
                !lines[max(0, line - 3)...min(line + 2, lines.count - 1)].contains(where: {
                    $0.contains("// ")
                })
            else { return nil }
            return finding(line, "\(lines[line][match.range]) needs a comment with the reason")
        }
    }
}

// MARK: Names

let publicName = try Regex(
    #"^ *public (?:[a-z]+(?:\([a-z]+\))? )*"#
        + #"(func|var|let|struct|enum|class|actor|protocol|typealias) `?(\w+)"#)
let typeName = try Regex(modifiers + #"(?:struct|enum|class|actor|protocol) (\w+)"#)

/// The old names of types in the tables of the glossary.
func oldTypeNames(in glossary: Source) -> Set<String> {
    var names: Set<String> = []
    var isInTable = false
    for line in glossary.lines {
        if line.hasPrefix("| old |") { isInTable = true }
        if !line.hasPrefix("|") { isInTable = false }
        guard isInTable, let old = line.split(separator: "|").first else { continue }
        let new = line.split(separator: "|").dropFirst().joined()
        for name in old.split(separator: "`") where name.first?.isUppercase == true {
            if name.allSatisfy({ $0.isLetter }), !new.contains("`\(name)`") {
                names.insert(String(name))
            }
        }
    }
    return names
}

extension Source {
    func nameFindings(_ counts: [String: Int], _ shipped: [String: Int], _ old: Set<String>)
        -> [String]
    {
        var findings: [String] = []
        let isOfOptions = lines.contains { $0.hasPrefix("public struct") && $0.contains("Options") }
        for line in lines.indices {
            if let match = try? publicName.firstMatch(in: lines[line]),
                let name = match.output[2].substring.map(String.init),
                !lines[max(0, line - 2)..<line].contains(where: { $0.contains("unavailable") })
            {
                if counts[name] == 1 {
                    findings.append(finding(line, "no code, page or test uses \(name)"))
                } else if isOfOptions, match.output[1].substring == "var",
                    shipped[name] == words[name]
                {
                    findings.append(finding(line, "no code reads the option \(name)"))
                }
            }
            if let match = try? typeName.firstMatch(in: lines[line]),
                let name = match.output[1].substring, old.contains(String(name))
            {
                findings.append(finding(line, "\(name) is an old name: see Docs/Glossary.md"))
            }
        }
        return findings
    }
}

// MARK: The check

let git = Process()
let output = Pipe()
git.executableURL = URL(filePath: "/usr/bin/env")
git.arguments = ["git", "ls-files", "*.swift", "*.md"]
git.standardOutput = output
try git.run()
let list = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
git.waitUntilExit()
let sources = try list.split(separator: "\n").map(String.init)
    .filter { !$0.hasSuffix(".pb.swift") && FileManager.default.fileExists(atPath: $0) }
    .map(Source.init)
guard let glossary = sources.first(where: { $0.name == "Docs/Glossary.md" }) else {
    fatalError("Docs/Glossary.md was not found: run the check in the project's directory.")
}

let code = sources.filter(\.isCode)
let counts = sources.reduce(into: [:]) { $0.merge($1.words, uniquingKeysWith: +) }
let shipped = code.filter(\.isShipped).reduce(into: [:]) { $0.merge($1.words, uniquingKeysWith: +) }
let old = oldTypeNames(in: glossary)
var findings: [String] = []
for source in code where source.isShipped || source.name.hasPrefix("Examples/") {
    findings += source.longFiles + source.functionFindings + source.wideComments
    findings += source.silencedChecks
    if source.isShipped { findings += source.nameFindings(counts, shipped, old) }
}
for finding in findings.sorted(using: String.Comparator(options: .numeric)) { print(finding) }
exit(findings.isEmpty ? 0 : 1)
