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
        return key.open(Data(bytes), for: purpose)
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
            guard let sealed = key.seal(bytes, for: purpose) else {
                throw StoreError(.io, "the file cannot be encrypted", path: path)
            }
            bytes = sealed
        }
        try DiskFile.replace(path, by: Array(bytes))
    }

    package func remove() throws(StoreError) { try DiskFile.remove(path) }
}
