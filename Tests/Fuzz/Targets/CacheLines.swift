import Crypto
import Foundation
import Models

/// Writes the lines of a file of the file cache according to Docs/Format.md, without the library's
/// code.
enum CacheLines {
    /// Returns a file whose lines have correct check values.
    ///
    /// The records in the lines may be damaged.
    static func file(
        _ channel: ChannelURL, _ input: inout FuzzInput, hasHeader: Bool
    ) -> [UInt8] {
        let name = Data(channel.rawValue.utf8).base64EncodedString()
        var text = ""
        if hasHeader {
            let header = "scrollback 1 messages \(input.byte()) \(name)"
            text = "\(header) \(check(Data(header.utf8)))\n"
        }
        while !input.isAtEnd {
            let record = Data(input.measured())
            text +=
                "\(record.base64EncodedString()) \(check(Data("messages \(name)\n".utf8) + record))\n"
        }
        return Array(text.utf8)
    }

    static func sha256(_ bytes: Data) -> Data { Data(SHA256.hash(data: bytes)) }

    private static func check(_ bytes: Data) -> String {
        sha256(bytes).prefix(8).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}
