package import Foundation

/// The log files of a LevelDB database.
package enum LevelDBLog {
    /// The error that is thrown if no log contains a text.
    package struct Missing: Error {
        package let text: String
    }

    /// Flips a bit of a text in a log.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - directory: The directory of the database.
    /// - Throws: `Missing`, or an error of the file system.
    package static func damage(_ text: String, in directory: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "log" {
            var bytes = try Data(contentsOf: file)
            guard let range = bytes.range(of: Data(text.utf8)) else { continue }
            bytes[range.lowerBound] ^= 1
            return try bytes.write(to: file)
        }
        throw Missing(text: text)
    }
}
