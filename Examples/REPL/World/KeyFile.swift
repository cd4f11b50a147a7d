import Foundation
import Scrollback

extension EncryptionKey {
    /// Reads a key from a file of 64 hexadecimal digits.
    ///
    /// Only the prompt reads keys from files. An app keeps its key in the system's keychain, not
    /// next to the data.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - creates: A Boolean value that indicates whether to write a new key to a file that does
    ///     not exist. Its directory must exist.
    /// - Throws: ``CommandError`` if the file does not exist, or has no key.
    init(file: URL, creates: Bool) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            guard creates else {
                throw CommandError.failed("there is no key file '\(file.path)'")
            }
            let digits = EncryptionKey().withUnsafeBytes { Hex.text($0).replacing(" ", with: "") }
            let isCreated = FileManager.default.createFile(
                atPath: file.path, contents: Data("\(digits)\n".utf8),
                attributes: [.posixPermissions: 0o600])
            guard isCreated else {
                throw CommandError.failed("cannot write the key file '\(file.path)'")
            }
        }
        let text = try? String(contentsOf: file, encoding: .utf8)
        guard let bytes = Hex.bytes(text ?? ""), let key = EncryptionKey(bytes) else {
            throw CommandError.failed(
                "\(file.path) has no key: it should be 64 hexadecimal digits")
        }
        self = key
    }
}
