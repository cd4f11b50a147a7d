import Foundation

// Names of files may have spaces: they are typed as in a shell, in quotes or behind backslashes.

extension StringProtocol {
    /// The words, where quotes and backslashes keep spaces; the quotes themselves are left out.
    ///
    /// A quote that is not closed goes to the end. Within `'…'` a backslash is a backslash.
    package var unquotedWords: [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in self {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The text with backslashes before all that would end a word, or begin a quote.
    package var escaped: String {
        var text = ""
        for character in self {
            if character.isWhitespace || "\\'\"".contains(character) { text += "\\" }
            text.append(character)
        }
        return text
    }
}

extension String {
    /// The path, with the directory that shells call home in place of a `~` before it.
    var fromHome: String {
        guard self == "~" || hasPrefix("~/") else { return self }
        let home = ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser.path) + dropFirst()
    }
}

extension Command.Arguments {
    /// Its words, where some are names of files, as a shell reads them.
    var fileWords: [String] { text.unquotedWords }
}
