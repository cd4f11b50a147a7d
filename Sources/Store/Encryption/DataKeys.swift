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
