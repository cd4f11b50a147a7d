import Foundation

/// The files and directories that TAB offers.
enum FileCompletion {
    /// The paths that begin with what is typed, with a `/` behind directories.
    ///
    /// - Parameters:
    ///   - word: What is typed of the path, with the backslashes that are typed; `~` is home.
    ///   - quote: The quote that is open, in which no backslashes are needed.
    ///   - directoriesOnly: Whether files are left out.
    /// - Returns: The paths as they are to be typed, in alphabetical order. What begins with a dot is
    ///   offered where a dot is typed.
    static func paths(
        _ word: String, in quote: Character?, directoriesOnly: Bool = false
    ) -> [String] {
        let typed = quote == nil ? word.unquotedWords.joined(separator: " ") : word
        if typed == "~" { return ["~/"] }
        let end = typed.lastIndex(of: "/").map { typed.index(after: $0) } ?? typed.startIndex
        let (directory, name) = (typed[..<end], typed[end...])
        let path = (directory.isEmpty ? "." : String(directory)).fromHome
        // A directory that cannot be read has nothing to offer.
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
