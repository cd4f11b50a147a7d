import Foundation
import ScrollbackFuzzTargets
import Testing

/// Runs the inputs in the repository through the fuzz targets.
@Suite(.timeLimit(.minutes(10))) struct FuzzCorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Corpus")

    /// If an input violates a condition, the process prints the condition and traps.
    @Test(arguments: FuzzTarget.all.map(\.name))
    func corpusInputsKeepTheInvariants(of name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let directory = Self.corpus.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        let inputs = try files.map { try Array(Data(contentsOf: $0)) }
        // The fuzz target blocks its thread, so it gets a separate one.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                for input in inputs { target.run(input) }
                continuation.resume()
            }
        }
    }

    @Test func theMakefileAndTheCorpusHaveEachTarget() throws {
        let names = FuzzTarget.all.map(\.name).sorted()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted() == names)
        let makefile = try String(
            contentsOf: Self.corpus.appending(path: "../../../Makefile").standardized,
            encoding: .utf8)
        let line = makefile.split(separator: "\n").first { $0.hasPrefix("FUZZERS :=") }
        // `make fuzz` leaves out Logs, because LevelDB aborts on some forged checksums. Only `make
        // Logs` runs it.
        let fuzzed = line?.split(separator: " ").dropFirst(2).map(String.init)
        #expect(fuzzed?.sorted() == names.filter { $0 != "Logs" })
    }
}
