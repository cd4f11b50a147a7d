import Crypto
package import Foundation

/// A small file next to an app's stores.
package struct NoteFile: Sendable {
    private let path: String
    private let key: EncryptionKey?
    private let purpose: String

    /// `purpose` is authenticated, so that the bytes cannot be used for another purpose.
    package init(at path: String, encryptedWith key: EncryptionKey?, for purpose: String) {
        self.path = path
        self.key = key
        self.purpose = purpose
    }

    package var exists: Bool { access(path, F_OK) == 0 }

    /// Returns `nil` if the file is missing, unreadable, or encrypted with another key.
    package func read() -> Data? {
        guard let bytes = try? bytes() else { return nil }
        guard let key else { return Data(bytes) }
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return try? AES.GCM.open(box, using: derived(from: key))
    }

    private func derived(from key: EncryptionKey) -> SymmetricKey {
        key.key.derived(salt: Data(), purpose: Array("scrollback note 1\n\(purpose)".utf8)).key
    }

    private static let maximumByteCount = 64 << 10

    /// Returns `nil` if the file is missing, is not a regular file, or is too large.
    private func bytes() throws(StoreError) -> [UInt8]? {
        guard let file = try DiskFile(reading: path),
            try file.isRegular(atMost: NoteFile.maximumByteCount)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: try file.size())
        let count = try file.read(into: &bytes)
        return Array(bytes.prefix(count))
    }

    /// Replaces the bytes atomically and durably.
    package func write(_ bytes: Data) throws(StoreError) {
        var bytes = bytes
        if let key {
            // `combined` is never `nil` for a nonce of the default size.
            guard let sealed = try? AES.GCM.seal(bytes, using: derived(from: key)).combined else {
                throw StoreError(.io, "the file cannot be encrypted", path: path)
            }
            bytes = sealed
        }
        try DiskFile.replace(path, by: Array(bytes))
    }

    package func remove() throws(StoreError) { try DiskFile.remove(path) }
}
