import Foundation

/// What was measured, as text, JSON, and a page.
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
    /// Median, minimum and 99th percentile in nanoseconds; times as fast as swift-protobuf;
    /// allocations.
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
    private static let start = "<!-- What follows is written by the command. -->"
    private static let end = "<!-- What comes before was written by the command. -->"

    /// Replaces what stands between the marks of a page.
    func write(
        into page: URL, plot: String, machine: Machine, date: String, command: String
    ) throws {
        let old = try String(contentsOf: page, encoding: .utf8)
        guard let start = old.range(of: Report.start), let end = old.range(of: Report.end) else {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [NSFilePathErrorKey: page.path, "reason": "The page has no marks."])
        }
        let origin = "Measured on \(date) with `\(command)`: \(machine)."
        let tables = groups.map { "### \($0.title)\n\n\($0.note)\n\n\(table($0))" }
        let parts = [origin, goals, "![The figures, drawn](\(plot))"] + tables
        let new = "\n\n\(parts.joined(separator: "\n\n"))\n\n"
        try old.replacingCharacters(in: start.upperBound..<end.lowerBound, with: new)
            .write(to: page, atomically: true, encoding: .utf8)
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

// MARK: Numbers

extension Double {
    /// With as many digits as one may believe: three, without an exponent.
    var brief: String {
        switch self {
        case 100...: String(format: "%.0f", self)
        case 10..<100: String(format: "%.1f", self).replacing(/\.0$/, with: "")
        default: String(format: "%.2f", self).replacing(/\.?0+$/, with: "")
        }
    }
}

extension String {
    /// Filled with spaces at the end, or at the beginning for a negative width.
    func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? spaces + self : self + spaces
    }
}
