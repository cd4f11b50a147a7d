import Foundation

/// Docs/Reliability.md, into which the commands write their results.
package struct Page: Sendable {
    /// A part of the page that a command writes.
    package enum Part: String, Sendable {
        case faults, soak
    }

    private let url: URL

    package init(_ path: String) { url = URL(filePath: path) }

    /// Returns the text between the two marks of a part.
    package func text(of part: Part) throws -> String {
        let page = try String(contentsOf: url, encoding: .utf8)
        return String(page[try range(of: part, in: page)])
    }

    /// Replaces the text between the marks of a part, and writes the plot to a file next to the
    /// page.
    func write(_ text: String, as part: Part, plot: MemoryPlot?) throws {
        guard let plot else { return try write(text, as: part) }
        let name = url.deletingPathExtension().lastPathComponent + "-\(part).svg"
        try plot.svg.write(
            to: url.deletingLastPathComponent().appending(path: name), atomically: true,
            encoding: .utf8)
        try write("\(text)\n\n![Memory and files during the run](\(name))", as: part)
    }

    /// Replaces the text between the two marks of a part.
    package func write(_ text: String, as part: Part) throws {
        let page = try String(contentsOf: url, encoding: .utf8)
        try page.replacingCharacters(in: try range(of: part, in: page), with: "\n\n\(text)\n\n")
            .write(to: url, atomically: true, encoding: .utf8)
    }

    private func range(of part: Part, in page: String) throws -> Range<String.Index> {
        guard let start = page.range(of: "<!-- make \(part) writes the text below this line. -->"),
            let end = page.range(of: "<!-- make \(part) writes the text above this line. -->"),
            start.upperBound <= end.lowerBound
        else { throw Unexpected("\(url.path) has no marks of \(part)") }
        return start.upperBound..<end.lowerBound
    }
}

/// The machine on which a measurement was made.
enum Machine {
    /// The date, the processor, the number of cores and the operating system.
    static var description: String {
        let day = Date.now.formatted(.iso8601.year().month().day())
        let processor = value(of: "model name", in: "/proc/cpuinfo", behind: ":")
        let system = value(of: "PRETTY_NAME", in: "/etc/os-release", behind: "=")
        let cores = ProcessInfo.processInfo.processorCount
        return "\(day): \(processor ?? "unknown processor"), \(cores) cores, "
            + (system ?? ProcessInfo.processInfo.operatingSystemVersionString) + ", " + build
    }

    private static var build: String {
        #if DEBUG
            "debug build"
        #else
            "release build"
        #endif
    }

    private static func value(
        of key: String, in path: String, behind separator: Character
    ) -> String? {
        guard let lines = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return lines.split(separator: "\n").first { $0.hasPrefix(key) }?
            .split(separator: separator, maxSplits: 1).last?
            .trimmingCharacters(in: [" ", "\t", "\""])
    }
}

/// Prints a line by a single write, because the parent may kill this process after it has read the
/// line.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(3) }
}
