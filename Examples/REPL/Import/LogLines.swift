package import Foundation
import Scrollback

/// A line of a log, or a value of a log in JSON.
package struct LogLine {
    /// The number of the line, or of the value's first line.
    package let number: Int

    package let bytes: Data

    /// The values outside of the value's list, by path.
    var context: [String: JSONValue] = [:]

    /// The number of changes of the context so far.
    var contextNumber = 0

    var isInList = false
}

/// Divides a log, which arrives piece by piece, into its lines or JSON values.
package struct LogLines {
    private enum Mode { case unknown, lines, values }

    private var mode: Mode
    private var scanner: JSONScanner
    private let lists: [String]
    private var rest: [UInt8] = []
    private var searchedCount = 0
    private var number = 0

    /// The error of a JSON value; nothing after it is read.
    package private(set) var failure: (any Error)?

    private static let firstLineLimit = 1 << 20

    package init(isText: Bool, lists: [String]) {
        (mode, self.lists) = (isText ? .lines : .unknown, lists)
        scanner = JSONScanner(lists: lists)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>) -> [LogLine] {
        guard mode != .values else { return values { try $0.read(bytes) } }
        rest += bytes
        guard mode == .unknown else { return lines() }
        let space = rest.prefix { $0 <= 0x20 }
        number += space.count { $0 == 0x0A }
        rest.removeFirst(space.count)
        let first = firstLine
        guard first.endIndex < rest.endIndex || first.count > Self.firstLineLimit else { return [] }
        return decide(first)
    }

    package mutating func finish() -> [LogLine] {
        let found = mode == .unknown ? decide(firstLine) : []
        guard mode == .lines else { return found + values { try $0.finish() } }
        rest.append(0x0A)
        return found + lines()
    }

    private var firstLine: ArraySlice<UInt8> {
        rest.prefix { $0 != 0x0A && $0 != 0x0D }
    }

    /// Finds out whether the lines are JSON values.
    private mutating func decide(_ first: ArraySlice<UInt8>) -> [LogLine] {
        // A bracket also begins lines of some logs of text.
        var isLine = first.first != 0x5B
        if !isLine, let next = first.dropFirst().first(where: { $0 > 0x20 }) {
            isLine = ![0x5B, 0x5D, 0x7B].contains(next)
        }
        if first.first == 0x7B {
            var scanner = JSONScanner(lists: lists)
            // A value with an error is reported as a line.
            if (try? scanner.read(first)) != nil {
                isLine = scanner.found.count == 1 && scanner.found[0].bytes.count == first.count
            }
        }
        mode = isLine ? .lines : .values
        if isLine { return lines() }
        let bytes = rest[...]
        rest = []
        return values { try $0.read(bytes) }
    }

    private mutating func lines() -> [LogLine] {
        guard failure == nil else { return [] }
        var found: [LogLine] = []
        var (start, searched) = (0, searchedCount)
        while let end = rest[searched...].firstIndex(of: 0x0A) {
            number += 1
            let line = rest[start..<end]
            if line.contains(where: { $0 > 0x20 }) {
                found.append(LogLine(number: number, bytes: Data(line)))
            }
            start = end + 1
            searched = start
        }
        rest.removeFirst(start)
        searchedCount = rest.count
        if rest.count > JSONScanner.limit {
            let limit = grouped(JSONScanner.limit)
            failure = CommandError.failed("line \(number + 1) has more than \(limit) bytes")
            rest = []
        }
        return found
    }

    private mutating func values(
        _ read: (inout JSONScanner) throws -> Void
    ) -> [LogLine] {
        guard failure == nil else { return [] }
        do {
            try read(&scanner)
        } catch {
            failure = error
        }
        defer { scanner.found = [] }
        return scanner.found
    }
}
