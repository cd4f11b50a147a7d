package import Foundation

/// Programs of this package, which lie beside the tests that start them.
package enum BuiltProgram {
    /// Why none is started.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where a program is.
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
