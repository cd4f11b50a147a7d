import Foundation
import Models

extension JSONDecoder {
    /// Decodes a reply without the parts that ``ReplyCutter`` removes; throws also if it is not in
    /// UTF-8, or has more values than ``WireLimit/values``.
    ///
    /// Unless the reply `mayBeCut`, its size must be limited, and long names are errors, as are
    /// equal ones in a `JSONValue`.
    static func decode<Reply: Decodable>(
        _ type: Reply.Type, ofReply body: Data, mayBeCut: Bool = true
    ) throws -> Reply {
        guard body.isReadAsUTF8 else {
            throw DecodingError.corrupted("the reply is not in UTF-8")
        }
        let decoder = JSONDecoder()
        guard mayBeCut else {
            var keyCount = 0
            let read = body.overwritingKeys { key in
                keyCount += 1
                return key.count > Data.longestKey
            }
            guard read == body else { throw DecodingError.tooLong("a name in the reply") }
            let reply = try decoder.decode(type, from: body)
            // The decoder keeps only one of two names that are equal as Unicode texts.
            if let value = reply as? JSONValue, value.keyCount != keyCount {
                throw DecodingError.corrupted("two names in the reply are equal")
            }
            return reply
        }
        let read = try ReplyCutter.cut(body).withoutInvalidKeys
        if read != body { decoder.userInfo[.isCut] = true }
        return try decoder.decode(type, from: read)
    }
}

extension Data {
    /// The text without long keys, and without those of rooms and events that equal another one as
    /// Unicode texts: a decoder keeps only one of two equal keys.
    fileprivate var withoutInvalidKeys: Data {
        overwritingKeys { key in
            if key.count > Data.longestKey { return true }
            guard key.first == UInt8(ascii: "$") || key.first == UInt8(ascii: "!"),
                key.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") })
            else { return false }
            let text = String(decoding: key, as: UTF8.self)
            let escaped = text.lowercased()
            // These are all scalars that are canonically equivalent to one of ASCII.
            return ["\u{212A}", "\u{1FEF}", "\u{37E}"].contains { text.unicodeScalars.contains($0) }
                || ["\\u212a", "\\u1fef", "\\u037e"].contains { escaped.contains($0) }
        }
    }
}

extension JSONValue {
    fileprivate var keyCount: Int {
        switch self {
        case .object(let entries): entries.values.reduce(entries.count) { $0 + $1.keyCount }
        case .array(let elements): elements.reduce(0) { $0 + $1.keyCount }
        default: 0
        }
    }
}

extension CodingUserInfoKey {
    /// The key of `true` if parts of the reply may have been removed.
    static let isCut = CodingUserInfoKey(rawValue: "isCut")!
}

extension Decoder {
    var readsWholeReply: Bool { userInfo[.isCut] == nil }
}
