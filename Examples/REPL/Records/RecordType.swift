import Foundation
import Scrollback

/// A type of record, by the name that one types.
struct RecordType {
    let type: any Record.Type

    /// Their names, in the order in which they are listed.
    static var names: [String] { recordTypes.map { $0.schema.name } }

    /// The type of that name, whatever the case of letters.
    init(named name: String) throws {
        guard
            let type = recordTypes.first(where: {
                $0.schema.name.caseInsensitiveCompare(name) == .orderedSame
            })
        else { throw CommandError.failed("there is no type '\(name)': types lists them all") }
        self.type = type
    }

    var name: String { type.schema.name }

    /// The record that JSON tells.
    func record(json text: String) throws -> any Record {
        do {
            return try type.init(json: text)
        } catch let error as DecodingError {
            throw CommandError.failed(
                Self.syntaxError(in: text).map { "this is not JSON: \($0)" }
                    ?? "\(name): \(error.sentence)"
            )
        }
    }

    /// Why a text is not JSON at all, and where; `JSONDecoder` says neither on Linux.
    private static func syntaxError(in text: String) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
            return nil
        } catch {
            return (error as NSError).userInfo["NSDebugDescription"] as? String
        }
    }

    /// The record that is serialized in bytes, which are written in hex.
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

    /// The record in either form.
    func record(_ text: String) throws -> any Record {
        try text.hasPrefix("{") ? record(json: text) : record(hex: text)
    }
}

extension Record {
    fileprivate init(json text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// The record as JSON, its keys in alphabetical order.
    func json(_ formatting: JSONEncoder.OutputFormatting = []) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension DecodingError {
    /// What is wrong, and under which key.
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
