import Models

// Lenient decoding, because events may come from any client.
//
// A field of the wrong type counts as missing, and an element that cannot be decoded is omitted.
extension KeyedDecodingContainer {
    func lenient<Value: Decodable>(_ key: Key) -> Value? { lenient(Value.self, key) }

    func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        contains(key) ? try? decode(Value.self, forKey: key) : nil
    }

    func lenientList<Value: Decodable>(_ key: Key) -> [Value] {
        guard contains(key), let list = try? decode([Lenient<Value>].self, forKey: key) else {
            return []
        }
        return list.compactMap(\.value)
    }

    func lenientMap<Value: Decodable>(_ key: Key) -> [String: Value] {
        guard contains(key), let map = try? decode([String: Lenient<Value>].self, forKey: key)
        else { return [:] }
        return map.compactMapValues(\.value)
    }
}

private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?
    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

/// An integer, which old servers write as a string.
struct LenientInt: Decodable {
    let value: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            value = Int(text) ?? 0
        } else {
            value = try container.decode(Int.self)
        }
    }
}
