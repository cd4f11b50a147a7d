import Foundation
import Scrollback

struct RecordType {
    let type: any Record.Type

    static var names: [String] { recordTypes.map { $0.schema.name } }

    init(named name: String) throws {
        guard
            let type = recordTypes.first(where: {
                $0.schema.name.caseInsensitiveCompare(name) == .orderedSame
            })
        else { throw CommandError.failed("there is no type '\(name)': schema lists them all") }
        self.type = type
    }

    var name: String { type.schema.name }

    /// Decodes a record from JSON, as leniently as a server's.
    func record(json text: String) throws -> any Record {
        try decoded(text) { try type.init(json: text) }
    }

    /// Decodes a record from typed JSON, which ``check(_:at:)`` accepts.
    func typedRecord(json text: String) throws -> any Record {
        try check(try decoded(text) { try JSONValue(typed: text) }, at: "")
        return try record(json: text)
    }

    /// Returns the changes in typed JSON, only of the given fields if they are not `nil`.
    func patch<Value: Record>(
        _ record: Value.Type, json text: String, only fields: [String]? = nil
    ) throws -> Patch<Value> {
        let json = try decoded(text) { try JSONValue(typed: text) }
        if let fields, case .object(let entries) = json {
            if entries.isEmpty { throw CommandError.failed("there is nothing to change in {}") }
            let other = entries.keys.sorted().first { !fields.contains($0) }
            if let other {
                throw CommandError.failed(
                    "'\(other)' cannot be changed: \(fields.joined(separator: ", "))")
            }
        }
        try check(json, at: "")
        return try decoded(text) {
            try JSONDecoder().decode(Patch<Value>.self, from: Data(text.utf8))
        }
    }

    /// Throws an error for the first unknown key, or value of another type than its field's.
    ///
    /// Decoding accepts more: servers differ.
    fileprivate func check(_ json: JSONValue, at path: String) throws {
        guard case .object(let entries) = json else {
            throw wrong(json, path, "an object: \(name)")
        }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard
                let field = type.schema.fieldDescriptions.first(where: {
                    $0.number != Self.extraNumber && ([$0.name] + $0.aliases).contains(key)
                })
            else {
                throw CommandError.failed(
                    "\(name) has no field '\(key)': schema \(name) lists its fields")
            }
            if value != .null { try field.check(value, at: path.isEmpty ? key : "\(path).\(key)") }
        }
    }

    static let extraNumber = 100

    private func decoded<Value>(_ text: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DecodingError {
            throw CommandError.failed(
                Self.syntaxError(in: text).map { Self.notJSON($0, of: name) }
                    ?? "\(name): \(error.sentence)"
            )
        }
    }

    private static func notJSON(_ error: String, of name: String) -> String {
        "this is not JSON: \(error)"
            + (["NewMessage", "UserMessageUpdateParams"].contains(name)
                ? #" A text with braces is {"message": "{…}"}."# : "")
    }

    /// Returns the first syntax error, which `JSONDecoder` does not report on Linux.
    private static func syntaxError(in text: String) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
            return nil
        } catch {
            return (error as NSError).userInfo["NSDebugDescription"] as? String
        }
    }

    func record(hex text: String) throws -> any Record {
        guard let bytes = Hex.bytes(text) else {
            throw CommandError.failed("bytes are pairs of hex digits, such as 0a 02 2b 31")
        }
        do {
            return try type.init(serialized: bytes)
        } catch {
            throw CommandError.failed("\(name): \(error)")
        }
    }

    func record(_ text: String) throws -> any Record {
        try text.hasPrefix("{") ? record(json: text) : record(hex: text)
    }
}

extension Schema.FieldDescription {
    /// The type without `repeated`, `optional` or a map's key.
    var element: String {
        String(type.split(separator: " ").last?.prefix { $0 != ">" } ?? "")
    }

    fileprivate func check(_ value: JSONValue, at path: String) throws {
        switch value {
        case .array(let elements) where type.hasPrefix("repeated "):
            for (index, value) in elements.enumerated() {
                try checkElement(value, at: "\(path)[\(index)]")
            }
        case .object(let entries) where type.hasPrefix("map<"):
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                try checkElement(value, at: "\(path).\(key)")
            }
        case _ where type.hasPrefix("repeated "): throw wrong(value, path, "a list, such as []")
        case _ where type.hasPrefix("map<"): throw wrong(value, path, "an object, such as {}")
        default: try checkElement(value, at: path)
        }
    }

    private func checkElement(_ value: JSONValue, at path: String) throws {
        if let nested = try? RecordType(named: element) {
            try nested.check(value, at: path)
            return
        }
        guard cases.isEmpty else {
            if let word = value.string, (cases + caseAliases).contains(word) { return }
            throw wrong(value, path, "one of \(cases.joined(separator: ", "))")
        }
        let expected: String
        switch (element, value) {
        case ("int64", .int(..<0)) where name.hasSuffix("size") || name.hasSuffix("limit"):
            expected = "a number of at least 0"
        case ("bool", .bool), ("int64", .int), ("double", .int), ("double", .double),
            ("string", .string), ("JSONValue", _):
            return
        // Servers write IDs as integers, too.
        case ("string", .int) where name.hasSuffix("_id") || name.hasSuffix("_ids"): return
        case ("bytes", .string(let text)) where Data(base64Encoded: text) != nil: return
        case ("bool", _): expected = "true or false"
        case ("int64", _): expected = "a whole number of 64 bits"
        case ("double", _): expected = "a number"
        case ("bytes", _): expected = "bytes in Base64"
        default: expected = "a text in quotes"
        }
        throw wrong(value, path, expected)
    }
}

private func wrong(_ value: JSONValue, _ path: String, _ expected: String) -> CommandError {
    let text = value.description
    let shown = text.count > 40 ? "\(text.prefix(40))…" : text
    return .failed("\(path.isEmpty ? "" : "\(path): ")\(shown) is not \(expected)")
}

extension JSONValue {
    fileprivate init(typed text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }
}

extension Record {
    fileprivate init(json text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    func json(_ formatting: JSONEncoder.OutputFormatting = []) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension DecodingError {
    fileprivate var sentence: String {
        let context: Context
        switch self {
        case .typeMismatch(_, let of), .valueNotFound(_, let of), .keyNotFound(_, let of),
            .dataCorrupted(let of):
            context = of
        @unknown default: return "\(self)"
        }
        let path = context.codingPath.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
        return (path.isEmpty ? "" : "\(path): ") + context.debugDescription
    }
}
