import Foundation
import ScrollbackReliability
import ScrollbackTestSupport
import Testing

/// Compares the faults in Docs/Reliability.md with those of the matrix.
@Suite(.timeLimit(.minutes(10))) struct MatrixPageTests {
    private static let root = Repository.root

    private func lines() throws -> [String] {
        let page = Page(MatrixPageTests.root.appending(path: "Docs/Reliability.md").path)
        return try page.text(of: .faults).split(separator: "\n").map(String.init)
    }

    @Test func eachFaultHasItsLine() throws {
        let titles = try lines().filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
        #expect(titles == ["fault"] + Fault.allCases.map(\.title))
    }

    @Test(arguments: Fault.allCases) func itsTestIsThere(fault: Fault) throws {
        let parts = fault.test.split(separator: "/").map(String.init)
        try #require(parts.count == 2)
        #expect(try lines().contains { $0.hasSuffix("| `\(parts[0])`: `\(parts[1])` |") })
        let suites = try MatrixPageTests.suites.get().filter { $0.contains("struct \(parts[0]) ") }
        #expect(suites.contains { $0.contains("func \(parts[1])(") })
    }

    /// The texts of all test files.
    private static let suites = Result {
        let tests = root.appending(path: "Tests")
        let names = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String }
        // `Scrollback` is a link to a parent directory, whose files would be found again.
        return try (names ?? []).filter {
            $0.hasSuffix(".swift") && !$0.hasPrefix("Scrollback/")
        }
        .map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }
    }

    /// Tests the faults whose counts are the same in every run and that need no other process.
    @Test(arguments: [
        Fault.powerLost, .deniedFiles, .lockedFiles, .wrongKey, .newerSchema, .offline,
        .sessionExpired, .feedCursorExpired, .serverPutBack, .contradictoryRows,
    ])
    func countsEqualThoseOnThePage(fault: Fault) async throws {
        let place = try ScratchDirectory.made(in: ScratchDirectory.memory)
        defer { place.remove() }
        let outcome = try await Matrix(in: place.url).run(fault)
        #expect(outcome.violations == [])
        let counts = MatrixTable.counts(fault, outcome)
        #expect(try lines().contains { $0.hasPrefix(counts) }, "\(counts)")
    }
}
