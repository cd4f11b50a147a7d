import Foundation

@testable import Models

/// A .proto file, generated from the schemas in the code and the comments in the sources.
struct ProtoText {
    /// The declarations without a comment in the sources.
    private(set) var uncommented: [String] = []

    private let header: String
    private let sources = SourceComments.all
    private var messages: [(name: String, text: String)] = []
    private var enumerations: [String: String] = [:]

    /// Creates a file with the given record types and the types of their fields.
    ///
    /// - Parameters:
    ///   - types: The record types, in the order of the file.
    ///   - header: The comment at the top of the file.
    init(_ types: [any Record.Type], header: String) {
        self.header = header
        for type in types { add(type.schema.name) }
    }

    /// The contents of the file.
    var text: String {
        let parts = messages.map(\.text) + enumerations.sorted { $0.key < $1.key }.map(\.value)
        return header + "\n\nsyntax = \"proto3\";\n\npackage scrollback;\n\n"
            + parts.joined(separator: "\n")
    }

    private static let json: [(name: String, comment: String, fields: [(Int, String, FieldKind)])] =
        [
            (
                "JSONValue", "A JSON value. Exactly one field is present.",
                JSONValue.schemaFields.map { ($0.number, $0.name, $0.kind) }
            ),
            ("JSONArray", "A JSON array.", [(1, "elements", [JSONValue].fieldKind)]),
            ("JSONObject", "A JSON object.", [(1, "entries", [String: JSONValue].fieldKind)]),
        ]

    /// Adds a message, and the messages and enumerations of its fields.
    private mutating func add(_ name: String) {
        guard !messages.contains(where: { $0.name == name }) else { return }
        let fields: [(Int, String, FieldKind, comment: String?)]
        let comment: String?
        if let json = ProtoText.json.first(where: { $0.name == name }) {
            comment = json.comment
            fields = json.fields.map { ($0.0, $0.1, $0.2, nil) }
        } else {
            comment = sources.comment(ofType: name)
            fields = (recordTypes.first { $0.schema.name == name }?.schema.fields ?? []).map {
                let comment = sources.comment(ofField: $0.number, $0.name, in: name)
                return ($0.number, $0.protoName, $0.kind, comment)
            }
        }
        let lines = fields.flatMap { number, field, kind, comment in
            let line = "  \(kind.protoType) \(field) = \(number);\n"
            // The header describes the field 100, which each record has.
            guard number != 100, !name.hasPrefix("JSON") else { return [line] }
            return [self.comment(comment, "\(name).\(field)", "  "), line]
        }
        messages.append(
            (
                name,
                self.comment(comment, name) + "message \(name) {\n"
                    + reserved(fields.map(\.0)) + lines.joined() + "}\n"
            ))
        for (_, _, kind, _) in fields {
            switch kind.element {
            case .enumeration(let type): add(String(describing: type), type.names)
            case .record(let name, _): add(name)
            default: break
            }
        }
    }

    private mutating func add(_ name: String, _ cases: [String]) {
        guard enumerations[name] == nil else { return }
        let lines = cases.enumerated().map { index, value in
            let comment = comment(
                sources.comment(ofCase: index, in: name), "\(name).\(value)", "  ")
            return comment + "  \(ProtoText.constant(name, value)) = \(index);\n"
        }
        enumerations[name] =
            comment(sources.comment(ofType: name), name) + "enum \(name) {\n" + lines.joined()
            + "}\n"
    }

    /// Returns a comment in lines of at most 100 characters.
    private mutating func comment(
        _ text: String?, _ declaration: String, _ indentation: String = ""
    ) -> String {
        guard let text else {
            uncommented.append(declaration)
            return ""
        }
        var lines: [String] = [indentation + "//"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 100 {
                lines.append(indentation + "//")
            }
            lines[lines.count - 1] += " " + word
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns a declaration of the numbers that no field has, so that they are not used again.
    private func reserved(_ numbers: [Int]) -> String {
        let used = numbers.filter { $0 != 100 }.sorted()
        var ranges: [String] = []
        for (last, next) in zip([0] + used, used) where next > last + 1 {
            ranges.append(next == last + 2 ? "\(last + 1)" : "\(last + 1) to \(next - 1)")
        }
        return ranges.isEmpty ? "" : "  reserved \(ranges.joined(separator: ", "));\n"
    }

    /// Returns the name of an enumeration's case in protobuf, where the name must be unique in the
    /// file.
    static func constant(_ name: String, _ value: String) -> String {
        var prefix = ""
        for character in name {
            if character.isUppercase && !prefix.isEmpty { prefix += "_" }
            prefix += character.uppercased()
        }
        return "\(prefix)_\(value.uppercased())"
    }
}

/// The first paragraphs of the comments in the sources of `Models`.
private struct SourceComments {
    static let all = SourceComments()

    private var types: [String: String] = [:]
    private var cases: [String: [Int: String]] = [:]
    private var fields: [(type: String, number: Int, name: String, comment: String?)] = []

    init() {
        for file in SourceTests.files {
            var properties: [String: String] = [:]
            var type = ""
            var lines: [Substring] = []
            for line in file.split(separator: "\n", omittingEmptySubsequences: false) {
                let code = line.drop { $0 == " " }
                if code.hasPrefix("///") {
                    lines.append(code.dropFirst(3).drop { $0 == " " })
                    continue
                }
                // An attribute stands between a comment and its declaration.
                if code.hasPrefix("@") || code.isEmpty && lines.isEmpty { continue }
                let comment = SourceComments.paragraph(lines)
                lines = []
                if !line.hasPrefix(" "),
                    let match = line.prefixMatch(
                        of: /(?:public |package )?(?:struct|enum|extension|protocol) (\w+)/)
                {
                    type = String(match.output.1)
                    if let comment, !line.hasPrefix("extension") { types[type] = comment }
                } else if let match = code.prefixMatch(
                    of: /(?:public|package) var `?(\w+)`?:/)
                {
                    properties[String(match.output.1)] = comment
                } else if code.hasPrefix("case ") || code.hasPrefix("public static let "),
                    let match = code.prefixMatch(
                        of:
                            /(?:case `?\w+`? = (\d+)|public static let `?\w+`? = Self\(rawValue: (\d+)\))/
                    )
                {
                    let value = (match.output.1 ?? match.output.2).flatMap { Int($0) }
                    if let value { cases[type, default: [:]][value] = comment }
                } else if code.wholeMatch(of: /case `?\w+`?/) != nil {
                    // Without raw values, the number is the index of the case.
                    cases[type, default: [:]][cases[type]?.count ?? 0] = comment
                }
            }
            for match in file.matches(of: /Field\(\s*(\d+),\s*"([^"]+)",\s*\\(\w+)\.(\w+)/) {
                guard let number = Int(match.output.1) else { continue }
                fields.append(
                    (
                        String(match.output.3), number, String(match.output.2),
                        properties[String(match.output.4)]
                    ))
            }
        }
    }

    /// Returns the first paragraph of a comment; `nil` if it is empty.
    private static func paragraph(_ lines: [Substring]) -> String? {
        let first = lines.prefix { !$0.isEmpty }
        guard !first.isEmpty else { return nil }
        return first.joined(separator: " ").replacing("`", with: "")
            .replacing("A Boolean value that indicates whether", with: "True if")
    }

    func comment(ofType name: String) -> String? { types[name] }

    func comment(ofCase value: Int, in name: String) -> String? { cases[name]?[value] }

    /// Fields that several types share have the type `Self` in the sources.
    func comment(ofField number: Int, _ name: String, in type: String) -> String? {
        let same = fields.filter { $0.number == number && $0.name == name }
        return (same.first { $0.type == type } ?? same.first { $0.type == "Self" })?.comment
    }
}
