import Crypto
import Foundation

private let digits = Array("0123456789abcdef".utf8)

extension Sequence<UInt8> {
    /// The bytes as pairs of lower-case hexadecimal digits.
    package var hexadecimal: String {
        let pairs = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }
}

extension String {
    /// A file name that is unique for the text: its SHA-256 in 64 digits.
    package var hashedFileName: String { SHA256.hash(data: Data(utf8)).hexadecimal }
}
