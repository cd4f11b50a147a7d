import Foundation
import TestSupport
import Testing

@testable import REPL

/// Compares the commands with the public symbols of the modules, from the compiler's symbol graphs.
@Suite struct SymbolTests {
    /// The types that an app calls.
    static let types: Set = [
        "ChatClient", "MessageCollection", "GroupChannelCollection", "SyncEngine", "ChatStore",
        "StoreReader", "Batch", "FileCache",
    ]

    /// The types whose properties an app sets.
    static let options = [
        "ChatClientOptions": "", "SyncOptions": "sync.", "StoreOptions": "store.",
        "CacheLimits": "cacheLimits.",
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

    /// The types that commands take as JSON, each with such a command.
    static let records = [
        "MessageListParams": "open", "ThreadedMessageListParams": "thread",
        "GroupChannelListQuery": "list", "MessageCreateParams": "send",
        "MessageUpdateParams": "edit",
        "UserMessageCreateParams": "send", "FileMessageCreateParams": "send-file",
        "MultipleFilesMessageCreateParams": "send-file", "UserMessageUpdateParams": "edit",
        "FileMessageUpdateParams": "edit", "AppleCriticalAlertOptions": "send",
    ]

    @Test func everyParameterIsAFieldOfTheJSONThatACommandTakes() throws {
        let symbols = try PublicSymbols()
        for (type, name) in Self.records {
            let properties = symbols.settableProperties(of: type)
            #expect(!properties.isEmpty, "\(type)")
            let fields = try symbols.propertiesInSchema(of: type)
            let missing = properties.filter {
                !fields.contains($0) && Exemptions.reason(of: type, $0) == nil
            }
            #expect(missing == [], "\(name) cannot set these of \(type)")
            #expect(try Command.named(name).usage.contains("JSON"))
        }
    }

    @Test func everyPropertyOfAChannelToCreateCanBeSet() throws {
        let symbols = try PublicSymbols()
        for (type, names) in [
            ("GroupChannelCreateParams", GroupChannelSetting.all.map(\.name)),
            ("OpenChannelCreateParams", OpenChannelSetting.all.map(\.name)),
        ] {
            let missing = symbols.settableProperties(of: type).filter {
                !names.contains($0) && Exemptions.reason(of: type, $0) == nil
            }
            #expect(missing == [], "create cannot set these of \(type)")
        }
    }

    @Test func allParamsQueriesAndOptionsAreLookedAt() throws {
        let known = Set(Self.records.keys).union(Self.options.keys)
            .union(["GroupChannelCreateParams", "OpenChannelCreateParams"])
        let missing = try PublicSymbols().types(endingIn: ["Params", "Query", "Options"]).filter {
            !known.contains($0) && Exemptions.types[$0] == nil
        }
        #expect(missing == [])
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

/// The public symbols of the modules.
private struct PublicSymbols {
    private struct Graph: Decodable {
        var symbols: [Symbol]
    }

    private struct Symbol: Decodable {
        struct Kind: Decodable { var identifier: String }
        struct Fragment: Decodable { var spelling: String }
        struct Location: Decodable { var uri: String }

        var kind: Kind
        var pathComponents: [String]
        var declarationFragments: [Fragment]
        var location: Location?

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
        let build = try Program.url().deletingLastPathComponent()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let output = try ScratchDirectory.made()
        defer { output.remove() }
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
            let data = try Data(contentsOf: output.url.appending(path: file))
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

    /// The properties in the schema of a record, which its JSON therefore has.
    func propertiesInSchema(of type: String) throws -> Set<String> {
        let symbol = try #require(
            symbols.first { $0.pathComponents == [type] && $0.location != nil })
        let file = try #require(URL(string: symbol.location?.uri ?? ""))
        let source = try String(contentsOf: file, encoding: .utf8)
        let fields = try Regex(#"Field\(\s*\d+, [^\\]*\\(\w+)\.(\w+)"#)
        return Set(
            source.matches(of: fields).compactMap { match in
                guard let root = match[1].substring, root == type || root == "Self" else {
                    return nil
                }
                return match[2].substring.map(String.init)
            })
    }

    /// The types whose names have one of these suffixes.
    func types(endingIn endings: [String]) -> [String] {
        let kinds: Set = ["swift.struct", "swift.class", "swift.protocol"]
        return symbols.filter { symbol in
            kinds.contains(symbol.kind.identifier) && symbol.pathComponents.count == 1
                && endings.contains { symbol.name.hasSuffix($0) }
        }.map(\.name).sorted()
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
            let build = try Program.url().resolvingSymlinksInPath().deletingLastPathComponent()
            return build.deletingLastPathComponent().lastPathComponent
        }
    }
}
