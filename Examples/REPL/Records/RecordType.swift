import Foundation
import Scrollback

/// A type of record that has a name.
struct RecordType {
    let type: any Record.Type

    static var names: [String] { recordTypes.map { $0.schema.name } }

    /// Returns the type with a name, ignoring case.
    init(named name: String) throws {
        guard
            let type = recordTypes.first(where: {
                $0.schema.name.caseInsensitiveCompare(name) == .orderedSame
            })
        else { throw CommandError.failed("there is no type '\(name)': schema lists them all") }
        self.type = type
    }

    var name: String { type.schema.name }

    /// Decodes a record from JSON, as leniently as JSON of a server is decoded.
    func record(json text: String) throws -> any Record {
        try decoded(text) { try type.init(json: text) }
    }

    /// Decodes a record from JSON that a user has typed, in which an unknown field or case is an
    /// error.
    func typedRecord(json text: String) throws -> any Record {
        let json = try decoded(text) {
            try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        }
        try check(json, at: "")
        return try record(json: text)
    }

    /// Returns the changes in JSON that a user has typed, in which an unknown field or case is an
    /// error.
    ///
    /// - Parameters:
    ///   - record: The type of the record.
    ///   - text: The JSON.
    ///   - fields: The names of the fields that may be changed; `nil` for all.
    /// - Returns: The changes.
    /// - Throws: ``CommandError``, which names the wrong field or value.
    func patch<Value: Record>(
        _ record: Value.Type, json text: String, only fields: [String]? = nil
    ) throws -> Patch<Value> {
        let (json, patch) = try decoded(text) {
            let data = Data(text.utf8)
            return (
                try JSONDecoder().decode(JSONValue.self, from: data),
                try JSONDecoder().decode(Patch<Value>.self, from: data)
            )
        }
        if let fields, case .object(let entries) = json {
            let other = entries.keys.sorted().first { !fields.contains($0) }
            if let other {
                throw CommandError.failed(
                    "'\(other)' cannot be changed: \(fields.joined(separator: ", "))")
            }
        }
        try check(json, at: "")
        return patch
    }

    /// Throws an error for the first unknown field or case in a JSON object.
    private func check(_ json: JSONValue, at path: String) throws {
        guard case .object(let entries) = json else { return }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard
                let field = type.schema.fieldDescriptions.first(where: {
                    $0.number != Self.extraNumber && ([$0.name] + $0.aliases).contains(key)
                })
            else {
                throw CommandError.failed(
                    "\(name) has no field '\(key)': schema \(name) lists its fields")
            }
            let values = if case .array(let elements) = value { elements } else { [value] }
            for value in values {
                if !field.cases.isEmpty, case .string(let word) = value, !isCase(word, of: field) {
                    throw CommandError.failed(
                        "'\(word)' is not a value of \(path)\(key): "
                            + field.cases.joined(separator: ", "))
                }
                let element = field.type.split(separator: " ").last.map(String.init) ?? ""
                if let nested = try? RecordType(named: element) {
                    try nested.check(value, at: "\(path)\(key).")
                }
            }
        }
    }

    /// Returns a Boolean value that indicates whether a word is a case of an enumeration, which
    /// decoding does not check.
    private func isCase(_ word: String, of field: Schema.FieldDescription) -> Bool {
        if field.cases.contains(word) || field.cases.first == word.uppercased() { return true }
        // A word that cannot be encoded or decoded is not a case.
        guard let json = try? JSONEncoder().encode([field.name: word]),
            let record = try? type.init(json: String(decoding: json, as: UTF8.self))
        else { return false }
        return !record.serializedBytes.isEmpty
    }

    /// The number of the field that stores unknown keys.
    static let extraNumber = 100

    private func decoded<Value>(_ text: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DecodingError {
            throw CommandError.failed(
                Self.syntaxError(in: text).map { "this is not JSON: \($0)" }
                    ?? "\(name): \(error.sentence)"
            )
        }
    }

    /// Returns the first syntax error in text that is not JSON.
    ///
    /// On Linux, the error of `JSONDecoder` does not contain the syntax error.
    private static func syntaxError(in text: String) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
            return nil
        } catch {
            return (error as NSError).userInfo["NSDebugDescription"] as? String
        }
    }

    /// Decodes a record from its binary form, in hex.
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

    /// Decodes a record from JSON, or from its binary form in hex.
    func record(_ text: String) throws -> any Record {
        try text.hasPrefix("{") ? record(json: text) : record(hex: text)
    }
}

extension Record {
    fileprivate init(json text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// Returns the record as JSON, with sorted keys.
    func json(_ formatting: JSONEncoder.OutputFormatting = []) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension DecodingError {
    /// The message of the error, with the path of keys to the value.
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
