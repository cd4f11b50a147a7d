/// A decoder of untrusted bytes, with the conditions that its results must fulfill.
///
/// It accepts any bytes. It returns, or it traps if a condition is not fulfilled. Its initial
/// inputs are in `Tests/Fuzz/Corpus`, in the directory with its name. `make fuzz` searches for more
/// inputs, and `FuzzCorpusTests` runs those in the repository.
package struct FuzzTarget: Sendable {
    package let name: String

    /// Decodes the bytes.
    ///
    /// Blocks the thread until the result has been checked.
    package let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.run = run
    }

    /// All targets.
    ///
    /// The Makefile's `FUZZERS` must have the same names.
    package static let all = [
        records, json, rows, logs, sealedFiles, cacheFiles, names, cursors, chatLogs, logPieces,
        lines, search,
    ]

    /// Returns the target with a name, or `nil`.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
