import Foundation
import ScrollbackTestSupport
import Testing

/// Tests that Docs/Migration.md names only tests that exist.
@Suite struct MigrationPageTests {
    private let tests = Repository.root.appending(path: "Tests")

    @Test func eachRowNamesExistingTests() throws {
        let page = try Repository.text(of: "Docs/Migration.md")
        let known = try names(
            in: ["CollectionsTests", "SyncTests", "StoreTests", "ModelsTests"])
        var rows = 0
        for line in page.split(separator: "\n")
        where line.hasPrefix("| ") && !line.hasPrefix("| there") {
            let cell = line.split(separator: "|").last ?? ""
            let named = cell.split(separator: "`").enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            #expect(!named.isEmpty, "\(line)")
            #expect(named.filter { !known.contains($0) } == [], "\(line)")
            rows += 1
        }
        #expect(rows > 40)
    }

    private func names(in targets: [String]) throws -> Set<String> {
        var names: Set<String> = []
        for target in targets {
            let directory = tests.appending(path: target)
            for file in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            where file.hasSuffix(".swift") {
                let text = try String(
                    contentsOf: directory.appending(path: file), encoding: .utf8)
                for part in text.components(separatedBy: "func ").dropFirst() {
                    names.insert(String(part.prefix { $0.isLetter || $0.isNumber }))
                }
            }
        }
        return names
    }
}
