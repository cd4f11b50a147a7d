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

    /// The bytes of a chat log, which arrive in pieces, after a byte that selects the lists that
    /// contain messages, and a byte with the size of the pieces.
    ///
    /// The size of the pieces must not change the lines, the values and the error. If the log is a
    /// valid array of JSON, the values must be its elements, and those of arrays in it.
    static let logPieces = FuzzTarget("LogPieces") { input in
        var input = FuzzInput(input)
        let lists = [[], ["messages"], ["messages", "chats.list.messages"], ["a.b"]]
        let (list, size) = (lists[Int(input.byte()) % lists.count], Int(input.byte()) + 1)
        let whole = logLines(input.rest, lists: list, pieces: max(1, input.rest.count))
        let pieces = logLines(input.rest, lists: list, pieces: size)
        precondition(whole == pieces, "The size of the pieces changes what is read.")
        let numbers = whole.lines.map(\.number)
        precondition(numbers == numbers.sorted(), "The lines are not in order.")
        // In the first line, a bracket before a word begins a line of text.
        let next = input.rest.dropFirst().prefix { $0 != 0x0A && $0 != 0x0D }.first { $0 > 0x20 }
        guard list.isEmpty, input.rest.first == 0x5B, next.map({ "[]{".utf8.contains($0) }) ?? true,
            let array = try? JSONDecoder().decode(JSONValue.self, from: Data(input.rest))
        else { return }
        let values = whole.lines.map { try? JSONDecoder().decode(JSONValue.self, from: $0.bytes) }
        precondition(
            whole.error == nil && values == elements(array),
            "The values are not those of the array.")
    }

    private static func elements(_ value: JSONValue) -> [JSONValue] {
        guard case .array(let array) = value else { return [value] }
        return array.flatMap(elements)
    }

    private struct ReadLog: Equatable {
        struct Line: Equatable {
            let number: Int
            let bytes: Data
        }

        var lines: [Line] = []
        var error: String?
    }

    private static func logLines(
        _ bytes: ArraySlice<UInt8>, lists: [String], pieces size: Int
    ) -> ReadLog {
        var log = LogLines(isText: false, lists: lists)
        var found = ReadLog()
        func add(_ lines: [LogLine]) {
            found.lines += lines.map { ReadLog.Line(number: $0.number, bytes: $0.bytes) }
        }
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: size) {
            add(log.read(bytes[start..<min(start + size, bytes.endIndex)]))
        }
        add(log.finish())
        found.error = log.failure.map { "\($0)" }
        return found
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
