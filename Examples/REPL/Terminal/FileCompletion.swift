import Foundation

enum FileCompletion {
    /// Returns the paths that start with the typed text, in alphabetical order; directories end
    /// with `/`.
    ///
    /// Names that start with a dot are offered only after a typed dot.
    static func paths(
        _ word: String, in quote: Character?, directoriesOnly: Bool = false
    ) -> [String] {
        let typed = word.untyped(in: quote)
        if typed == "~" { return ["~/"] }
        let end = typed.lastIndex(of: "/").map { typed.index(after: $0) } ?? typed.startIndex
        let (directory, name) = (typed[..<end], typed[end...])
        let path = (directory.isEmpty ? "." : String(directory)).fromHome
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap { found in
            guard found.hasPrefix(name), name.hasPrefix(".") || !found.hasPrefix(".") else {
                return nil
            }
            var isDirectory: ObjCBool = false
            let isThere = FileManager.default.fileExists(
                atPath: "\(path)/\(found)", isDirectory: &isDirectory)
            guard isThere, isDirectory.boolValue || !directoriesOnly else { return nil }
            let whole = "\(directory)\(found)\(isDirectory.boolValue ? "/" : "")"
            return whole.typed(in: quote)
        }
    }
}
