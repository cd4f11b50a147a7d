import Crypto
import Foundation
import Models

/// Encrypts the lines of a `FileCache` or `PushInbox`, and the former's file names.
///
/// On-disk format, do not change: Docs/Format.md, "Encrypted file cache", has the grammar.
struct LineCipher: Sendable {
    private let keys: DataKeys

    init(_ keys: DataKeys) { self.keys = keys }

    var readsPlain: Bool { keys.readsPlain }

    static func isHead(_ line: [UInt8]) -> Bool { line.starts(with: head.utf8) }

    private static let head = "scrollback sealed 1 "
    private static let purpose = Array("scrollback lines 1\n".utf8)
    private static let namePurpose = Array("scrollback names 1\n".utf8)
    private static let checkCount = 20

    /// Without the key, the name does not reveal the channel.
    func name(of file: CacheFile) -> String {
        guard file.kind == .messages,
            let key = keys.derived(
                keys.generation, salt: Data(), purpose: LineCipher.namePurpose, checkCount: 0)?.key
        else { return file.name }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(file.channel.rawValue.utf8), using: key)
        return code.hexadecimal + CacheFile.messagesSuffix
    }

    /// Encrypts a text, unless new files are unencrypted.
    func seal(_ text: [UInt8], name: String) throws(StoreError) -> [UInt8] {
        guard keys.generation != DataKeys.plain else { return text }
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes(Array.init)
        guard let file = file(keys.generation, salt, name) else {
            throw StoreError(.io, "the key of the file cannot be derived", path: name)
        }
        var sealed = Array(LineCipher.head.utf8)
        sealed += Data(salt + file.check).base64EncodedData()
        sealed.append(UInt8(ascii: "\n"))
        let lines = text.dropLast().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            // Encryption fails only for invalid sizes, and all sizes are fixed here.
            guard
                let box = try? AES.GCM.seal(
                    line, using: file.key, authenticating: LineCipher.bytes(index)),
                let combined = box.combined
            else { throw StoreError(.io, "the line cannot be encrypted", path: name) }
            sealed += combined.base64EncodedData()
            sealed.append(UInt8(ascii: "\n"))
        }
        return sealed
    }

    /// Returns the key of a file for its first line; `nil` if this is no header, or the data key is
    /// unknown.
    func key(_ line: [UInt8], name: String) -> SymmetricKey? {
        let head = LineCipher.head.utf8
        guard LineCipher.isHead(line),
            let bytes = Data(base64Encoded: Data(line[head.count...])),
            bytes.count == EncryptionKey.byteCount + LineCipher.checkCount
        else { return nil }
        let salt = bytes.prefix(EncryptionKey.byteCount)
        let check = bytes.suffix(LineCipher.checkCount)
        // During a re-encryption, the check bytes show which of two data keys is right.
        for generation in keys.generations {
            guard let file = file(generation, salt, name), check.elementsEqual(file.check) else {
                continue
            }
            return file.key
        }
        return nil
    }

    /// Returns `nil` unless the line was written at this index with this key.
    static func open(_ line: [UInt8], at index: Int, with key: SymmetricKey) -> [UInt8]? {
        guard let combined = Data(base64Encoded: Data(line)),
            let box = try? AES.GCM.SealedBox(combined: combined),
            let opened = try? AES.GCM.open(box, using: key, authenticating: bytes(index))
        else { return nil }
        return Array(opened)
    }

    private func file(
        _ generation: UInt32, _ salt: some DataProtocol, _ name: String
    ) -> (key: SymmetricKey, check: [UInt8])? {
        keys.derived(
            generation, salt: salt, purpose: LineCipher.purpose + Array(name.utf8),
            checkCount: LineCipher.checkCount)
    }

    private static func bytes(_ index: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(index).bigEndian, Array.init)
    }
}
