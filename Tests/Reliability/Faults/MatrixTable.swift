import Foundation

/// The table in Docs/Reliability.md, with one row for each fault.
package struct MatrixTable: Sendable {
    package private(set) var rows: [(fault: Fault, outcome: Outcome)] = []

    package init() {}

    mutating func add(_ fault: Fault, _ outcome: Outcome) { rows.append((fault, outcome)) }

    private static let head = [
        "fault", "injected", "promised", "of these lost", "stored",
        "of these missing until healed", "reported to the app", "called by the app",
        "healed after: median, worst", "waits, at most", "test",
    ]

    var text: String {
        """
        Measured on \(Machine.description).

        | \(MatrixTable.head.joined(separator: " | ")) |
        |---|--:|--:|--:|--:|--:|---|---|--:|--:|---|
        \(rows.map { MatrixTable.line($0.fault, $0.outcome) }.joined(separator: "\n"))

        \(sum)
        """
    }

    private var sum: String {
        func total(_ part: (Outcome) -> Int) -> String {
            rows.reduce(0) { $0 + part($1.outcome) }.grouped
        }
        return "In all: \(total(\.injected)) faults; \(total(\.promised)) messages promised, "
            + "\(total(\.lost)) lost, each by damage to the only copy of them; "
            + "\(total { $0.violations.count }) promises broken."
    }

    /// Returns the columns of a row that are the same in each run.
    ///
    /// These are the fault, and the numbers of injected faults, of promised messages and of lost
    /// messages.
    package static func counts(_ fault: Fault, _ outcome: Outcome) -> String {
        let cells = [
            fault.title, "\(outcome.injected.grouped) \(fault.unit)", outcome.promised.grouped,
            outcome.lost.grouped,
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    static func line(_ fault: Fault, _ outcome: Outcome) -> String {
        let test = fault.test.split(separator: "/").map { "`\($0)`" }.joined(separator: ": ")
        let times = outcome.times.sorted()
        let healed =
            times.isEmpty ? "" : "\(times[times.count / 2].short), \(times[times.count - 1].short)"
        let cells = [
            outcome.stored.grouped, outcome.missing.grouped, list(outcome.reported, "nothing"),
            list(outcome.calls, "`connect`"), healed,
            outcome.waited == .zero ? "none" : "\(outcome.waited.components.seconds) s",
            test,
        ]
        return counts(fault, outcome) + " " + cells.joined(separator: " | ") + " |"
    }

    private static func list(_ counts: [String: Int], _ empty: String) -> String {
        if counts.isEmpty { return empty }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { text, count in
                let isProse = text.contains("`") || text.hasPrefix("nothing")
                return (isProse ? text : "`\(text)`") + " \(count)×"
            }
            .joined(separator: ", ")
    }
}

extension Int {
    /// The number with commas between groups of three digits.
    var grouped: String { formatted(.number.locale(Locale(identifier: "en_US"))) }
}

extension Duration {
    /// The duration in milliseconds.
    var short: String {
        let milliseconds = Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
        return String(format: milliseconds < 10 ? "%.1f ms" : "%.0f ms", milliseconds)
    }
}
