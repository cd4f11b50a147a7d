import Foundation

/// The files and directories that TAB offers.
enum FileCompletion {
    /// Returns the paths that begin with the typed text, with a `/` after directories.
    ///
    /// - Parameters:
    ///   - word: The typed part of the path, with its backslashes; `~` is home.
    ///   - quote: The open quote, in which no backslashes are needed.
    ///   - directoriesOnly: True to omit files.
    /// - Returns: The paths as they are typed, in alphabetical order. Names that begin with a dot
    ///   are only offered after a typed dot.
    static func paths(
        _ word: String, in quote: Character?, directoriesOnly: Bool = false
    ) -> [String] {
        let typed = quote == nil ? word.unquotedWords.joined(separator: " ") : word
        if typed == "~" { return ["~/"] }
        let end = typed.lastIndex(of: "/").map { typed.index(after: $0) } ?? typed.startIndex
        let (directory, name) = (typed[..<end], typed[end...])
        let path = (directory.isEmpty ? "." : String(directory)).fromHome
        // Offer no completions for a directory that cannot be read.
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
            return quote == nil ? whole.escaped : whole
        }
    }
}
