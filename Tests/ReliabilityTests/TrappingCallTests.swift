import Foundation
import ScrollbackTestSupport
import Testing

/// Checks that libraries and examples use no call that stops the process where another one throws.
@Suite struct TrappingCallTests {
    /// On Linux, `Process` and `Pipe` trap if the process cannot open more files, and the older
    /// methods of `FileHandle` trap if the system reports any error.
    private static let trapping = [
        "try!", "Process()", "Pipe()", "FileHandle.standard", ".availableData",
        ".readDataToEndOfFile(", ".readData(ofLength:", ".closeFile(", ".seekToEndOfFile(",
        ".synchronizeFile(",
    ]

    @Test(arguments: ["Sources", "Examples"])
    func noSourceUsesThem(directory: String) throws {
        let root = Repository.root
            .appending(path: directory)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") }
        #expect(!paths.isEmpty)
        for path in paths {
            let text = try Data(contentsOf: root.appending(path: path))
            let found = Self.trapping.filter { text.range(of: Data($0.utf8)) != nil }
            if found.isEmpty { continue }
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
            where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                let calls = found.filter { line.contains($0) }
                #expect(calls.isEmpty, "\(directory)/\(path): \(line)")
            }
        }
    }
}
