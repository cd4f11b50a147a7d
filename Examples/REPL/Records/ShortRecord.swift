import Foundation
import Scrollback

/// The JSON of a record with shortened lists and maps.
struct ShortRecord {
    /// The lines of the JSON, and a line for each shortened list or map.
    private(set) var lines: [String]

    init<Value: Record>(_ record: Value, limit: Int) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(record)
        let json = try JSONDecoder().decode(JSONValue.self, from: data)
        var cut = RecordCut(limit: limit)
        let short = cut.first(of: json, Value.schema)
        let shown = cut.remarks.isEmpty ? data : try encoder.encode(short)
        lines = [String(decoding: shown, as: UTF8.self)] + cut.remarks
    }
}

private struct RecordCut {
    let limit: Int
    var remarks: [String] = []

    mutating func first(of json: JSONValue, _ schema: Schema, at path: String = "") -> JSONValue {
        guard case .object(var entries) = json else { return json }
        let fields = schema.fieldDescriptions.filter { entries[$0.name] != nil }
        for field in fields {
            guard let value = entries[field.name] else { continue }
            let path = path + field.name
            let nested = recordTypes.first { $0.schema.name == field.element }?.schema
            func short(_ value: JSONValue, _ index: String = "") -> JSONValue {
                guard let nested else { return value }
                return first(of: value, nested, at: "\(path)\(index).")
            }
            switch value {
            case .array(let elements):
                addRemark(elements.count, path)
                let first = elements.prefix(limit).enumerated()
                entries[field.name] = .array(first.map { short($1, "[\($0)]") })
            case .object(let object) where field.type.hasPrefix("map<"):
                addRemark(object.count, path)
                let first = object.sorted { $0.key < $1.key }.prefix(limit)
                entries[field.name] = .object(Dictionary(uniqueKeysWithValues: Array(first)))
            default: entries[field.name] = short(value)
            }
        }
        return .object(entries)
    }

    private mutating func addRemark(_ count: Int, _ path: String) {
        if count > limit { remarks.append("\(path): \(Command.cutRemark(limit, of: count))") }
    }
}
