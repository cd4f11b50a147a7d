/// A Markdown list of an error type's codes, with the messages that the sources construct.
struct ErrorList {
    /// A code and its documentation comment.
    struct Code {
        var name: String
        var number: String?
        var meaning: String
    }

    let type: String
    let codes: [Code]

    /// The sorted messages of each code.
    ///
    /// The code is empty for an initializer that takes no code.
    private var messages: [String: Set<String>] = [:]

    /// Creates a list from the declaration of an error type and from the sources that construct
    /// errors of the type.
    init(of type: String, declaredIn declaration: String, constructedIn sources: [String]) {
        self.type = type
        codes = Self.codes(in: declaration)
        for source in sources {
            for call in source.ranges(of: "\(type)(") where Self.isCall(at: call, in: source) {
                read(Arguments(of: source[call.upperBound...]))
            }
        }
    }

    var messageCount: Int { messages.values.map(\.count).reduce(0, +) }

    /// The list in Markdown, without a heading.
    var markdown: String {
        var lines: [String] = []
        for code in codes {
            let number = code.number.map { " (\($0))" } ?? ""
            lines += Self.wrapped("- **`\(code.name)`**\(number): \(code.meaning)", indent: "  ")
            lines += (messages[code.name] ?? []).sorted().map { "  - `\($0)`" }
        }
        if let others = messages[""] {
            lines.append("- With the code of the system's error:")
            lines += others.sorted().map { "  - `cannot \($0): <reason> (errno <number>)`" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func read(_ arguments: Arguments) {
        let known = codes.first { $0.name == arguments.code || $0.name == arguments.label }
        guard let message = arguments.message else { return }
        messages[known?.name ?? "", default: []].insert(message)
    }

    /// Returns true if the name at `range` is not the end of a longer name.
    private static func isCall(at range: Range<String.Index>, in source: String) -> Bool {
        guard range.lowerBound > source.startIndex else { return true }
        let previous = source[source.index(before: range.lowerBound)]
        return !previous.isLetter && previous != "_"
    }

    private static func codes(in declaration: String) -> [Code] {
        var codes: [Code] = []
        var comment: [Substring] = []
        for line in declaration.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                let text = line.dropFirst(3).drop { $0 == " " }
                if !text.isEmpty { comment.append(text) }
                continue
            }
            if let match = line.firstMatch(
                of: /^public static let (\w+) = (?:Error)?Code\((?:value: \.\w+|([\d_]+))\)/)
            {
                let meaning = comment.joined(separator: " ").replacing("``", with: "`")
                codes.append(
                    Code(
                        name: String(match.output.1),
                        number: match.output.2.map { $0.filter { $0 != "_" } },
                        meaning: meaning))
            }
            comment = []
        }
        return codes
    }

    private static func wrapped(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > 100 {
                lines.append(line)
                line = indent + word
            } else {
                line += line.isEmpty ? "\(word)" : " \(word)"
            }
        }
        return lines + [line]
    }
}

/// The arguments of a call that the list shows.
private struct Arguments {
    /// The first argument without its dot, if it is a code such as `.closed`.
    ///
    /// Otherwise empty.
    var code: Substring = ""

    /// The label of the first argument, which may be the name of a code.
    var label: Substring = ""

    /// The first argument that is a text.
    ///
    /// Concatenated parts are joined, and an interpolation is replaced by `<name>`.
    var message: String?

    /// Reads the source from the opening parenthesis of a call to the closing one.
    init(of source: Substring) {
        if source.drop(while: \.isWhitespace).first == "." {
            code = source.drop(while: \.isWhitespace).dropFirst().prefix { $0.isLetter }
        } else if let match = source.prefixMatch(of: /\s*(\w+):/) {
            label = match.output.1
        }
        var rest = source
        var depth = 1
        var index = 0
        while depth > 0, let character = rest.popFirst() {
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "," where depth == 1:
                index += 1
                // If the first argument is a code, the message must be the second one.
                if message != nil || !code.isEmpty && index == 2 { return }
            case "\"":
                // The texts of nested calls are not part of the message.
                let text = Self.text(&rest)
                if depth == 1 { message = (message ?? "") + text }
            default: break
            }
        }
    }

    /// Reads a text from its opening quotation mark to the closing one.
    private static func text(_ rest: inout Substring) -> String {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                text.append(character)
                continue
            }
            guard rest.first == "(" else {
                // An escaped character, such as a quotation mark.
                rest.popFirst().map { text.append($0) }
                continue
            }
            text += "<\(name(of: interpolation(&rest)))>"
        }
        return text
    }

    /// Reads an interpolation with its parentheses.
    private static func interpolation(_ rest: inout Substring) -> String {
        var expression = ""
        var depth = 0
        while let character = rest.popFirst() {
            expression.append(character)
            if character == "\"" { expression += self.text(&rest) }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { break }
        }
        return String(expression.dropFirst().dropLast())
    }

    /// Returns the last property of an expression such as `error.code`, or an ellipsis for any
    /// other expression.
    private static func name(of expression: String) -> String {
        guard expression.wholeMatch(of: /[\w.]+/) != nil else { return "…" }
        return expression.split(separator: ".").last.map(String.init) ?? "…"
    }
}
