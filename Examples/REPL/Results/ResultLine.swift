import Foundation
import Scrollback

/// A line that `--json` writes: the result of a command, an error, or an event.
struct ResultLine: Encodable {
    /// The number of the input line that contains the command; 0 before the first command.
    private let line: Int
    private let kind: Kind
    private let text: String
    private var command: String?
    private var input: String?
    private var event: String?
    private var code: String?
    private var values: Values?

    private enum Kind: String, Encodable { case result, error, event }

    private enum CodingKeys: CodingKey {
        case code, command, event, input, kind, line, text, values
    }

    init(_ reply: Command.Reply, to input: String, _ line: Int) {
        (self.line, kind, text) = (line, .result, reply.text)
        command = Command.name(in: input)
        self.input = input
        values = reply.values
    }

    init(_ error: any Error, to input: String, _ line: Int) {
        (self.line, kind, text) = (line, .error, sentence(of: error))
        command = Command.name(in: input)
        self.input = input
        code = errorCode(of: error)
    }

    init(_ event: Event, _ line: Int) {
        (self.line, kind, text) = (line, .event, event.text)
        self.event = event.name.rawValue
        values = event.values
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(line, forKey: .line)
        try container.encode(text, forKey: .text)
        try container.encodeIfPresent(command, forKey: .command)
        try container.encodeIfPresent(input, forKey: .input)
        try container.encodeIfPresent(event, forKey: .event)
        try container.encodeIfPresent(code, forKey: .code)
        guard let values, !values.isEmpty else { return }
        var fields = container.nestedContainer(keyedBy: Field.self, forKey: .values)
        for (field, value) in values { try fields.encode(value, forKey: field) }
    }

    /// The line as JSON, with sorted keys.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            let text = String(decoding: try encoder.encode(self), as: UTF8.self)
            return text.withoutControls
        } catch {
            // All records and numbers can be encoded. If encoding fails nevertheless, it is a bug,
            // so show the error.
            return #"{"code":"unwritable","kind":"error","line":\#(line),"text":"\#(input ?? "")"}"#
        }
    }
}

extension ResultLine {
    /// The keys of a line, and their meanings.
    static let keys: KeyValuePairs = [
        "kind": "result, error or event",
        "line": "the line number of the command, from 1; 0 before the first",
        "text": "the output for people",
        "command": "of a result or error: the name of the command",
        "input": "of a result or error: the whole line as it was typed",
        "code": "of an error: usage, failed, or the code of the package's error, such as notFound",
        "event": "of an event: its name, such as message_received",
        "values": "of a result or event: its values, under the names below",
    ]

    /// The output of `help --json`.
    static var help: String {
        let fields = Field.allCases.map { ["  \($0.rawValue)", $0.meaning] }
        return """
            With --json, each line is an object: the result of a command or its error, and an event for
            each notification in between. Its keys:

            \(Command.columns(keys.map { ["  \($0)", $1] }))

            The values:

            \(Command.columns(fields))

            The events:

            \(Event.Name.allCases.map { "  \($0.rawValue)" }.joined(separator: "\n"))

            help COMMAND lists the values of a command.
            """
    }
}

extension String {
    /// The JSON with escapes for U+007F to U+009F.
    ///
    /// JSON allows these control characters, but a terminal would interpret them.
    fileprivate var withoutControls: String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .control
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard isControl(scalar) else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
