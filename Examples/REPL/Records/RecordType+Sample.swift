import Foundation
import Scrollback

extension RecordType {
    /// Returns a record with a value in every field, except those of its own or an enclosing type.
    func sample() throws -> any Record {
        try record(json: sampleJSON(within: []).text)
    }

    private func sampleJSON(within outer: [String]) throws -> JSONValue {
        var entries: [String: JSONValue] = [:]
        for field in type.schema.fieldDescriptions where field.number != RecordType.extraNumber {
            let words = field.type.split(separator: " ")
            let element = field.element
            var values = scalars(field, element)
            if let nested = try? RecordType(named: element) {
                guard !outer.contains(element), element != name else { continue }
                values = [try nested.sampleJSON(within: outer + [name])]
            }
            let candidates = values.map { value -> JSONValue in
                if words.first == "repeated" { return .array([value]) }
                return field.type.hasPrefix("map<") ? .object(["key": value]) : value
            }
            // A default value is not encoded.
            let isWritten = try candidates.first { value in
                let json = try JSONValue.object([field.name: value]).text
                return try !record(json: json).serializedBytes.isEmpty
            }
            entries[field.name] = isWritten ?? candidates[0]
        }
        return .object(entries)
    }

    private func scalars(
        _ field: Schema.FieldDescription, _ element: String
    ) -> [JSONValue] {
        if let last = field.cases.last { return [.string(last)] }
        let name = field.name
        switch element {
        case "bool": return [true, false]
        case "int64":
            let isTime = ["_at", "_ts", "_read", "ts", "time"].contains { name.hasSuffix($0) }
            return isTime ? [1_700_000_000_000] : [1, 2]
        case "double": return [0.5]
        case "bytes": return [.string("YWJj")]
        default:
            let ids: [String: JSONValue] = [
                "user_id": "alice", "user_ids": "alice", "channel_url": "general",
                "message_id": "42", "request_id": "r-1", "nickname": "Alice",
                "message": "Hello", "url": "https://example.com/a.png",
            ]
            return [ids[name] ?? .string("example \(name.replacing("_", with: " "))")]
        }
    }
}

extension JSONValue {
    fileprivate var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
