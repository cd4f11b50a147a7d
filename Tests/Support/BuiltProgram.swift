package import Foundation

/// The programs of this package.
///
/// They are built in the same directory as the tests.
package enum BuiltProgram {
    /// The error that is thrown if a program was not built.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns the URL of a program.
    package static func url(_ name: String) throws -> URL {
        let places = [Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
        let candidates = places.flatMap {
            [$0.appending(path: name), $0.deletingLastPathComponent().appending(path: name)]
        }
        let program = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let program else {
            throw Missing(description: "\(name) is not beside \(places.map(\.path))")
        }
        return program
    }
}
