import Scrollback

// A list shows the first rows and the total, unless the line ends with `limit N` or `all`.

extension Command {
    static let rowLimit = 100

    static func cutRemark(_ count: Int, of total: Int?) -> String {
        let part =
            total.map { "\(grouped(count)) of \(grouped($0))" } ?? "the first \(grouped(count))"
        return "… \(part) shown: add all for the rest"
    }

    /// Returns the first rows of a table and, if any are omitted, the total.
    static func table<Row>(
        _ rows: [Row], limit: Int?, orNone none: String, _ cells: (Row) -> [String]
    ) -> ValuedReply {
        let shown = rows.prefix(limit ?? rowLimit).map(cells)
        let cut = shown.count < rows.count ? "\n\(cutRemark(shown.count, of: rows.count))" : ""
        return ValuedReply(
            shown.isEmpty ? none : columns(shown) + cut, ["rows": shown, "total": rows.count])
    }

    static func table<Row: Record>(
        records: [Row], limit: Int?, orNone none: String, _ cells: (Row) -> [String]
    ) -> ValuedReply {
        let text = table(records, limit: limit, orNone: none, cells).text
        var reply = ValuedReply(text, list: Array(records.prefix(limit ?? rowLimit)))
        reply.values["total"] = records.count
        return reply
    }

    static func columns(_ rows: [[String]]) -> String {
        var rows = rows.map { $0.map(\.oneLine) }
        let full = (0..<(rows.map(\.count).max() ?? 0)).filter { column in
            rows.contains { column < $0.count && !$0[column].isEmpty }
        }
        rows = rows.map { row in full.map { $0 < row.count ? row[$0] : "" } }
        let widths = full.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            while line.last?.isWhitespace == true { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}

extension Int {
    /// A limit above any number of rows that a caller can increase without an overflow.
    static let everything = Int(Int32.max)
}

extension String {
    func padded(to width: Int, atStart: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - count))
        return atStart ? spaces + self : self + spaces
    }
}

/// Returns a number with the name of the counted things, such as `2 gaps`.
func counted(_ count: Int, _ thing: String) -> String {
    count == 1 ? "1 \(thing)" : "\(grouped(count)) \(thing)s"
}

func grouped(_ number: Int) -> String {
    var digits = Array(String(abs(number)))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return (number < 0 ? "-" : "") + String(digits)
}
