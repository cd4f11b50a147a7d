/// A decoder of untrusted bytes, with the invariants of its results.
///
/// It accepts arbitrary bytes, and returns or traps at a broken invariant. Its initial inputs are
/// in the directory of its name in `Tests/Fuzz/Corpus`. `make fuzz` searches for more;
/// `FuzzCorpusTests` runs those in the repository.
package struct FuzzTarget: Sendable {
    package let name: String

    /// Decodes the bytes.
    ///
    /// Blocks the thread until it is done.
    package let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.run = run
    }

    /// All targets.
    ///
    /// The Makefile's `FUZZERS` has their names too.
    package static let all = [
        records, json, rows, logs, sealedFiles, cacheFiles, names, cursors, chatLogs, lines, search,
    ]

    /// Returns the target with a name, or `nil`.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
