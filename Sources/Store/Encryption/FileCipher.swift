import CScrollbackLevelDB
import Crypto
import Foundation

/// The context of the environment's encryption functions, which must outlive the environment.
final class FileCipher: Sendable {
    private let keys: DataKeys

    init(_ keys: DataKeys) { self.keys = keys }

    /// On-disk format, do not change: the keys of existing files are derived from this text.
    private static let purpose = Array("scrollback file 1\n".utf8)

    private func key(
        _ generation: UInt32, salt: UnsafeRawBufferPointer, identity: UnsafeRawBufferPointer,
        check: UnsafeMutableRawBufferPointer
    ) -> SealingKey? {
        let found = keys.derived(
            generation, salt: salt, purpose: FileCipher.purpose + identity,
            checkCount: check.count)
        guard let found else { return nil }
        check.copyBytes(from: found.check)
        return SealingKey(found.key)
    }

    var functions: scrollback_cipher {
        scrollback_cipher(
            context: Unmanaged.passUnretained(self).toOpaque(),
            generation: keys.generation,
            reads_plain: keys.readsPlain,
            make_key: { context, generation, salt, identity, identityCount, check in
                let cipher = Unmanaged<FileCipher>.fromOpaque(context).takeUnretainedValue()
                let key = cipher.key(
                    generation,
                    salt: UnsafeRawBufferPointer(start: salt, count: Int(scrollback_salt_size)),
                    identity: UnsafeRawBufferPointer(start: identity, count: identityCount),
                    check: UnsafeMutableRawBufferPointer(
                        start: check, count: Int(scrollback_check_size)))
                return key.map { Unmanaged.passRetained($0).toOpaque() }
            },
            drop_key: { Unmanaged<SealingKey>.fromOpaque($0).release() },
            seal: { key, nonce, bound, boundCount, plain, count, sealed in
                Unmanaged<SealingKey>.fromOpaque(key)._withUnsafeGuaranteedRef {
                    $0.seal(
                        nonce, UnsafeRawBufferPointer(start: bound, count: boundCount),
                        UnsafeRawBufferPointer(start: plain, count: count), into: sealed)
                }
            },
            open: { key, nonce, bound, boundCount, sealed, count, plain in
                Unmanaged<SealingKey>.fromOpaque(key)._withUnsafeGuaranteedRef {
                    $0.open(
                        nonce, UnsafeRawBufferPointer(start: bound, count: boundCount),
                        UnsafeRawBufferPointer(start: sealed, count: count), tag: sealed + count,
                        into: plain)
                }
            },
            randomize: { bytes, count in
                var random = SystemRandomNumberGenerator()
                var rest = UnsafeMutableRawBufferPointer(start: bytes, count: count)
                while !rest.isEmpty {
                    let count = min(rest.count, 8)
                    withUnsafeBytes(of: random.next()) {
                        rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
                    }
                    rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
                }
            })
    }
}

private final class SealingKey: Sendable {
    private let key: SymmetricKey

    init(_ key: SymmetricKey) { self.key = key }

    private func nonce(_ bytes: UnsafePointer<UInt8>) throws -> AES.GCM.Nonce {
        let count = Int(scrollback_nonce_size)
        return try AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func seal(
        _ nonce: UnsafePointer<UInt8>, _ bound: UnsafeRawBufferPointer,
        _ plain: UnsafeRawBufferPointer, into sealed: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // Encryption fails only for invalid sizes, and all sizes are fixed here.
        guard
            let box = try? AES.GCM.seal(
                plain, using: key, nonce: self.nonce(nonce), authenticating: bound)
        else { return false }
        box.ciphertext.copyBytes(to: sealed, count: plain.count)
        box.tag.copyBytes(to: sealed + plain.count, count: box.tag.count)
        return true
    }

    func open(
        _ nonce: UnsafePointer<UInt8>, _ bound: UnsafeRawBufferPointer,
        _ sealed: UnsafeRawBufferPointer, tag: UnsafePointer<UInt8>,
        into plain: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        let tag = UnsafeRawBufferPointer(start: tag, count: Int(scrollback_tag_size))
        // The reader reports a failed authentication as corruption.
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: self.nonce(nonce), ciphertext: sealed, tag: tag),
            let opened = try? AES.GCM.open(box, using: key, authenticating: bound)
        else { return false }
        if let plain { opened.copyBytes(to: plain, count: opened.count) }
        return true
    }
}
