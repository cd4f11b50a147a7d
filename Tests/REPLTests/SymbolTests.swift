import Foundation
import Testing

@testable import REPL

/// The commands against what the modules make public, as the compiler tells it.
@Suite struct SymbolTests {
    /// The types an application calls.
    static let types: Set = [
        "ChatClient", "MessageCollection", "GroupChannelCollection", "SyncEngine", "ChatStore",
        "StoreReader", "Batch", "FileCache",
    ]

    /// The types of which an application sets properties.
    static let options = [
        "ChatClientOptions": "", "SyncOptions": "sync.", "StoreOptions": "store.",
    ]

    @Test func everyPublicCallHasACommandOrAReason() throws {
        let symbols = try PublicSymbols()
        let covered = Set(Command.all.flatMap(\.covers)).union(Exemptions.commandsOfTheStore.keys)
        let exempt = Exemptions.reasons
        let missing = symbols.calls(of: Self.types).filter {
            !covered.contains($0) && exempt[$0] == nil
        }
        #expect(missing == [], "no command covers these, and no exemption says why")

        let known = Set(symbols.names)
        #expect(covered.filter { !known.contains($0) }.sorted() == [], "there are none of these")
        #expect(
            exempt.keys.filter { !known.contains($0) }.sorted() == [], "there are none of these")
        #expect(covered.filter { exempt[$0] != nil }.sorted() == [], "covered, and exempt")
        for (symbol, command) in Exemptions.commandsOfTheStore {
            #expect(throws: Never.self, "\(symbol)") { try Command.named(command) }
        }
    }

    @Test func everyOptionCanBeSet() throws {
        let symbols = try PublicSymbols()
        let names = Set(ClientOption.all.map(\.name))
        for (type, prefix) in Self.options {
            let missing = symbols.settableProperties(of: type).filter {
                !names.contains(prefix + $0) && Exemptions.reasons["\(type).\($0)"] == nil
            }
            #expect(missing == [], "option cannot set these of \(type)")
        }
    }
}

/// What is public in the modules.
private struct PublicSymbols {
    private struct Graph: Decodable {
        var symbols: [Symbol]
    }

    private struct Symbol: Decodable {
        struct Kind: Decodable { var identifier: String }
        struct Fragment: Decodable { var spelling: String }

        var kind: Kind
        var pathComponents: [String]
        var declarationFragments: [Fragment]

        var name: String { pathComponents.joined(separator: ".") }

        var isMethod: Bool { kind.identifier.hasSuffix("method") }

        var isSettable: Bool {
            let text = declarationFragments.map(\.spelling).joined()
            return kind.identifier == "swift.property" && text.contains("var ")
                && !text.contains("{ get }")
        }
    }

    private var symbols: [Symbol] = []

    var names: [String] { symbols.map(\.name) }

    init() throws {
        let build = try Program.url.deletingLastPathComponent()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let output = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-symbols-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        let maps = [
            build.appending(path: "CLevelDBEnvironment.build/module.modulemap").path,
            root.appending(path: "Sources/CLevelDB/module.modulemap").path,
        ]
        for module in ["Models", "Store", "Sync", "Collections"] {
            let process = Process()
            process.executableURL = try Self.extractor
            process.arguments =
                [
                    "-module-name", module, "-I", build.appending(path: "Modules").path, "-I",
                    root.appending(path: "Sources/CLevelDBEnvironment/include").path,
                    "-minimum-access-level", "public", "-skip-synthesized-members", "-target",
                    try Self.target, "-output-dir", output.path,
                ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "the symbols of \(module)")
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: output.path) {
            let data = try Data(contentsOf: output.appending(path: file))
            symbols += try JSONDecoder().decode(Graph.self, from: data).symbols
        }
    }

    /// The methods and settable properties of some types.
    func calls(of types: Set<String>) -> [String] {
        let calls = symbols.filter {
            $0.pathComponents.count == 2 && types.contains($0.pathComponents[0])
                && ($0.isMethod || $0.isSettable)
        }
        return Set(calls.map(\.name)).sorted()
    }

    func settableProperties(of type: String) -> [String] {
        symbols.filter { $0.pathComponents.first == type && $0.isSettable }
            .map { $0.pathComponents[1] }.sorted()
    }

    private static var extractor: URL {
        get throws {
            let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let candidates = paths.split(separator: ":").map {
                URL(filePath: "\($0)/swift").resolvingSymlinksInPath().deletingLastPathComponent()
                    .appending(path: "swift-symbolgraph-extract")
            }
            return try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
                "swift-symbolgraph-extract is not beside swift")
        }
    }

    private static var target: String {
        get throws {
            let build = try Program.url.resolvingSymlinksInPath().deletingLastPathComponent()
            return build.deletingLastPathComponent().lastPathComponent
        }
    }
}
