public import Foundation

/// A page of the documentation with a part that a command writes.
public struct Page {
    private let url: URL

    private static let start = "<!-- The command writes the text below this line. -->"
    private static let end = "<!-- What comes before was written by the command. -->"

    /// Creates a page in the directory of the page at `path`.
    ///
    /// Its name is that page's name with a suffix.
    public init(_ path: String, suffix: String) {
        let overview = URL(filePath: path)
        let name = overview.deletingPathExtension().lastPathComponent
        url = overview.deletingLastPathComponent().appending(path: "\(name)\(suffix).md")
    }

    /// Replaces the text between the page's two marks with results, and with a line that has the
    /// machine, the date and the command.
    public func write(_ parts: [String], machine: Machine, date: String, command: String) throws {
        let old = try String(contentsOf: url, encoding: .utf8)
        guard let start = old.range(of: Page.start), let end = old.range(of: Page.end) else {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [NSFilePathErrorKey: url.path, "reason": "The page has no marks."])
        }
        let origin = "Measured on \(date) with `\(command)`: \(machine)."
        let new = "\n\n\(([origin] + parts).joined(separator: "\n\n"))\n\n"
        try old.replacingCharacters(in: start.upperBound..<end.lowerBound, with: new)
            .write(to: url, atomically: true, encoding: .utf8)
    }

    /// Writes a plot into the directory of the page.
    ///
    /// Its name is the page's name with a suffix.
    ///
    /// - Returns: The Markdown that shows the plot.
    public func write(plot: String, suffix: String = "", title: String) throws -> String {
        let name = url.deletingPathExtension().lastPathComponent + suffix + ".svg"
        let file = url.deletingLastPathComponent().appending(path: name)
        try plot.write(to: file, atomically: true, encoding: .utf8)
        return "![\(title)](\(name))"
    }
}

/// Writes a value to a file, as JSON.
public func writeJSON(_ value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(value).write(to: URL(filePath: path))
}

extension Date {
    /// The current date in the form that pages show.
    public static var today: String { now.formatted(.iso8601.year().month().day()) }
}
