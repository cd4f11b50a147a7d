package import Foundation

/// The programs of this package.
///
/// They are built in the same directory as the tests.
package enum BuiltProgram {
    /// The error that is thrown if a program was not built.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// The environment of the programs: that of the tests, without the search for leaks of the
    /// address sanitizer, which also reports what a program uses until it ends.
    package static var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
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
