import Crypto
import Foundation
import Models

/// Reads a copy of an outgoing file, and verifies it while reading.
///
/// The last bytes are returned only if the whole copy has the size and hash of the outbox item, so
/// that a damaged copy is never sent completely.
package final class OutboxFileReader {
    private let copy: FileCopy
    private let file: FileReader
    private let path: String
    private var hash = SHA256()
    private var left: Int
    private var isVerified = false

    init(
        _ copy: FileCopy, _ file: consuming FileReader, at path: String
    ) throws(StoreError) {
        guard file.size == copy.size else {
            throw StoreError(
                .corruption, "the file has \(file.size) bytes instead of \(copy.size)", path: path)
        }
        self.copy = copy
        self.path = path
        left = copy.size
        self.file = file
    }

    /// Reads at most `count` bytes, at least 1; returns `nil` at the end.
    ///
    /// The call throws `corruption` if the bytes are not those that were copied, and `permission`
    /// or `io` if they cannot be read now.
    package func next(upTo count: Int) throws(StoreError) -> [UInt8]? {
        guard !isVerified else { return nil }
        let expected = min(count, left)
        let bytes = try file.read(expected)
        guard bytes.count == expected else {
            throw StoreError(
                .corruption, "the file ends \(left - bytes.count) bytes before its stored size",
                path: path)
        }
        hash.update(data: bytes)
        left -= expected
        if left == 0 { try verify() }
        return bytes.isEmpty ? nil : bytes
    }

    private func verify() throws(StoreError) {
        guard try file.read(1).isEmpty else {
            throw StoreError(.corruption, "the file has more than \(copy.size) bytes", path: path)
        }
        guard let sha256 = copy.sha256, hash.finalize() == sha256 else {
            throw StoreError(
                .corruption, "the file was changed: its SHA-256 differs from the stored one",
                path: path)
        }
        isVerified = true
    }
}
