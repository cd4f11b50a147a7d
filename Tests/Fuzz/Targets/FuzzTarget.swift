/// A decoder of bytes from outside, and what must be true of whatever it makes of them.
///
/// Called with any bytes, it returns, or traps at a promise that is broken. Its inputs to begin with
/// are in `Tests/Fuzz/Corpus`, in a directory of its name. `make fuzz` looks for more of them;
/// `FuzzTests` goes through those that are there.
package struct FuzzTarget: Sendable {
    package let name: String

    /// Decodes some bytes, and blocks the thread until it is done.
    package let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.run = run
    }

    /// All there are; the Makefile's `FUZZERS` has their names, too.
    package static let all = [
        records, json, rows, logs, sealedFiles, cacheFiles, names, cursors, chatLogs, lines,
    ]

    /// The one with a name; `nil` if there is none.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
