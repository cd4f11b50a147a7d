import CLevelDBEnvironment
import Crypto
import Foundation

/// The keys that the files of a directory are sealed under, each with its number.
///
/// There is one, or none where the files are plain; two while they are being sealed anew.
package struct DataKeys: Sendable {
    /// The number of files that are not sealed.
    package static let plain: UInt32 = 0

    /// The number of the key that new files are sealed under.
    package let generation: UInt32
    /// Whether files that are not sealed are read too, since they are about to be.
    let readsPlain: Bool
    /// By number.
    let keys: [UInt32: SymmetricKey]

    /// Creates the keys of a new directory: one that is random.
    package init() {
        self.init(generation: 1, readsPlain: false, keys: [1: SymmetricKey(size: .bits256)])
    }

    init(generation: UInt32, readsPlain: Bool, keys: [UInt32: SymmetricKey]) {
        self.generation = generation
        self.readsPlain = readsPlain
        self.keys = keys
    }

    /// The keys of a store that is not encrypted.
    static let none = DataKeys(generation: plain, readsPlain: true, keys: [:])

    /// These, and one more that new files are sealed under, unless they are to be plain.
    func next(isPlain: Bool) -> DataKeys {
        if isPlain { return DataKeys(generation: DataKeys.plain, readsPlain: true, keys: keys) }
        let number = (keys.keys.max() ?? DataKeys.plain) + 1
        var keys = keys
        keys[number] = SymmetricKey(size: .bits256)
        return DataKeys(generation: number, readsPlain: readsPlain, keys: keys)
    }

    /// The numbers of all keys, that of new files first.
    var generations: [UInt32] {
        keys.keys.filter { $0 == generation }
            + keys.keys.filter { $0 != generation }.sorted(by: >)
    }

    /// Whether files may be under another key than new ones are.
    package var isUnfinished: Bool {
        readsPlain || keys.keys.contains { $0 != generation }
    }

    /// The one that is left when all files are sealed anew; `nil` if they are plain then.
    var finished: DataKeys? {
        guard let key = keys[generation] else { return nil }
        return DataKeys(generation: generation, readsPlain: false, keys: [generation: key])
    }

    /// A key for one purpose, and what only it gives: derived with HKDF from a data key.
    func derived(
        _ generation: UInt32, salt: some DataProtocol, purpose: [UInt8], checkCount: Int
    ) -> (key: SymmetricKey, check: [UInt8])? {
        guard let key = keys[generation] else { return nil }
        return key.derived(salt: salt, purpose: purpose, checkCount: checkCount)
    }
}

extension SymmetricKey {
    func derived(
        salt: some DataProtocol, purpose: [UInt8], checkCount: Int = 0
    ) -> (key: SymmetricKey, check: [UInt8]) {
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, salt: salt, info: purpose, outputByteCount: 32 + checkCount)
        return derived.withUnsafeBytes { bytes in
            (
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[..<32])),
                Array(bytes[32...])
            )
        }
    }
}

// MARK: For the environment

/// What the environment's functions work with; outlives it.
final class FileCipher: Sendable {
    private let keys: DataKeys

    init(_ keys: DataKeys) { self.keys = keys }

    /// DO NOT CHANGE: the keys on people's disks depend on it.
    private static let purpose = Array("scrollback file 1\n".utf8)

    private func key(
        _ generation: UInt32, _ salt: UnsafeRawBufferPointer, _ identity: UnsafeRawBufferPointer,
        _ check: UnsafeMutableRawBufferPointer
    ) -> SealingKey? {
        let found = keys.derived(
            generation, salt: salt, purpose: FileCipher.purpose + identity,
            checkCount: check.count)
        guard let found else { return nil }
        check.copyBytes(from: found.check)
        return SealingKey(found.key)
    }

    /// The functions, for as long as this is there.
    var functions: scrollback_cipher {
        scrollback_cipher(
            context: Unmanaged.passUnretained(self).toOpaque(),
            generation: keys.generation,
            reads_plain: keys.readsPlain,
            make_key: { context, generation, salt, identity, identityCount, check in
                let cipher = Unmanaged<FileCipher>.fromOpaque(context).takeUnretainedValue()
                let key = cipher.key(
                    generation,
                    UnsafeRawBufferPointer(start: salt, count: Int(scrollback_salt_size)),
                    UnsafeRawBufferPointer(start: identity, count: identityCount),
                    UnsafeMutableRawBufferPointer(
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
                        UnsafeRawBufferPointer(start: sealed, count: count), sealed + count,
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

/// The key of one file.
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
        // Fails for sizes alone, which are ours.
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
        _ sealed: UnsafeRawBufferPointer, _ tag: UnsafePointer<UInt8>,
        into plain: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        let tag = UnsafeRawBufferPointer(start: tag, count: Int(scrollback_tag_size))
        // What is not what was sealed is an error here, and damage to whoever asks.
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: self.nonce(nonce), ciphertext: sealed, tag: tag),
            let opened = try? AES.GCM.open(box, using: key, authenticating: bound)
        else { return false }
        if let plain { opened.copyBytes(to: plain, count: opened.count) }
        return true
    }
}
