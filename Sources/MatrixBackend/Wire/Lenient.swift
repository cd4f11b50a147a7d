import Models

// Lenient decoding, because events may come from any client: a field of the wrong type counts as
// missing, as do a text that is longer and an integer that is greater than an event allows. An
// element that cannot be decoded is omitted.
extension KeyedDecodingContainer {
    func lenient<Value: Decodable>(_ key: Key) -> Value? { lenient(Value.self, key) }

    func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        let value = contains(key) ? try? decode(Value.self, forKey: key) : nil
        switch value {
        case let text as String where text.utf8.count > WireLimit.text: return nil
        case let number as Int where number.magnitude > WireLimit.integer: return nil
        case let number as Int64 where number.magnitude > WireLimit.integer: return nil
        default: return value
        }
    }

    /// Returns `nil` also for an ID longer than ``WireLimit/id``: comparing long texts with many
    /// marks as Unicode texts takes quadratic time.
    func lenientID(_ key: Key) -> String? {
        lenient(key).flatMap { (id: String) in id.utf8.count <= WireLimit.id ? id : nil }
    }

    /// Returns `nil` also for a name longer than ``WireLimit/name``: a channel has those of many
    /// members.
    func lenientName(_ key: Key) -> String? {
        lenient(key).flatMap { (name: String) in
            name.utf8.count <= WireLimit.name ? name : nil
        }
    }

    func lenientIDs(_ key: Key) -> [String] {
        lenient(WireIDs.self, key)?.texts ?? []
    }

    /// Returns a token; throws if it is too long, because the reply cannot be used without it.
    func token(_ key: Key) throws -> String? {
        guard (try? decodeIfPresent(String.self, forKey: key)) != nil else { return nil }
        return try decode(WireToken.self, forKey: key).text
    }

    func lenientList<Value: Decodable>(_ key: Key) -> [Value] {
        guard contains(key), var list = try? nestedUnkeyedContainer(forKey: key) else { return [] }
        return list.lenientList()
    }

    /// Returns the elements that can be decoded; throws for more than ``WireLimit/events``.
    func page<Value: Decodable>(_ key: Key, of what: String) throws -> [Value] {
        let values: [Value] = lenientList(key)
        guard values.count <= WireLimit.events else {
            throw DecodingError.tooLong("a page of \(what)")
        }
        return values
    }

    /// Returns the values by the IDs of rooms or events.
    ///
    /// Servers create IDs in ASCII. Another one could equal the ID of another room or event as a
    /// text. A key that was overwritten begins with neither sign. Rooms whose IDs contain `.` or
    /// `..` as a segment are omitted, because requests that change them are refused.
    func lenientMapByID<Value: Decodable>(_ key: Key) -> [String: Value] {
        lenientMap(key) { id in
            (id.utf8.first == UInt8(ascii: "$")
                || id.utf8.first == UInt8(ascii: "!") && !id.hasDotSegment)
                && id.utf8.allSatisfy { $0 < 0x80 }
        }
    }

    func lenientMap<Value: Decodable>(
        _ key: Key, where isIncluded: (String) -> Bool = { _ in true }
    ) -> [String: Value] {
        guard contains(key), let map = try? nestedContainer(keyedBy: AnyKey.self, forKey: key)
        else { return [:] }
        var values: [String: Value] = [:]
        for key in map.allKeys
        where key.stringValue.utf8.count <= WireLimit.id && isIncluded(key.stringValue) {
            guard values.count < WireLimit.elements else { break }
            values[key.stringValue] = try? map.decode(Value.self, forKey: key)
        }
        return values
    }
}

extension UnkeyedDecodingContainer {
    /// Elements that cannot be decoded are never added: they are small on the wire, but not in
    /// memory.
    mutating func lenientList<Value: Decodable>() -> [Value] {
        var values: [Value] = []
        while !isAtEnd, values.count < WireLimit.elements,
            let element = try? decode(Lenient<Value>.self)
        {
            if let value = element.value { values.append(value) }
        }
        return values
    }
}

struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The limits of what a homeserver sends, which could otherwise fill the memory and the cache.
enum WireLimit {
    /// The maximum length in bytes of an ID, a type or a state key, as the specification demands.
    static let id = 255
    /// The maximum length of another text in bytes: that of a whole event.
    static let text = 65_536
    /// The maximum length of a name, or of the address of a picture, in bytes.
    static let name = 1024
    /// The maximum magnitude of an integer, as the specification demands: sums do not overflow.
    static let integer = 1 << 53 - 1
    /// The maximum length in bytes of a token or file address, which is stored or sent in a URL.
    static let token = 4096
    /// The maximum number of values in a reply, including those in other values.
    static let values = 2_000_000
    /// The maximum number of elements in a list; the others are omitted.
    static let elements = 100_000
    /// The maximum number of events on a page, and of a room in a reply of `/sync`.
    static let events = 1000
    /// The maximum number of members and of read receipts of a channel; `members(of:)` returns all.
    static let members = 1000
    /// The maximum number of members of a room in memory.
    static let knownMembers = 10_000
    /// The maximum number of members whose names make up the name of a room.
    static let heroes = 16
}

extension String {
    var hasControlCharacters: Bool { utf8.contains { $0 < 0x20 } }
}

extension DecodingError {
    static var noEvent: DecodingError { corrupted("an event has no type or no sender") }

    static func tooLong(_ what: String) -> DecodingError { corrupted("\(what) is too long") }

    static func corrupted(_ text: String) -> DecodingError {
        .dataCorrupted(Context(codingPath: [], debugDescription: text))
    }
}

/// A token, an address or a name of at most ``WireLimit/token`` bytes.
struct WireToken: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.text(atMost: WireLimit.token, "a token")
    }
}

/// An ID of at most ``WireLimit/id`` bytes.
struct WireID: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.text(atMost: WireLimit.id, "an ID")
    }
}

struct WireIDs: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        let ids: [WireID] = list.lenientList()
        texts = ids.map(\.text)
    }
}

extension Decoder {
    fileprivate func text(atMost limit: Int, _ what: String) throws -> String {
        let text = try singleValueContainer().decode(String.self)
        guard text.utf8.count <= limit else { throw DecodingError.tooLong(what) }
        return text
    }
}

struct Lenient<Value: Decodable>: Decodable {
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
