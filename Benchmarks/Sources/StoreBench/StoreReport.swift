import Foundation
import Measuring

/// The results as parts of a page.
struct StoreReport {
    let results: [Result]

    var sizes: [Int] { Set(results.map(\.size)).subtracting([0]).sorted() }

    func result(_ size: Int, _ row: String, _ store: String) -> Result? {
        results.first { $0.size == size && $0.row == row && $0.store == store }
    }

    /// Returns the titles of a table's rows, in the order of measurement.
    private func rows(_ size: Int) -> [String] {
        var rows: [String] = []
        for result in results where result.size == size && !rows.contains(result.row) {
            rows.append(result.row)
        }
        return rows
    }

    private func stores(_ size: Int) -> [String] {
        let measured = Set(results.filter { $0.size == size }.map(\.store))
        return (engineTypes.map { $0.name } + [Runner.appendName]).filter(measured.contains)
    }

    func title(_ size: Int) -> String {
        size == 0 ? "\(ChannelItem.count.grouped) channels" : "\(size.grouped) messages"
    }

    /// Returns the rows of a table as cells.
    ///
    /// The header is the first row.
    private func cells(_ size: Int) -> [[String]] {
        let stores = stores(size)
        return [[""] + stores]
            + rows(size).map { row in
                [row] + stores.map { store in result(size, row, store)?.cell ?? "" }
            }
    }
}

extension StoreReport {
    /// The parts of a page: the goals, the plots and the tables.
    func parts(plots: [String] = []) -> [String] {
        [goals, Item.note] + plots
            + (sizes + [0]).flatMap { size in
                ["### \(title(size).capitalizedFirst)", table(cells(size))]
            }
    }

    private var goals: String {
        let judgements = judgements
        let reached = judgements.count(where: \.isReached)
        let head = "\(reached) of \(judgements.count) goals are reached. Missed goals:"
        let rows = judgements.filter { !$0.isReached }.map { judgement in
            [
                title(judgement.goal.size), judgement.goal.row, judgement.wanted,
                judgement.measured, judgement.goal.reason,
            ]
        }
        let all = judgements.map { judgement in
            [
                title(judgement.goal.size), judgement.goal.row, judgement.wanted,
                judgement.measured, judgement.isReached ? "yes" : "no",
            ]
        }
        return """
            \(head)

            \(table([["with", "operation", "goal", "result", "reason"]] + rows))

            <details><summary>All goals</summary>

            \(table([["with", "operation", "goal", "result", "reached"]] + all))

            </details>
            """
    }

    func table(_ rows: [[String]]) -> String {
        let lines = rows.map { "| \($0.joined(separator: " | ")) |" }
        let rule = "|---|" + String(repeating: "--:|", count: rows[0].count - 1)
        return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }
}

extension Result {
    /// The median, and on a second line the 99th percentile and the longest time.
    fileprivate var cell: String {
        count < 10 || unit != .nanoseconds
            ? unit.text(median)
            : "\(unit.text(median))<br><sub>\(unit.text(p99)) · \(unit.text(worst))</sub>"
    }
}

extension Int {
    /// The number with thousands separators.
    var grouped: String { formatted(.number.locale(Locale(identifier: "en_US"))) }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
