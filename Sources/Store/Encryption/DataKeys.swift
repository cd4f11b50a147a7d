import Crypto
import Foundation

/// The keys of a directory's files, by number: one, none if unencrypted, or up to two during a
/// re-encryption.
package struct DataKeys: Sendable {
    /// The key number of unencrypted files.
    package static let plain: UInt32 = 0

    /// The number of the key for new files.
    package let generation: UInt32
    /// True if some files may not be encrypted yet.
    let readsPlain: Bool
    let keys: [UInt32: SymmetricKey]

    package init() {
        self.init(generation: 1, readsPlain: false, keys: [1: SymmetricKey(size: .bits256)])
    }

    init(generation: UInt32, readsPlain: Bool, keys: [UInt32: SymmetricKey]) {
        self.generation = generation
        self.readsPlain = readsPlain
        self.keys = keys
    }

    static let none = DataKeys(generation: plain, readsPlain: true, keys: [:])

    /// Adds a random key for new files, unless `isPlain`.
    func next(isPlain: Bool) -> DataKeys {
        if isPlain { return DataKeys(generation: DataKeys.plain, readsPlain: true, keys: keys) }
        var number = (keys.keys.max() ?? DataKeys.plain) &+ 1
        // Only a forged key file has the greatest number.
        while number == DataKeys.plain || keys[number] != nil { number &+= 1 }
        var keys = keys
        keys[number] = SymmetricKey(size: .bits256)
        return DataKeys(generation: number, readsPlain: readsPlain, keys: keys)
    }

    /// All numbers, that for new files first.
    var generations: [UInt32] {
        keys.keys.filter { $0 == generation }
            + keys.keys.filter { $0 != generation }.sorted(by: >)
    }

    /// True if some files may have another key than new files.
    package var isUnfinished: Bool {
        readsPlain || keys.keys.contains { $0 != generation }
    }

    /// The keys after a re-encryption; `nil` if the files are unencrypted.
    var finished: DataKeys? {
        guard let key = keys[generation] else { return nil }
        return DataKeys(generation: generation, readsPlain: false, keys: [generation: key])
    }

    /// Derives a key, and check bytes that identify it, with HKDF.
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
