import Measuring

/// The results as parts of a page.
struct Report {
    let groups: [Group]
    let measurements: [Measurement]

    func measurements(in group: Group) -> [Measurement] {
        measurements.filter { $0.group == group.title }
    }

    func measurement(_ group: String, _ name: String) -> Measurement? {
        measurements.first { $0.group == group && $0.name == name }
    }
}

extension Measurement {
    /// The median, minimum and 99th percentile in nanoseconds, the speed as a multiple of
    /// swift-protobuf's, and the allocations.
    var cells: [String] {
        [
            median.brief, minimum.brief, p99.brief, ratio?.brief ?? "",
            allocations.map { $0.brief } ?? "",
        ]
    }
}

extension Report {
    /// The parts of a page: the goals, the plots and the tables.
    func parts(plots: [String] = []) -> [String] {
        [goals] + plots + groups.map { "### \($0.title)\n\n\($0.note)\n\n\(table($0))" }
    }

    private func table(_ group: Group) -> String {
        let head = """
            | | ns | fastest | p99 | × swift-protobuf | allocations |
            |---|--:|--:|--:|--:|--:|

            """
        let rows = measurements(in: group).map { row in
            "| \(row.name) | \(row.cells.joined(separator: " | ")) |"
        }
        return head + rows.joined(separator: "\n")
    }
}
