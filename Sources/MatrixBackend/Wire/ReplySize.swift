import Foundation

extension JSONDecoder {
    /// Decodes the body of a server's reply.
    ///
    /// - Throws: `DecodingError`, also if the text has more values than ``WireLimit/values``.
    static func decode<Reply: Decodable>(_ type: Reply.Type, ofReply body: Data) throws -> Reply {
        guard !body.hasMoreValues(than: WireLimit.values) else {
            throw DecodingError.tooLong("the list of values in the reply")
        }
        return try JSONDecoder().decode(type, from: body)
    }
}

extension Data {
    /// Returns a Boolean value that indicates whether JSON text has more values than a limit.
    ///
    /// The decoder needs up to thirty times the memory of a text with very small values. Each value
    /// after the first one follows a comma or an opening bracket.
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
