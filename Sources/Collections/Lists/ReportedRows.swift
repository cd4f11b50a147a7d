/// The recipients of notifications about edits.
enum Reporting {
    /// The subscribers of changes and all methods of the delegate.
    case reported
    /// As ``reported``, except for the delegate's method for added rows: the call returns those.
    case page
    /// The subscribers of changes, and the delegate's method `didChange`: the call returns all
    /// rows.
    case requested
}

/// Rows grouped by their context, in the order in which the contexts first occur.
struct ReportedRows<Context: Hashable, Row> {
    private(set) var parts: [(context: Context, rows: [Row])] = []

    mutating func add(_ row: Row, _ context: Context) {
        if let index = parts.firstIndex(where: { $0.context == context }) {
            parts[index].rows.append(row)
        } else {
            parts.append((context, [row]))
        }
    }
}

extension ListDiff {
    var changed: [Changed] { (updates + moves).sorted { $0.to < $1.to } }
}
