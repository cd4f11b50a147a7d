// Counts unusual phrases in comments, error messages and pages, and fails if a kind of text has
// more than 0.5 of them for each 1,000 words. CONTRIBUTING.md says how the project's text should
// read.
//
//     language [--list]
//
// Runs in the project's directory, on the files that git tracks. `--list` prints each finding. The
// check compares words; it cannot judge whether a sentence is good.

import Foundation

/// Words and phrases for which the field has a usual term, such as "older".
let phrases = #"""
    \b(behind|anew|lets? go of|letting go of|lies|lie|nobody|somebody|whoever|told|tells?|goes on|go on|\#
    (?:is|are) there|of before|a row of|stands? for|what becomes of|what became of|in vain|as far as it is)\b
    """#
/// Sentences that begin with a relative clause instead of a subject.
let leadingClauses = #"""
    (?:^|[.;:] )\s*(?:What|Who|Whoever|Which|Where|Whether|That)\b[^?.]*?\#
    \b(?:is|are|has|have|was|were|goes|comes|stands|waits|lies)\b
    """#
let limit = 0.5  // for each 1,000 words

func expression(_ pattern: String, _ options: NSRegularExpression.Options = []) throws
    -> NSRegularExpression
{
    try NSRegularExpression(
        pattern: pattern.trimmingCharacters(in: .whitespacesAndNewlines), options: options)
}

extension NSRegularExpression {
    func findings(in text: String) -> [String] {
        matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 0), in: text).map { text[$0].trimmingCharacters(in: .whitespaces) }
        }
    }
}

/// A line of a comment or of a page, or a string literal.
struct Passage {
    let kind: String
    let text: String
    let line: Int
}

let literal = try expression(#""(?:[^"\\]|\\.)*""#)
/// Matches an interpolation in a string.
///
/// It may contain at most one pair of parentheses inside another.
let interpolation = try Regex(#"\\\((?:[^()]|\([^()]*\))*\)"#)

func passages(of name: String, _ content: String) -> [Passage] {
    var passages: [Passage] = []
    let isTest = name.hasPrefix("Tests/") || name.hasPrefix("Benchmarks/")
    let isPage = name.hasSuffix(".md")
    var isFenced = false
    for (index, line) in content.components(separatedBy: "\n").enumerated() {
        func add(_ kind: String, _ text: some StringProtocol) {
            passages.append(Passage(kind: kind, text: String(text), line: index + 1))
        }
        if isPage {
            if line.hasPrefix("```") { isFenced.toggle() }
            if !isFenced { add("pages", line) }
            continue
        }
        let strings = literal.findings(in: line)
        let comment = strings.contains { $0.contains("//") } ? nil : line.range(of: "//")
        if let comment {
            let text = line[comment.upperBound...].drop { $0 == "/" || $0 == " " }
            add(isTest ? "comments of tests" : "comments", text)
        } else if !isTest {
            for string in strings where string.contains(" ") {
                add("messages", string.dropFirst().dropLast().replacing(interpolation, with: "…"))
            }
        }
    }
    return passages
}

let list = Process()
let output = Pipe()
list.executableURL = URL(filePath: "/usr/bin/env")
list.arguments = ["git", "ls-files"]
list.standardOutput = output
try list.run()
let names = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    .split(separator: "\n").map(String.init)
list.waitUntilExit()

let searches = [
    ("phrases", try expression(phrases, .caseInsensitive)),
    ("leading clauses", try expression(leadingClauses)),
]
var words: [String: Int] = [:]
var findings: [String: [String: Int]] = [:]
for name in names
where !["/Corpus/", ".pb.swift", "Tools/language."].contains(where: name.contains) {
    guard [".md", ".swift", ".cpp", ".h", ".proto"].contains(where: name.hasSuffix),
        // Skip links to directories, and removed files.
        let content = try? String(contentsOfFile: name, encoding: .utf8)
    else { continue }
    for passage in passages(of: name, content) {
        words[passage.kind, default: 0] += passage.text.split(separator: " ").count
        for (search, expression) in searches {
            for finding in expression.findings(in: passage.text) {
                findings[passage.kind, default: [:]][search, default: 0] += 1
                if CommandLine.arguments.contains("--list") {
                    print("\(name):\(passage.line): \(finding.debugDescription)", passage.text)
                }
            }
        }
    }
}
guard !words.isEmpty else { fatalError("no text was found: is this the project's directory?") }

var isExceeded = false
for (kind, count) in words.sorted(by: { $0.key < $1.key }) {
    let rates = searches.map { Double(findings[kind]?[$0.0] ?? 0) * 1000 / Double(count) }
    isExceeded = isExceeded || rates.contains { $0 > limit }
    let columns = zip(searches, rates).map { "\(String(format: "%.2f", $1)) \($0.0)" }
    print("\(kind): \(count) words; for each 1,000: \(columns.joined(separator: ", "))")
}
if isExceeded { print("error: the limit is \(limit) for each 1,000 words; see --list") }
exit(isExceeded ? 1 : 0)
