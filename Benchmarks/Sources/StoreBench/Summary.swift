import ArgumentParser
import Foundation

/// A row of the page's summary.
private struct SummaryRow {
    let text: String
    /// The title of the row in the tables of results.
    let title: String
    /// True if the row shows the 99th percentile instead of the median.
    var isTail = false

    static let all = [
        SummaryRow(text: "insert pages of 100, messages a second", title: Title.insert),
        SummaryRow(text: "the same, until the store is closed", title: Title.insertClosed),
        SummaryRow(text: "the newest 30 messages, decoded", title: Title.newest),
        SummaryRow(text: "the newest 30 messages, decoded: p99", title: Title.newest, isTail: true),
        SummaryRow(text: "a random page of 30, decoded", title: Title.random),
        SummaryRow(text: "30 messages around the last read one, decoded", title: Title.lastRead),
        SummaryRow(text: "find a message by id", title: Title.hit),
        SummaryRow(text: "find a message by id: p99", title: Title.hit, isTail: true),
        SummaryRow(text: "find a message by id, new ones more often", title: Title.recentHit),
        SummaryRow(text: "find an unknown id", title: Title.miss),
        SummaryRow(text: "read all messages, decoded", title: Title.scan),
        SummaryRow(text: Title.countChannel, title: Title.countChannel),
        SummaryRow(text: "store one message", title: Title.put),
        SummaryRow(text: "store one with an id between existing ones", title: Title.putAmong),
        SummaryRow(text: "change one message", title: Title.update),
        SummaryRow(text: "delete one message", title: Title.delete),
        SummaryRow(text: "store one outbox item, synced to disk", title: Title.durablePut),
        SummaryRow(text: "store 100 outbox items, synced to disk", title: Title.durableBatch),
        SummaryRow(text: "open the store after a clean close", title: Title.open),
        SummaryRow(text: "open a cold store and read its first page", title: Title.coldBoth),
        SummaryRow(text: "disk space for each message", title: Title.disk),
        SummaryRow(text: Title.memory, title: Title.memory),
        SummaryRow(text: Title.allChannels, title: Title.allChannels),
        SummaryRow(text: "the first 20 of these channels", title: Title.top20),
    ]
}

extension StoreReport {
    private static let start = "<!-- The command writes the summary below this line. -->"
    private static let end = "<!-- What comes before is the summary, written by the command. -->"

    private static let sqlite = [SQLiteEngine.name, IntegerSQLiteEngine.name]

    /// Replaces the summary of the page that is next to another page, and has `-Store` appended to
    /// its name.
    func writeSummary(nextTo path: String) throws {
        let overview = URL(filePath: path)
        let name = overview.deletingPathExtension().lastPathComponent
        let url = overview.deletingLastPathComponent().appending(path: "\(name)-Store.md")
        let old = try String(contentsOf: url, encoding: .utf8)
        guard let start = old.range(of: Self.start), let end = old.range(of: Self.end) else {
            throw ValidationError("\(url.path) has no marks for the summary.")
        }
        try old.replacingCharacters(
            in: start.upperBound..<end.lowerBound, with: "\n\n\(summary)\n\n"
        ).write(to: url, atomically: true, encoding: .utf8)
    }

    /// The results of the most important rows, and their ratios to SQLite.
    var summary: String {
        let tables = ([100_000, 1_000_000].filter(sizes.contains) + [0]).map { size in
            "With \(title(size)):\n\n\(summary(size))"
        }
        let comparison = """
            The next table shows Scrollback's time or size divided by SQLite's, and the inverse for
            rates. Ratios above 1.05 are bold: SQLite is better there.

            \(ratios)
            """
        return (tables + [comparison]).joined(separator: "\n\n")
    }

    private func summary(_ size: Int) -> String {
        let columns = [
            [ScrollbackEngine.name], Self.sqlite, [GRDBEngine.name], [LMDBEngine.name],
        ]
        let rows = SummaryRow.all.compactMap { row -> [String]? in
            let cells = columns.map { stores in
                best(size, row, of: stores).map { $0.unit.text($0.value) } ?? ""
            }
            return cells[0].isEmpty ? nil : [row.text] + cells
        }
        return table([["operation", "Scrollback", "SQLite", "GRDB", "LMDB"]] + rows)
    }

    private var ratios: String {
        let sizes = sizes + [0]
        let rows = SummaryRow.all.map { row in [row.text] + sizes.map { ratio($0, row) } }
        return table([["operation"] + sizes.map(title)] + rows)
    }

    private func ratio(_ size: Int, _ row: SummaryRow) -> String {
        guard let ours = best(size, row, of: [ScrollbackEngine.name]),
            let theirs = best(size, row, of: Self.sqlite)
        else { return "" }
        let ratio =
            ours.unit == .perSecond ? theirs.value / ours.value : ours.value / theirs.value
        return ratio > 1.05 ? "**\(ratio.brief) ×**" : "\(ratio.brief) ×"
    }

    /// Returns the best value of some stores.
    private func best(
        _ size: Int, _ row: SummaryRow, of stores: [String]
    ) -> (value: Double, unit: Result.Unit)? {
        let found = stores.compactMap { result(size, row.title, $0) }
        guard let unit = found.first?.unit else { return nil }
        let values = found.map { row.isTail ? $0.p99 : $0.median }
        return (unit == .perSecond ? values.max()! : values.min()!, unit)
    }
}
