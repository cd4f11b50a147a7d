import Crypto
import Foundation

/// The file `KEY` with the data keys, encrypted with the app's key, or with both its keys during a
/// change.
///
/// On-disk format, do not change: Docs/Format.md, "Encrypted files", has the complete description.
///
/// ```
/// file  := mark version slots slot* sum
/// slot  := salt nonce sealed            under a key derived from one of the app's and the salt,
///                                       authenticated with the names of the app and the user
/// ```
package struct KeyFile: Sendable {
    package static let name = "KEY"

    let path: String
    /// Authenticated by each slot; empty for a directory that an app has named.
    private let place: [UInt8]

    package init(in directory: String) { self.init(in: directory, of: directory) }

    init(in directory: String, of other: String) {
        path = directory + "/" + KeyFile.name
        place = Array(KeyFile.place(of: other).utf8)
    }

    /// Returns the app and the user of an encrypted store, so that directories with the same key
    /// cannot be exchanged.
    private static func place(of directory: String) -> String {
        let names = directory.split(separator: "/").suffix(2)
        guard let user = names.last, ChatStore.isHiddenName(user) else { return "" }
        return names.joined(separator: "/")
    }

    private static let mark = Array("SBKEY".utf8) + [0]
    private static let version: UInt16 = 1
    private static let purpose = Array("scrollback key 1\n".utf8)
    private static let saltCount = 32
    private static let sumCount = 32

    /// A disk may leave an empty file, or one of zeros, which counts as missing.
    package func exists() throws(StoreError) -> Bool {
        guard try DiskFile(reading: path) != nil else { return false }
        return try bytes().contains { $0 != 0 }
    }

    /// The data keys that one of the app's keys decrypts.
    struct Slot {
        let keys: DataKeys
        /// True for the old key of a re-encryption: the slot lacks the new data key.
        let isOutdated: Bool
    }

    /// Reads the data keys; throws `wrongKey` if the file is valid but `key` does not decrypt it,
    /// or if a re-encryption with another key has begun.
    package func keys(_ key: EncryptionKey) throws(StoreError) -> DataKeys {
        let slot = try slot(of: key)
        guard !slot.isOutdated else {
            throw StoreError(
                .wrongKey, "the store is being encrypted with another key: pass that key",
                path: path)
        }
        return slot.keys
    }

    func slot(of key: EncryptionKey) throws(StoreError) -> Slot {
        let bytes = try bytes()
        let sum = bytes.count - KeyFile.sumCount
        let head = KeyFile.mark.count + 3
        guard bytes.starts(with: KeyFile.mark), sum >= head,
            bytes[sum...].elementsEqual(SHA256.hash(data: bytes[..<sum]))
        else { throw damaged }
        let fields = Array(bytes[KeyFile.mark.count..<sum])
        return try fields.withBytes { (fields) throws(StoreError) in
            var reader = ByteReader(fields)
            return try slot(of: key, in: &reader)
        }
    }

    private func slot(
        of key: EncryptionKey, in reader: inout ByteReader
    ) throws(StoreError) -> Slot {
        guard let version = try? reader.integer(UInt16.self), let slots = try? reader.byte()
        else { throw damaged }
        guard version <= KeyFile.version else {
            throw StoreError(newer: Int(version), than: Int(KeyFile.version), path: path)
        }
        for _ in 0..<slots {
            guard let salt = try? reader.bytes(KeyFile.saltCount),
                let count = try? reader.integer(UInt16.self),
                let sealed = try? reader.bytes(Int(count)),
                let box = try? AES.GCM.SealedBox(combined: sealed)
            else { throw damaged }
            let derived = key.key.derived(salt: salt, purpose: KeyFile.purpose).key
            // A slot of another key of the app cannot be decrypted.
            let opened = try? AES.GCM.open(box, using: derived, authenticating: place)
            guard var plain = opened.map(Array.init) else { continue }
            defer { plain.withUnsafeMutableBytes { $0.overwrite() } }
            guard let slot = plain.withBytes({ Slot($0) }) else { throw damaged }
            return slot
        }
        throw StoreError(.wrongKey, "the store is encrypted with another key", path: path)
    }

    /// Atomically writes the data keys for each of the app's keys.
    package func write(_ keys: DataKeys, for appKeys: [EncryptionKey]) throws(StoreError) {
        let slot = Slot(keys: keys, isOutdated: false)
        try write(appKeys.map { (slot, $0) })
    }

    func write(_ slots: [(slot: Slot, key: EncryptionKey)]) throws(StoreError) {
        var writer = ByteWriter()
        writer.raw(KeyFile.mark)
        writer.integer(KeyFile.version)
        writer.byte(UInt8(slots.count))
        for (slot, key) in slots {
            var plain = slot.bytes
            defer { plain.withUnsafeMutableBytes { $0.overwrite() } }
            let salt = SymmetricKey(size: .init(bitCount: 8 * KeyFile.saltCount))
                .withUnsafeBytes(Array.init)
            let derived = key.key.derived(salt: salt, purpose: KeyFile.purpose).key
            // This never fails: all sizes are valid.
            let box = try? AES.GCM.seal(plain, using: derived, authenticating: place)
            guard let sealed = box?.combined else {
                throw StoreError(.io, "the data keys cannot be encrypted", path: path)
            }
            writer.raw(salt)
            writer.integer(UInt16(sealed.count))
            writer.raw(Array(sealed))
        }
        try DiskFile.replace(path, by: writer.bytes + SHA256.hash(data: writer.bytes))
    }

    private var damaged: StoreError {
        StoreError(.corruption, "the file with the data keys is damaged", path: path)
    }

    private func bytes() throws(StoreError) -> [UInt8] {
        guard let file = try DiskFile(reading: path) else { throw damaged }
        // A file with two slots has less than one kilobyte.
        var buffer = [UInt8](repeating: 0, count: 4096)
        var bytes: [UInt8] = []
        while bytes.count <= buffer.count {
            let count = try file.read(into: &buffer)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw damaged
    }
}

// MARK: Bytes

extension KeyFile.Slot {
    /// On-disk format, do not change: the number of the key for new files, the flags, and each key
    /// after its number.
    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(keys.generation)
        writer.byte((keys.readsPlain ? 1 : 0) | (isOutdated ? 2 : 0))
        for (number, key) in keys.keys.sorted(by: { $0.key < $1.key }) {
            writer.integer(number)
            key.withUnsafeBytes { writer.raw($0) }
        }
        return writer.bytes
    }

    fileprivate init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let generation = try? reader.integer(UInt32.self), let flags = try? reader.byte()
        else { return nil }
        var keys: [UInt32: SymmetricKey] = [:]
        while !reader.isAtEnd {
            guard let number = try? reader.integer(UInt32.self),
                let key = try? reader.bytes(EncryptionKey.byteCount), number != DataKeys.plain
            else { return nil }
            keys[number] = SymmetricKey(data: key)
        }
        guard generation == DataKeys.plain || keys[generation] != nil else { return nil }
        self.init(
            keys: DataKeys(generation: generation, readsPlain: flags & 1 != 0, keys: keys),
            isOutdated: flags & 2 != 0)
    }
}
