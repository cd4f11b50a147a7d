import Foundation

/// The words of a text, as a shell reads them.
///
/// In single quotes, a backslash is an ordinary character.
package struct ShellWords {
    package private(set) var words: [String] = []

    private(set) var starts: [String.Index] = []

    /// The unclosed quote, or the backslash at the end; otherwise `nil`.
    package private(set) var unfinished: Character?

    private(set) var json = ""

    /// Reads a text; after `rawAfter` words, quotes and backslashes are ordinary characters.
    ///
    /// If `findsJSON` is true, a word with `{` starts a JSON object, which extends to the end.
    package init(_ text: String, rawAfter: Int = .max, findsJSON: Bool = false) {
        var rest = text[...]
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard let first = rest.first else { return }
            if findsJSON, first == "{" {
                json = String(rest)
                return
            }
            starts.append(rest.startIndex)
            if words.count >= rawAfter {
                let word = rest.prefix { !$0.isWhitespace }
                words.append(String(word))
                rest = rest[word.endIndex...]
            } else {
                words.append(word(from: &rest))
            }
        }
    }

    private mutating func word(from rest: inout Substring) -> String {
        var word = ""
        var quote: Character?
        while let character = rest.first {
            if quote == nil, character.isWhitespace { break }
            rest.removeFirst()
            if character == "\\", quote != "'" {
                guard let escaped = rest.popFirst() else {
                    unfinished = character
                    break
                }
                word.append(escaped)
            } else if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
            } else {
                word.append(character)
            }
        }
        unfinished = quote ?? unfinished
        return word
    }
}

extension StringProtocol {
    /// The words of the text; an unclosed quote extends to the end.
    package var unquotedWords: [String] { ShellWords(String(self)).words }

    /// The text with a backslash before each character that would end a word or start a quote.
    package var escaped: String {
        var text = ""
        for character in self {
            if character.isWhitespace || "\\'\"".contains(character) { text += "\\" }
            text.append(character)
        }
        return text
    }

    /// The text of a typed word, or of the part of one in an open quote.
    func untyped(in quote: Character?) -> String {
        quote == nil ? unquotedWords.joined(separator: " ") : String(self)
    }

    /// The text as an argument, or as one in an open quote; `nil` if it would be read differently.
    ///
    /// For example, a combining mark at the beginning joins the quote or the space before it.
    func typed(in quote: Character?) -> String? {
        let text = quote == nil ? escaped : String(self)
        let line = quote.map { "\($0)\(text)\($0)" } ?? " \(text)"
        return line.unquotedWords == [String(self)] ? text : nil
    }
}

extension String {
    /// The path, with the home directory for a leading `~`.
    var fromHome: String {
        guard self == "~" || hasPrefix("~/") else { return self }
        let home = ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser.path) + dropFirst()
    }

    var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}

extension URL {
    /// Creates the URL of a path, relative to the current directory unless it starts with `/` or
    /// `~`; throws an error for an empty one.
    init(typed path: String) throws(CommandError) {
        guard !path.isEmpty else { throw .failed("the path is empty") }
        self.init(filePath: path.fromHome, directoryHint: .isDirectory)
    }

    /// Returns the URL of an existing directory: some commands must not create it.
    static func existingDirectory(_ path: String) throws(CommandError) -> URL {
        let url = try URL(typed: path)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory),
            isDirectory.boolValue
        else { throw .failed("there is no directory '\(url.path)'") }
        return url
    }
}
