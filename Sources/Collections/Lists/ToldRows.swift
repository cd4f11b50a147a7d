/// Who hears of an edit beside those who fold changes.
enum Telling {
    /// Who is told what was added, updated and deleted, too.
    case told
    /// Nobody: it was asked for.
    case asked
}

/// Rows in parts that have one reason each, in the order in which the reasons come up.
struct ToldRows<Context: Hashable, Row> {
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
    /// What has changed, wherever it is now, in the order of the list after.
    var changed: [Changed] { (updates + moves).sorted { $0.to < $1.to } }
}
