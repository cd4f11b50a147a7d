import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

/// Tests the table of `Docs/Backends.md` that lists the calls of a backend in the order in which an
/// author implements them, with the promises that each step keeps for the first time.
@Suite(.timeLimit(.minutes(10))) struct BackendStepTests {
    struct BackendStep: Sendable {
        let calls: [String]
        /// The IDs of the promises; empty for all that are left.
        let promises: [String]
    }

    static let steps: [BackendStep] = {
        // If the page is missing, it has no steps, and the first test fails.
        let page = (try? Repository.text(of: "Docs/Backends.md")) ?? ""
        let section = page.components(separatedBy: "\n## First step\n").dropFirst().first ?? ""
        let rows = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
        return rows.filter { $0.hasPrefix("| `") }.map { row in
            let cells = row.split(separator: "|").map { cell in
                cell.matches(of: /`([\w.]+)`/).map { String($0.output.1) }
            }
            return BackendStep(calls: cells[0], promises: cells.count > 1 ? cells[1] : [])
        }
    }()

    @Test func thePageHasSteps() {
        #expect(Self.steps.count == 5)
        #expect(Self.steps.filter(\.promises.isEmpty).count == 1)
    }

    @Test(arguments: steps.indices)
    func eachStepKeepsItsPromises(index: Int) async {
        let promises: [String?] =
            Self.steps[index].promises.isEmpty ? [nil] : Self.steps[index].promises
        for promise in promises {
            let after = await report(afterSteps: index + 1, promise)
            #expect(after.isKept && !after.passed.isEmpty, "\(after)")
            let before = await report(afterSteps: index, promise)
            #expect(!before.isKept, "an earlier step keeps \(promise ?? "all promises")")
        }
    }

    /// Returns a report of the checks that need no hook.
    private func report(
        afterSteps count: Int, _ promise: String?
    ) async -> ConformanceReport {
        let calls = Set(Self.steps[..<count].flatMap(\.calls))
        var subject = TeamChatSubject()
        subject.wrap = { PartialBackend(base: $0, calls: calls) }
        return await BackendConformance.run(on: subject) { check in
            check.hooks.isEmpty && (promise == nil || check.promise.id == promise)
        }
    }
}

/// A backend that has only some of the calls of another one.
private struct PartialBackend: ForwardingBackend {
    let base: any Backend
    /// The names of core calls, and the types of requests.
    let calls: Set<String>

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        guard calls.contains(Call.name.rawValue) || calls.contains("\(Call.self)") else {
            throw .notImplemented("\(Call.name)")
        }
        return try await call.make(on: base)
    }
}
