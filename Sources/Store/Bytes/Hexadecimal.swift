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
    /// The SHA-256 hash of the text in 64 hexadecimal digits, for use as a file name.
    package var hashedFileName: String { SHA256.hash(data: Data(utf8)).hexadecimal }
}
