import Foundation
import Sync
import Testing

@testable import Models
@testable import ScrollbackTesting

/// Tests the text of a report about failures, and the number of its lines.
@Suite struct ReportTests {
    private func result(
        _ id: String, _ outcome: ConformanceResult.Outcome, trace: [String] = []
    ) -> ConformanceResult {
        let promise = BackendPromise.named(id)
        let check = ConformanceCheck(id, "look") { _ in }
        return ConformanceResult(check: check, promise: promise, outcome: outcome, trace: trace)
    }

    private func lines(_ report: ConformanceReport) -> [String] {
        "\(report)".components(separatedBy: "\n")
    }

    @Test func reportBeginsWithTheBrokenPromises() {
        let report = ConformanceReport(results: [
            result("feed.order", .failed("b a")), result("feed.order", .failed("c a")),
            result("feed.once", .passed), result("send.once", .failed("a a")),
            result("send.reported", .passed), result("open.live", .skipped("the backend lacks it")),
        ])
        #expect(
            lines(report).first
                == "2 of 4 promises broken: feed.order, send.once; 1 check skipped")
        #expect(lines(report).last == "6 checks: 2 passed, 3 failed, 1 skipped")
    }

    @Test func aReportWithoutFailuresSaysSo() {
        let report = ConformanceReport(results: [result("feed.once", .passed)])
        #expect(
            lines(report) == ["0 of 1 promises broken", "1 check: 1 passed, 0 failed, 0 skipped"])
    }

    @Test func longTraceIsShortenedInTheMiddle() {
        let trace = (1...100).map { "call \($0)" }
        let shown = "\(result("feed.once", .failed("it"), trace: trace))"
            .components(separatedBy: "\n").dropFirst(4).map { $0.drop { $0 == " " } }
        #expect(shown.count == 33)
        #expect(shown.first == "call 1")
        #expect(shown[7...9] == ["call 8", "… 68 calls omitted …", "call 77"])
        #expect(shown.last == "call 100")
    }

    @Test func shortTraceIsComplete() {
        let trace = (1...33).map { "call \($0)" }
        #expect(
            "\(result("feed.once", .failed("it"), trace: trace))".hasSuffix(
                trace[31] + "\n        call 33"))
        #expect(!"\(result("feed.once", .failed("it"), trace: trace))".contains("left out"))
    }

    @Test func longLineIsShortenedInTheMiddle() {
        let line = "call → " + String(repeating: "x", count: 1000) + " live"
        let whole = result("feed.once", .failed("it"), trace: [line])
        let shown = "\(whole)".components(separatedBy: "\n").last ?? ""
        #expect(shown.count == 208)
        #expect(shown.hasPrefix("        call → xxx"))
        #expect(shown.contains("x … x"))
        #expect(shown.hasSuffix("x live"))
        #expect(whole.trace == [line])
    }
}
