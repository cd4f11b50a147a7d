import Foundation
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

/// Checks that the suite covers exactly the promises in `Backend.swift`.
@Suite struct PromiseTests {
    /// The promises in the protocol's documentation.
    ///
    /// Each is a line "- `id`: sentence" with its continuation lines.
    static let promises: [String] = {
        let file = Repository.root.appending(path: "Sources/Sync/Backend/Backend.swift")
        // A missing file has no promises. A test below detects this.
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var promises: [String] = []
        var goesOn = false
        for line in text.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if let match = line.wholeMatch(of: /\/\/\/ - `(\w+\.\w+)`: (.*)/) {
                promises.append("\(match.output.1): \(match.output.2)")
                goesOn = true
            } else if goesOn, let match = line.wholeMatch(of: /\/\/\/   (\S.*)/) {
                promises[promises.count - 1] += " \(match.output.1)"
            } else {
                goesOn = false
            }
        }
        return promises
    }()

    @Test func theSuiteHasThePromisesOfTheProtocolWordForWord() {
        #expect(Self.promises.count > 50)
        let declared = Set(StandardRequests.types.flatMap { $0.declaration.promises })
        #expect(declared.count > 30)
        let ofProtocol = BackendConformance.promises.filter { !declared.contains($0) }
        #expect(ofProtocol.map(\.description) == Self.promises)
    }

    @Test func eachPromiseHasACheck() {
        let checked = Set(BackendConformance.checks.map(\.promise))
        #expect(BackendConformance.promises.filter { !checked.contains($0) } == [])
    }

    @Test func noTwoChecksHaveOneName() {
        let ids = BackendConformance.checks.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    /// If no mistake breaks a promise, its check may be unable to fail.
    @Test func eachPromiseIsBrokenByAMistake() {
        let found = Set((Mistake.all + Mistake.ofAbilities).flatMap(\.promises))
        let promised = Set(BackendConformance.promises.map(\.id))
        // Only a feed that does not wait can break the first promise, only a server with separate
        // reactions the second one, and only a server with several clocks the last one.
        // `MistakeTests` tests these.
        #expect(
            promised.subtracting(found).sorted() == ["feed.wait", "reactions.all", "send.order"])
    }
}
