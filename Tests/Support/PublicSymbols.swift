package import Foundation

/// The public symbols of the modules.
package struct PublicSymbols {
    /// The error that is thrown if symbols cannot be read.
    package struct Unreadable: Error {
        let reason: String
    }

    private struct Graph: Decodable {
        struct Relationship: Decodable { var kind, source: String }

        var symbols: [Symbol]
        var relationships: [Relationship]
    }

    private struct Symbol: Decodable {
        struct Kind: Decodable { var identifier: String }
        struct Identifier: Decodable { var precise: String }
        struct Fragment: Decodable { var spelling: String }
        struct Location: Decodable { var uri: String }

        var kind: Kind
        var identifier: Identifier
        var pathComponents: [String]
        var declarationFragments: [Fragment]
        var location: Location?

        var name: String { pathComponents.joined(separator: ".") }

        /// The text between the parentheses after the name, or an empty text for a property.
        var parameters: Substring {
            let text = declaration
            guard let start = text.firstIndex(of: "(") else { return "" }
            var depth = 0
            for index in text[start...].indices {
                if text[index] == "(" { depth += 1 }
                if text[index] == ")" { depth -= 1 }
                if depth == 0 { return text[start..<index] }
            }
            return text[start...]
        }

        var isMethod: Bool { kind.identifier.hasSuffix("method") }

        var isProperty: Bool { kind.identifier.hasSuffix("property") }

        var declaration: String { declarationFragments.map(\.spelling).joined() }

        var isSettable: Bool {
            let text = declaration
            return kind.identifier == "swift.property" && text.contains("var ")
                && !text.contains("{ get }")
        }
    }

    private var symbols: [Symbol] = []
    private var requirements: Set<String> = []

    package var names: [String] { symbols.map(\.name) }

    /// Reads the symbols of some modules.
    package init(of modules: [String] = ["Models", "Store", "Sync", "Collections"]) throws {
        let build = try BuiltProgram.url("scrollback-repl").deletingLastPathComponent()
        let root = Repository.root
        let output = try ScratchDirectory.made()
        defer { output.remove() }
        let map = build.appending(path: "CScrollbackLevelDB.build/module.modulemap").path
        for module in modules {
            let process = Process()
            process.executableURL = try Self.extractor
            process.arguments =
                [
                    "-module-name", module, "-I", build.appending(path: "Modules").path, "-I",
                    root.appending(path: "Sources/CLevelDB/include").path,
                    "-minimum-access-level", "public", "-skip-synthesized-members", "-target",
                    try Self.target, "-output-dir", output.path, "-Xcc",
                    "-fmodule-map-file=\(map)",
                ]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Unreadable(reason: "swift-symbolgraph-extract failed for \(module)")
            }
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: output.path) {
            let data = try Data(contentsOf: output.url.appending(path: file))
            let graph = try JSONDecoder().decode(Graph.self, from: data)
            symbols += graph.symbols
            requirements.formUnion(
                graph.relationships.filter { $0.kind == "requirementOf" }.map(\.source))
        }
    }

    /// Returns the names of the symbols that take a number, a duration or a time: settable
    /// properties, calls with such a parameter, and enumeration cases with such a value.
    package func numericInputs() throws -> Set<String> {
        let number = try Regex(
            #"\b(U?Int(8|16|32|64)?|Double|Float|Duration|Timestamp|Date|TimeInterval)\b"#)
        return Set(
            symbols.filter { symbol in
                guard symbol.isProperty else {
                    return symbol.parameters.contains(number)
                }
                return symbol.isSettable && symbol.declaration.drop { $0 != ":" }.contains(number)
            }.map(\.name))
    }

    /// Returns the names of the properties that the schemas in a directory contain.
    package func propertiesInSchemas(below directory: URL) throws -> Set<String> {
        let field = try Regex(#"Field\(\s*\d+,[^\\()]*\\\w+\.(\w+)"#)
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: directory.appending(path: path), encoding: .utf8)
            for match in source.matches(of: field) {
                if let name = match[1].substring { names.insert(String(name)) }
            }
        }
        return names
    }

    /// Returns the methods and the properties of some types.
    package func members(of types: Set<String>) throws -> [Member] {
        let members = try symbols.filter {
            $0.pathComponents.count == 2 && types.contains($0.pathComponents[0])
                && ($0.isMethod || $0.isProperty)
        }.map { symbol in
            try Member(
                symbol.pathComponents[0], symbol.pathComponents[1],
                parameters: symbol.isMethod ? String(symbol.parameters.dropFirst()) : nil)
        }
        return Set(members).sorted { $0.name < $1.name }
    }

    /// Returns the names of the properties that a protocol requires.
    package func requiredProperties(of type: String) -> Set<String> {
        Set(
            symbols.filter {
                $0.pathComponents.first == type && $0.isProperty
                    && requirements.contains($0.identifier.precise)
            }.map { $0.pathComponents[1] })
    }

    package func settableProperties(of type: String) -> [String] {
        symbols.filter { $0.pathComponents.first == type && $0.isSettable }
            .map { $0.pathComponents[1] }.sorted()
    }

    /// Returns the properties in a record's schema.
    ///
    /// Its JSON has the same properties.
    package func propertiesInSchema(of type: String) throws -> Set<String> {
        let symbol = symbols.first { $0.pathComponents == [type] && $0.location != nil }
        guard let file = URL(string: symbol?.location?.uri ?? "") else {
            throw Unreadable(reason: "\(type) has no location")
        }
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

    /// Returns the types whose names have one of these suffixes.
    package func types(endingIn endings: [String]) -> [String] {
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
            let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
            guard let found else {
                throw Unreadable(reason: "swift-symbolgraph-extract is not beside swift")
            }
            return found
        }
    }

    private static var target: String {
        get throws {
            let build = try BuiltProgram.url("scrollback-repl").resolvingSymlinksInPath()
                .deletingLastPathComponent()
            return build.deletingLastPathComponent().lastPathComponent
        }
    }
}
