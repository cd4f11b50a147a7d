import Foundation

/// Reads a size that Linux reports about this process in kilobytes.
///
/// - Parameters:
///   - name: The name of the line, for example `RssAnon`.
///   - file: The name of the file in `/proc/self`.
/// - Returns: The size in bytes, or 0 on other systems.
public func processMemory(_ name: String, in file: String) -> Int {
    1024 * processValue(name, in: file)
}

/// Reads a number that Linux reports about this process, as ``processMemory(_:in:)`` does.
public func processValue(_ name: String, in file: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let fields = line?.split(whereSeparator: \.isWhitespace) ?? []
    return fields.dropFirst().first.flatMap { Int($0) } ?? 0
}
