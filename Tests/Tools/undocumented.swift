// Lists what is public and has no documentation comment, from the symbol graphs named as arguments,
// and exits with 1 if there is any. `make lint` runs it: it sees what the formatter's own rule
// leaves out, such as the cases of enums.

import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Comment: Decodable {}

        struct Location: Decodable {
            struct Position: Decodable {
                let line: Int
            }

            let uri: URL
            let position: Position
        }

        let pathComponents: [String]
        let docComment: Comment?
        /// The location is missing if the compiler has written the declaration.
        let location: Location?
    }

    let symbols: [Symbol]
}

let root = FileManager.default.currentDirectoryPath + "/"
let graphs = try CommandLine.arguments.dropFirst().map { path in
    try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: path)))
}
let symbols = graphs.flatMap(\.symbols)
guard !symbols.isEmpty else { fatalError("No public symbol was found: was it built?") }

let findings = symbols.compactMap { symbol -> String? in
    guard symbol.docComment == nil, let location = symbol.location else { return nil }
    let file = location.uri.path.replacing(root, with: "")
    let name = symbol.pathComponents.joined(separator: ".")
    return "\(file):\(location.position.line + 1): error: \(name) is public and not documented"
}
for finding in findings.sorted(using: String.Comparator(options: .numeric)) { print(finding) }
exit(findings.isEmpty ? 0 : 1)
