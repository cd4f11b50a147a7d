import Foundation
import Models
import ScrollbackREPL

extension FuzzTarget {
    /// A chat log for `import`.
    ///
    /// Each line must become a message that survives the binary form, or an error with the line's
    /// position.
    static let chatLogs = FuzzTarget("ChatLog") { input in
        // gzip files are skipped, because another program decompresses them.
        if input.starts(with: [0x1F, 0x8B]) && input.count > 4 { return }
        let directory = FuzzDirectory()
        directory.write(input, to: "log")
        let fields = LogFields()
        let names = fields.bytes
        var lines: [[UInt8]] = []
        do {
            let file = try LogFile(directory.url.appending(path: "log").path)
            defer { file.close() }
            while try file.readLines({ lines.append(Array($0)) }) {}
        } catch {
            precondition(!"\(error)".isEmpty, "An error says nothing.")
            return
        }
        let isMarked = input.starts(with: LogFile.byteOrderMark)
        let text = Array(input.dropFirst(isMarked ? LogFile.byteOrderMark.count : 0))
        let whole = text.last == 0x0A ? lines + [[]] : lines
        precondition(
            Array(whole.joined(separator: [0x0A])) == text, "The lines are not those of the file.")
        for (index, line) in lines.enumerated() {
            do throws(JSONLine.Damage) {
                let values = try line.withUnsafeBufferPointer { (bytes) throws(JSONLine.Damage) in
                    try JSONLine(bytes, fields: names)
                }
                let message = try fields.message(values, number: index + 1)
                let again = try? Message(serialized: message.serialize())
                precondition(again == message, "A message is not read as it was written.")
            } catch {
                precondition(!error.description.isEmpty, "An error says nothing.")
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
        "types", "schema", "sample", "json", "serialize", "deserialize", "fields", "time", "help",
    ]
}
