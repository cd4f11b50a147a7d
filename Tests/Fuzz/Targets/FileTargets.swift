import CScrollbackLevelDB
import Foundation
import Models
import Store

// MARK: Logs

extension FuzzTarget {
    /// The logs of a database.
    ///
    /// The input is a sequence of pieces.
    ///
    /// Each piece is a byte for its kind, two bytes for its length, and its bytes. The bytes of
    /// kind 0 are part of the log as they are. Kinds 1 to 4 are fragments of this type with a
    /// correct checksum, as LevelDB writes records. Kind 5 starts another log.
    ///
    /// Opening the database must succeed, or report damage and change nothing. Opening it without
    /// the damaged part must succeed, and so must opening it again. Rows are not compared, because
    /// LevelDB accepts parts of a forged batch if the checksum is correct.
    static let logs = FuzzTarget("Logs") { input in
        var input = FuzzInput(input)
        let directory = FuzzDirectory()
        var logs = [[UInt8]()]
        while !input.isAtEnd {
            let kind = input.byte()
            let bytes = input.measured()
            switch kind % 6 {
            case 0: logs[logs.count - 1] += bytes
            case 5: if logs.count < 4 { logs.append([]) }
            default: logs[logs.count - 1] += fragment(kind % 6, bytes)
            }
        }
        directory.write(Array("MANIFEST-000001\n".utf8), to: "CURRENT")
        directory.write(LogTemplate.manifest, to: "MANIFEST-000001")
        for (index, log) in logs.enumerated() {
            directory.write(log, to: "00000\(3 + index).log")
        }
        let before = directory.contents
        if rows(in: directory.url) == nil {
            precondition(
                directory.contents.isSuperset(of: before),
                "An opening that fails has removed files.")
        }
        guard rows(in: directory.url, skippingDamage: true) != nil else { return }
        let again = rows(in: directory.url, skippingDamage: true)
        precondition(again != nil, "What was opened without its damage does not open again.")
    }

    /// Returns all rows of a database, or `nil` if it is damaged.
    private static func rows(in directory: URL, skippingDamage: Bool = false) -> [Row]? {
        damageOr { () throws(StoreError) in
            let database = try LevelDB(at: directory.path, skippingDamage: skippingDamage)
            defer { database.close() }
            var rows: [Row] = []
            let snapshot = Rows(try database.snapshot(), nil)
            try snapshot.scan(KeyRange.all) { (key, value) throws(StoreError) in
                rows.append(Row(key: Array(key), value: Array(value)))
                return true
            }
            return rows
        }
    }

    private struct Row: Equatable {
        let key: [UInt8]
        let value: [UInt8]
    }
}

/// Returns a fragment of a record in LevelDB's log format.
private func fragment(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let payload = Array(payload.prefix(Int(UInt16.max)))
    let checked = [type] + payload
    let sum = scrollback_checksum(checked, checked.count)
    let head = withUnsafeBytes(of: sum.littleEndian, Array.init)
    return head + [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + checked
}

/// The manifest of a new database.
private enum LogTemplate {
    static let manifest: [UInt8] = orTrap {
        let directory = FuzzDirectory()
        try LevelDB(at: directory.url.path).close()
        guard let bytes = directory.bytes(of: "MANIFEST-000001") else {
            preconditionFailure("LevelDB calls the first manifest otherwise.")
        }
        return bytes
    }
}

// MARK: Encrypted files

extension FuzzTarget {
    /// An encrypted file.
    ///
    /// The input is a byte for its kind (log, manifest, CURRENT or table), and then the file's
    /// bytes.
    ///
    /// The cipher does not encrypt. It accepts all bytes whose last byte is even, so that the
    /// fuzzer reaches the code after the authentication. Encrypting the file again must leave it
    /// unchanged, or replace it with a complete file of the same contents and a plausible size.
    static let sealedFiles = FuzzTarget("Sealed") { input in
        let names = ["000003.log", "MANIFEST-000002", "CURRENT", "000005.ldb"]
        let name = names[Int(input.first ?? 0) % names.count]
        let directory = FuzzDirectory()
        let bytes = Array(input.dropFirst())
        directory.write(bytes, to: name)
        func reseal(as generation: UInt32) -> [UInt8]? {
            var cipher = OpenCipher.functions(generation)
            let environment = scrollback_env_create_sealed(nil, &cipher, "cache")
            defer { scrollback_env_destroy(environment) }
            let path = directory.url.appending(path: name).path
            guard scrollback_env_reseal(environment, path) == 0 else { return nil }
            return directory.bytes(of: name)
        }
        guard let first = reseal(as: 7) else { return }
        precondition(reseal(as: 7) == first, "A file that is sealed is sealed again.")
        if first == bytes { return }
        guard let second = reseal(as: 8) else {
            preconditionFailure("What was sealed cannot be read.")
        }
        precondition(
            first.dropFirst(12) == second.dropFirst(12), "A sealed file has something else in it.")
        precondition(directory.contents == [name], "Files are left behind.")
    }
}

/// A cipher that does not encrypt.
private enum OpenCipher {
    static func functions(_ generation: UInt32) -> scrollback_cipher {
        scrollback_cipher(
            context: place, generation: generation, reads_plain: false,
            make_key: { context, _, salt, _, _, check in
                // The check value is the beginning of the salt.
                for index in 0..<Int(scrollback_check_size) { check[index] = salt[index] }
                return context
            },
            drop_key: { _ in },
            seal: { _, _, _, _, plain, count, sealed in
                for index in 0..<count { sealed[index] = plain![index] }
                for index in count..<count + Int(scrollback_tag_size) { sealed[index] = 0 }
                return true
            },
            open: { _, _, _, _, sealed, count, plain in
                guard sealed[count + Int(scrollback_tag_size) - 1] % 2 == 0 else { return false }
                if let plain { for index in 0..<count { plain[index] = sealed[index] } }
                return true
            },
            randomize: { bytes, count in for index in 0..<count { bytes[index] = 0 } })
    }

    /// Memory to which the context and the keys point.
    ///
    /// The cipher does not read it.
    nonisolated(unsafe) private static let place = UnsafeMutableRawPointer.allocate(
        byteCount: 1, alignment: 1)
    // Safe because the pointer never changes, and its memory is never read.
}

// MARK: The file cache

extension FuzzTarget {
    /// A file of the file cache.
    ///
    /// The input is a byte for its form, and then the file's bytes, or the records in its lines.
    ///
    /// Loading the file must return the readable lines, and report the line numbers of the others.
    /// If the loaded records are saved, loading them again must return the same records without
    /// damage.
    static let cacheFiles = FuzzTarget("CacheFile") { input in
        var input = FuzzInput(input)
        let directory = FuzzDirectory()
        let form = input.byte() % 4
        if form == 3 { return keyFile(input, directory.url) }
        let channel = ChannelURL("general")
        let cache = orTrap { try FileCache(directory: directory.url, limit: 1000) }
        // Save an empty list, so that the file exists and its name is known.
        orTrap { try cache.save([], in: channel) }
        guard let name = directory.contents.first(where: { $0.hasSuffix(".messages") }) else {
            preconditionFailure("The file of a channel is called otherwise.")
        }
        let bytes: [UInt8]
        switch form {
        case 0: bytes = Array(input.rest)
        case 1: bytes = CacheLines.file(channel, &input, hasHeader: true)
        default: bytes = CacheLines.file(channel, &input, hasHeader: false)
        }
        directory.write(bytes, to: name)
        let read = damageOr { () throws(StoreError) in try cache.load(channel) }
        guard let contents = read else { return }
        precondition(contents.damage.count == min(contents.damageCount, 1000), "Damage is lost.")
        precondition(
            contents.records.allSatisfy { $0.messageID != nil }, "A message was never sent.")
        damageOr { () throws(StoreError) in try cache.channels() }
        orTrap { try cache.save(contents.records, in: channel) }
        let again = orTrap { try cache.load(channel) }
        precondition(again.damageCount == 0, "What was saved is damaged: \(again.damage)")
        precondition(
            again.records == contents.records, "What was saved is loaded as other messages.")
    }

    /// Tests a key file with a correct checksum.
    private static func keyFile(_ input: FuzzInput, _ directory: URL) {
        let bytes = Data(input.rest)
        orTrap {
            try (bytes + CacheLines.sha256(bytes)).write(
                to: directory.appending(path: KeyFile.name))
        }
        do throws(StoreError) {
            _ = try FileCache(
                directory: directory, encryptionKey: EncryptionKey([UInt8](repeating: 1, count: 32))
            )
        } catch {
            precondition(
                [.corruption, .wrongKey, .newerSchema].contains(error.code),
                "Damage is not called so: \(error)")
        }
    }
}
