import Foundation
import ScrollbackREPL

extension FuzzTarget {
    /// A line that is typed at the prompt or in a script.
    ///
    /// TAB must be able to complete the line, even if the line does not begin with a command.
    /// Quoted words must be read unchanged. A command without side effects must return an answer or
    /// an error.
    static let lines = FuzzTarget("Line") { input in
        let text = String(decoding: input, as: UTF8.self)
        precondition(
            text.escaped.unquotedWords == (text.isEmpty ? [] : [text]),
            "A text in backslashes is another one.")
        let line = TypedLine(text)
        let name = line.commandName
        if let name {
            let words = text.split(whereSeparator: \.isWhitespace)
            precondition(words.starts(with: name.split(separator: " ")), "\(name) is not there.")
        }
        wait { await perform(line, name, isPath: text.contains { "/~".contains($0) }) }
    }

    @MainActor private static func perform(
        _ line: TypedLine, _ name: String?, isPath: Bool
    ) async {
        // Paths are not completed, because the contents of directories differ between machines.
        if !isPath { _ = line.completions }
        guard let name, harmless.contains(name) else { return }
        _ = await line.perform()
    }

    /// The commands that use only their own arguments.
    private static let harmless: Set<String> = [
        "schema", "json", "deserialize", "fields", "help",
    ]
}
