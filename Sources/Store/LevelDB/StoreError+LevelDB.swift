import Foundation

extension LevelDB {
    @inline(__always)
    static func check<Result>(
        _ path: String,
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws(StoreError) -> Result {
        var report: UnsafeMutablePointer<CChar>?
        let result = body(&report)
        if let report {
            defer { free(report) }
            throw StoreError(levelDB: String(cString: report), path: path)
        }
        return result
    }
}

extension StoreError {
    /// This package's environment adds the kind of error to LevelDB's text.
    init(levelDB report: String, path: String) {
        let cause = LevelDBReport(report)
        if report.hasSuffix("[locked]") {
            self.init(lockedAt: path, cause: cause)
        } else if let mark = report.range(of: " [errno ", options: .backwards),
            let number = Int32(report[mark.upperBound...].dropLast())
        {
            if number == 0 {
                // The error does not come from a system call.
                var text = report[..<mark.lowerBound]
                if text.hasPrefix("IO error: ") { text.removeFirst("IO error: ".count) }
                self.init(.io, "cannot read or write: \(text)", path: path, cause: cause)
            } else {
                self.init(errno: number, doing: "read or write", path: path, cause: cause)
            }
        } else if report.hasPrefix("Corruption") || report.hasPrefix("NotFound")
            || report.hasPrefix("Invalid argument")
        {
            // A file is missing, or another program has changed the files.
            self.init(.corruption, "the files are damaged", path: path, cause: cause)
        } else {
            self.init(.io, "LevelDB failed", path: path, cause: cause)
        }
    }

    init(closedAt path: String) {
        self.init(.closed, "the store was closed before", path: path)
    }

    init(lockedAt path: String, cause: (any Error)? = nil) {
        self.init(.locked, "another process or store has it open", path: path, cause: cause)
    }

    private struct LevelDBReport: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
