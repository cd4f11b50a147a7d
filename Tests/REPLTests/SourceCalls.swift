import ScrollbackTestSupport

/// The calls in Swift source code, with their argument labels, and the properties that it uses.
///
/// Only a name after a period is found. The type of the value before the period is not known, so a
/// call stands for all methods of the same full signature, and a property for all of its name, also
/// for an enumeration case. A brace after a call or a property may
/// begin a closure or, as in `if list.isEmpty {`, another block: it counts as either. A regex
/// literal is read as code.
struct SourceCalls {
    private struct Call: Hashable {
        let name: String

        /// The label of each argument; `_` if it has none, and `{` for a closure after the others.
        let labels: [String]
    }

    private var calls: Set<Call> = []
    private var properties: Set<String> = []

    init(in source: String) {
        let code = SourceCode(source).code
        for index in code.indices where code[index] == "." {
            let end = Self.endOfName(in: code, from: index + 1)
            guard end > index + 1, !code[index + 1].isNumber else { continue }
            add(String(code[index + 1..<end]), followedBy: code, from: end)
        }
    }

    /// Returns whether a property of this name is used, or a method of this name is called with all
    /// arguments except some of those that have default values.
    func include(_ member: PublicSymbols.Member) -> Bool {
        guard let parameters = member.parameters else {
            return properties.contains(member.baseName)
        }
        return calls.contains {
            $0.name == member.baseName && Self.match(parameters[...], $0.labels[...])
        }
    }

    private static func match(
        _ parameters: ArraySlice<PublicSymbols.Member.Parameter>, _ labels: ArraySlice<String>
    ) -> Bool {
        guard let parameter = parameters.first else { return labels.isEmpty }
        let isGiven = labels.first.map { label in
            label == parameter.label || label == "{" && parameter.isClosure
        }
        if isGiven == true, match(parameters.dropFirst(), labels.dropFirst()) { return true }
        return parameter.hasDefault && match(parameters.dropFirst(), labels)
    }

    // MARK: Reading

    private mutating func add(_ name: String, followedBy code: [Character], from start: Int) {
        var index = start
        var labels: [String] = []
        let isCall = index < code.count && code[index] == "("
        if isCall {
            labels = Self.labels(in: code, from: &index)
            calls.insert(Call(name: name, labels: labels))
        } else {
            properties.insert(name)
        }
        // Closures after the parentheses; all but the first one have labels.
        var next = Self.endOfSpace(in: code, from: index)
        guard next < code.count, code[next] == "{" else { return }
        labels.append("{")
        calls.insert(Call(name: name, labels: labels))
        while true {
            next = Self.endOfSpace(in: code, from: Self.endOfGroup(in: code, from: next))
            guard let label = Self.label(in: code, at: next) else { return }
            next = Self.endOfSpace(in: code, from: next + label.count + 1)
            guard next < code.count, code[next] == "{" else { return }
            labels.append(label)
            calls.insert(Call(name: name, labels: labels))
        }
    }

    /// Returns the labels of the arguments in parentheses, and moves to the end of these.
    private static func labels(in code: [Character], from index: inout Int) -> [String] {
        let end = endOfGroup(in: code, from: index)
        defer { index = end }
        var labels: [String] = []
        var next = endOfSpace(in: code, from: index + 1)
        while next < end - 1 {
            labels.append(label(in: code, at: next) ?? "_")
            while next < end - 1, code[next] != "," {
                next = "([{".contains(code[next]) ? endOfGroup(in: code, from: next) : next + 1
            }
            next = endOfSpace(in: code, from: next + 1)
        }
        return labels
    }

    /// Returns the name before a colon at an index, if any.
    private static func label(in code: [Character], at index: Int) -> String? {
        let end = endOfName(in: code, from: index)
        guard end > index, end < code.count, code[end] == ":" else { return nil }
        return String(code[index..<end])
    }

    private static func endOfName(in code: [Character], from start: Int) -> Int {
        code[min(start, code.count)...].firstIndex { !$0.isLetter && !$0.isNumber && $0 != "_" }
            ?? code.count
    }

    private static func endOfSpace(in code: [Character], from start: Int) -> Int {
        code[min(start, code.count)...].firstIndex { !$0.isWhitespace } ?? code.count
    }

    /// Returns the index after the bracket that closes the one at an index.
    private static func endOfGroup(in code: [Character], from start: Int) -> Int {
        var depth = 0
        for index in start..<code.count {
            if "([{".contains(code[index]) { depth += 1 }
            if ")]}".contains(code[index]) { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return code.count
    }
}

/// Source code without comments, and without the text of strings.
///
/// A string becomes `""`, and each of its interpolations follows in parentheses.
private struct SourceCode {
    private(set) var code: [Character] = []

    private let source: [Character]
    private var index = 0

    init(_ source: String) {
        self.source = Array(source)
        while index < self.source.count { copyCode() }
    }

    /// Copies the rest of the code, or the code up to the closing parenthesis of an interpolation.
    private mutating func copyCode() {
        var depth = 1
        while index < source.count, depth > 0 {
            if isNext("//") {
                index = source[index...].firstIndex(where: \.isNewline) ?? source.count
            } else if isNext("/*") {
                skipComment()
            } else if let (hashes, quote) = stringDelimiter {
                index += hashes.count + quote.count
                code += ["\"", "\""]
                skipString(hashes, quote)
            } else {
                if source[index] == "(" { depth += 1 }
                if source[index] == ")" { depth -= 1 }
                code.append(source[index])
                index += 1
            }
        }
    }

    private func isNext(_ text: String) -> Bool {
        source[index...].starts(with: text)
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                index += 2
            } else if isNext("*/") {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < source.count
    }

    /// The number signs and the quotes that begin a string here, if one begins.
    private var stringDelimiter: (hashes: String, quote: String)? {
        guard source[index] == "#" || source[index] == "\"" else { return nil }
        let hashes = source[index...].prefix { $0 == "#" }
        let rest = source[(index + hashes.count)...]
        guard rest.first == "\"" else { return nil }
        return (String(hashes), rest.starts(with: "\"\"\"") ? "\"\"\"" : "\"")
    }

    private mutating func skipString(_ hashes: String, _ quote: String) {
        while index < source.count {
            if isNext(quote + hashes) {
                index += quote.count + hashes.count
                return
            }
            guard isNext("\\" + hashes) else {
                index += 1
                continue
            }
            index += 1 + hashes.count
            guard index < source.count else { return }
            if source[index] == "(" {
                code.append("(")
                index += 1
                copyCode()
            } else {
                index += 1
            }
        }
    }
}
