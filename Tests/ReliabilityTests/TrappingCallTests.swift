import Foundation
import ScrollbackTestSupport
import Testing

/// Checks that libraries and examples use no call that stops the process where another one throws.
@Suite struct TrappingCallTests {
    /// On Linux, `Process` and `Pipe` trap if the process cannot open more files, and the older
    /// methods of `FileHandle` trap if the system reports any error.
    private static var trapping: [Regex<Substring>] {
        [
            /try!/, /\bProcess\(\)/, /\bPipe\(\)/, /FileHandle\.standard\w+/, /\.availableData\b/,
            /\.readDataToEndOfFile\(/, /\.readData\(ofLength:/, /\.closeFile\(/,
            /\.seekToEndOfFile\(/, /\.synchronizeFile\(/,
        ]
    }

    @Test(arguments: ["Sources", "Examples"])
    func noSourceUsesThem(directory: String) throws {
        let root = Repository.root
            .appending(path: directory)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") }
        #expect(!paths.isEmpty)
        for path in paths {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n")
            where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                let found = Self.trapping.compactMap { line.firstMatch(of: $0)?.output }
                #expect(found.isEmpty, "\(directory)/\(path): \(line)")
            }
        }
    }
}
