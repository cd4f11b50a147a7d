import Foundation
import Scrollback

extension EncryptionKey {
    /// Reads a key from a file, 64 digits in hexadecimal.
    ///
    /// A file that is not there is made, with a new key. For a prompt: an app keeps its key where the system keeps what is secret, not beside the data.
    init(file: URL) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            let digits = EncryptionKey().withUnsafeBytes { bytes in
                bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
            }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let isMade = FileManager.default.createFile(
                atPath: file.path, contents: Data("\(digits)\n".utf8),
                attributes: [.posixPermissions: 0o600])
            guard isMade else { throw CommandError.failed("\(file.path) cannot be made") }
        }
        let text = try? String(contentsOf: file, encoding: .utf8)
        let digits = Array((text ?? "").trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count - 1, by: 2) {
            let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
            bytes += UInt8(pair, radix: 16).map { [$0] } ?? []
        }
        guard digits.count == 2 * EncryptionKey.byteCount, let key = EncryptionKey(bytes) else {
            throw CommandError.failed(
                "\(file.path) has no key: it should be 64 digits in hexadecimal")
        }
        self = key
    }
}
