import Foundation
import Measuring

/// The results as text, as JSON, and as parts of a page.
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

// MARK: For the terminal

extension Report {
    var text: String {
        groups.map { group in
            let width = 42
            let header =
                "name".padded(to: width)
                + ["median", "min", "p99", "x protobuf", "mallocs"].map { $0.padded(to: -11) }
                .joined()
            let rows = measurements(in: group).map { row in
                row.name.padded(to: width) + row.cells.map { $0.padded(to: -11) }.joined()
            }
            return (["\(group.title)", group.note, header] + rows).joined(separator: "\n")
        }
        .joined(separator: "\n\n")
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

// MARK: JSON

extension Report {
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(measurements)
        }
    }
}

// MARK: A page

extension Report {
    /// The parts of a page: the goals, the plot and the tables.
    func parts(plot: String) -> [String] {
        [goals, plot] + groups.map { "### \($0.title)\n\n\($0.note)\n\n\(table($0))" }
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
