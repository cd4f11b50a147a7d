import Foundation
import Models
import ScrollbackREPL

extension FuzzTarget {
    /// A chat log for `import`.
    ///
    /// Each line must become a message that survives the binary form, or an error.
    static let chatLogs = FuzzTarget("ChatLog") { input in
        var tally = LogFields.Tally()
        for line in input.split(separator: 0x0A) {
            do {
                let message = try LogFields().message(of: Data(line), &tally)
                let again = try? Message(serialized: message.serialize())
                precondition(again == message, "A message is not read as it was written.")
            } catch {
                precondition(!"\(error)".isEmpty, "An error says nothing.")
            }
        }
    }

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
        "schema", "sample", "json", "serialize", "deserialize", "fields", "time", "help",
    ]
}
