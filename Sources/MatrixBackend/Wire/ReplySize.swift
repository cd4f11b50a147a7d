import Foundation
import Models

extension JSONDecoder {
    /// Decodes a reply; throws also if it is not in UTF-8, or has more values than
    /// ``WireLimit/values``.
    static func decode<Reply: Decodable>(_ type: Reply.Type, ofReply body: Data) throws -> Reply {
        // The decoder recognizes UTF-16 and UTF-32 by a byte order mark or by a zero byte, and the
        // values would not be counted.
        guard !body.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the reply is not in UTF-8")
            )
        }
        guard !body.hasMoreValues(than: WireLimit.values) else {
            throw DecodingError.tooLong("the list of values in the reply")
        }
        return try JSONDecoder().decode(type, from: body.withoutLongKeys)
    }
}

extension Data {
    /// The decoder needs up to thirty times the memory of a text with very small values.
    ///
    /// Each value after the first one follows a comma or an opening bracket.
    func hasMoreValues(than limit: Int) -> Bool {
        guard count > limit else { return false }
        return withUnsafeBytes { bytes in
            var (count, isInText, isEscaped) = (1, false, false)
            for byte in bytes {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\"): isEscaped = isInText
                case UInt8(ascii: "\""): isInText.toggle()
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"):
                    if !isInText { count += 1 }
                default: break
                }
                if count > limit { return true }
            }
            return false
        }
    }
}
