import Crypto
import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests that files are unreadable without the key, and that changed bytes are detected.
@Suite struct EncryptionTests {
    private static let canaries = [
        "canary-text", "canary-channel", "canary-user", "canary-draft", "canary-name",
        "canary-typed",
    ]

    private let other = EncryptionKey()

    /// Fills a store with rows of each kind, both in LevelDB tables and in logs, and closes it.
    private func fill(_ directory: StoreDirectory) throws {
        for round in 1...2 {
            let store = try directory.open()
            try store.write { batch in
                var channel = GroupChannel(url: "canary-channel", createdAt: 1)
                channel.name = "canary-name"
                try batch.save(channel)
                var message = Message(
                    id: MessageID("canary-\(round)"), channelURL: "canary-channel",
                    text: "canary-text",
                    createdAt: 7)
                var sender = Sender()
                sender.userID = "canary-user"
                sender.nickname = "canary-name"
                message.sender = sender
                try batch.save(message)
                let item = Message(
                    id: nil, channelURL: "canary-channel", text: "canary-draft", createdAt: 8)
                try batch.save(OutboxItem(item, requestID: RequestID("canary-draft-\(round)")))
                batch.setToken(Array("canary-text".utf8), for: "canary-user")
                try batch.setDraft("canary-typed \(round)", of: "canary-channel")
            }
            store.close()
            guard round == 1 else { break }
            for name in ["cache", "outbox"] {
                let path = directory.url.appending(path: name).path
                let database = try LevelDB(
                    at: path, environment: directory.environment(name))
                try database.compact()
                database.close()
            }
        }
    }

    private func expectFilled(_ store: ChatStore) throws {
        #expect(
            try store.messages(in: "canary-channel").map(\.text) == ["canary-text", "canary-text"])
        #expect(try store.outboxItems().map(\.requestID) == ["canary-draft-1", "canary-draft-2"])
        #expect(try store.contradictions() == [])
    }

    private func canaries(in directory: StoreDirectory) throws -> Set<String> {
        let files = try directory.contents()
        return Set(
            EncryptionTests.canaries.filter { canary in
                files.contains { $0.key.contains(canary) || $0.value.contains(canary) }
            })
    }

    // MARK: Reading without the key

    @Test func noFileContainsPlaintext() throws {
        let plain = try StoreDirectory()
        try fill(plain)
        // The search finds the canaries in an unencrypted store. Therefore it would find them
        // elsewhere, too.
        #expect(try canaries(in: plain) == Set(EncryptionTests.canaries))
        let encrypted = try StoreDirectory(.encrypted)
        try fill(encrypted)
        #expect(try encrypted.files("cache", ".ldb").count > 0)
        #expect(try encrypted.files("outbox", ".ldb").count > 0)
        #expect(try canaries(in: encrypted) == [])
        try expectFilled(encrypted.open())
        #expect(try canaries(in: encrypted) == [])
    }

    @Test func equalStoresHaveDifferentCiphertexts() throws {
        let stores = [try StoreDirectory(.encrypted), try StoreDirectory(.encrypted)]
        for store in stores { try fill(store) }
        for name in ["cache", "outbox"] {
            for suffix in [".log", ".ldb"] {
                let pairs = try stores.map {
                    try Data(contentsOf: #require(try $0.files(name, suffix).last))
                }
                // The first 12 bytes may be equal: they are the mark, the version and the number of
                // the key.
                let windows = pairs.map { data in
                    Set(stride(from: 12, to: data.count - 16, by: 1).map { data[$0..<$0 + 16] })
                }
                #expect(windows[0].isDisjoint(with: windows[1]))
            }
        }
    }

    @Test func keyIsNotInDescriptions() throws {
        let bytes = (1...32).map { UInt8($0) }
        let key = try #require(EncryptionKey(bytes))
        var text = "\(key) \(String(reflecting: key)) \(Optional(key) as Any)"
        dump(key, to: &text)
        #expect(text.contains("EncryptionKey"))
        let hex = bytes.map { String($0, radix: 16) }.joined()
        #expect(!text.contains("Symmetric") && !text.contains("1, 2, 3") && !text.contains(hex))
        #expect(key.withUnsafeBytes(Array.init) == bytes)
        #expect(EncryptionKey(bytes) == key && EncryptionKey() != EncryptionKey())
        #expect(EncryptionKey(bytes + [0]) == nil && EncryptionKey([]) == nil)
    }

    // MARK: The wrong key

    @Test(arguments: FileForm.allCases) func wrongKeyChangesNothing(files: FileForm) throws {
        let directory = try StoreDirectory(files)
        try fill(directory)
        let before = try directory.contents()
        for key in files == .plain ? [Steps.key, other] : [nil, other] {
            let error = #expect(throws: StoreError.self) {
                try ChatStore(at: directory.url, encryptionKey: key)
            }
            #expect(error?.code == .wrongKey)
            let isPlain = error?.message.contains("is not encrypted") == true
            #expect(isPlain == (files == .plain))
            #expect(error?.message.contains("pass its key") == (files == .encrypted && key == nil))
            #expect(try directory.contents() == before)
        }
        try expectFilled(directory.open())
    }

    @Test func directoryWithoutItsKeyFileIsDamagedAndLeftUnchanged() throws {
        let directory = try StoreDirectory(.encrypted)
        try fill(directory)
        try FileManager.default.removeItem(at: directory.url.appending(path: "KEY"))
        let before = try directory.contents()
        for key in [Steps.key, nil] {
            let error = #expect(throws: StoreError.self) {
                try ChatStore(at: directory.url, encryptionKey: key)
            }
            #expect(error?.code == .corruption)
            #expect(error?.path.hasSuffix("/KEY") == true)
            #expect(try directory.contents() == before)
        }
    }

    @Test func changedByteOfTheKeyFileIsDetected() throws {
        let directory = try StoreDirectory(.encrypted)
        try fill(directory)
        let path = directory.url.appending(path: "KEY")
        let whole = try Data(contentsOf: path)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            for bytes in [damaged, whole.prefix(index)] {
                try bytes.write(to: path)
                let error = #expect(throws: StoreError.self) { try directory.open() }
                #expect(error?.code == .corruption, "at \(index)")
            }
        }
        try whole.write(to: path)
        try expectFilled(directory.open())
    }

    // MARK: Files that are exchanged

    @Test func exchangedFilesAreDetected() throws {
        let directory = try StoreDirectory(.encrypted)
        for round in 1...2 {
            let store = try directory.open()
            try store.write { batch in
                for number in 1...40 {
                    try batch.save(
                        Message(
                            id: MessageID("\(round)-\(number)"), channelURL: "general",
                            text: (1...100).map { _ in EncryptionKey().shown }.joined(),
                            createdAt: 7))
                }
            }
            store.close()
            let database = try LevelDB(
                at: directory.url.appending(path: "cache").path,
                environment: directory.environment("cache"))
            try database.flush()
            database.close()
        }
        let tables = try directory.files("cache", ".ldb").map(\.lastPathComponent)
        try #require(tables.count >= 2)
        let elsewhere = try StoreDirectory(.encrypted)
        try fill(elsewhere)

        func expectDamage(
            _ what: String, says text: String = "", _ damage: (StoreDirectory) throws -> Void
        ) throws {
            let copy = try StoreDirectory(of: directory)
            try damage(copy)
            let error = #expect(throws: StoreError.self, "\(what)") {
                let store = try copy.open()
                if let reason = store.openingReport.replacedCache { throw reason }
                _ = try store.messages(in: "general")
            }
            #expect(error?.code == .corruption, "\(what)")
            if !text.isEmpty { #expect(error.map { "\($0)".contains(text) } == true, "\(what)") }
        }
        func table(_ directory: StoreDirectory, _ index: Int) -> URL {
            directory.url.appending(path: "cache/\(tables[index])")
        }
        try expectDamage("two tables exchanged") { copy in
            let bytes = try (0...1).map { try Data(contentsOf: table(copy, $0)) }
            for index in 0...1 { try bytes[1 - index].write(to: table(copy, index)) }
        }
        try expectDamage("a table of another store") { copy in
            let foreign = try #require(try elsewhere.files("cache", ".ldb").first)
            try Data(contentsOf: foreign).write(to: table(copy, 0))
        }
        // LevelDB's own checksums detect this only if blocks do not have the size of pages.
        try expectDamage(
            "a page exchanged with the next", says: "is not the one that was written"
        ) { copy in
            var bytes = try Data(contentsOf: table(copy, 0))
            try #require(bytes.count > 64 + 2 * 4112)
            let (one, two) = (64..<64 + 4112, 64 + 4112..<64 + 8224)
            let first = bytes[one]
            bytes[one] = bytes[two]
            bytes[two] = first
            try bytes.write(to: table(copy, 0))
        }
        try expectDamage("a table of so many pages") { copy in
            let bytes = try Data(contentsOf: table(copy, 0))
            try bytes.prefix(64 + 4112).write(to: table(copy, 0))
        }
        try expectDamage("the outbox's files as the cache's") { copy in
            let (cache, outbox) = (
                copy.url.appending(path: "cache"), copy.url.appending(path: "outbox")
            )
            try FileManager.default.removeItem(at: cache)
            try FileManager.default.copyItem(at: outbox, to: cache)
        }
    }

    // MARK: Other keys

    @Test func changedKeyReplacesTheOldOne() throws {
        let directory = try StoreDirectory(.encrypted)
        try fill(directory)
        let files = try directory.contents().filter { $0.key.hasSuffix(".ldb") }
        let store = try directory.open()
        #expect(store.isEncrypted)
        try store.changeEncryptionKey(to: other)
        try expectFilled(store)
        store.close()
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .wrongKey)
        try expectFilled(ChatStore(at: directory.url, encryptionKey: other))
        // Only the key file was written again. The tables have the same bytes.
        #expect(try directory.contents().filter { $0.key.hasSuffix(".ldb") } == files)
        let plain = try ChatStore.inMemory()
        #expect(!plain.isEncrypted)
        #expect(code { try plain.changeEncryptionKey(to: other) } == .wrongKey)
        #expect(code { try store.changeEncryptionKey(to: other) } == .closed)
    }

    /// The key of the store before and after a change.
    enum Change: CaseIterable, Sendable {
        case another, theSame, encrypt, decrypt

        var files: FileForm { self == .encrypt ? .plain : .encrypted }
        func new(_ other: EncryptionKey) -> EncryptionKey? {
            switch self {
            case .another, .encrypt: other
            case .theSame: Steps.key
            case .decrypt: nil
            }
        }
    }

    @Test(arguments: Change.allCases) func reencryptionCoversAllFiles(change: Change) throws {
        let directory = try StoreDirectory(change.files)
        try fill(directory)
        let before = try directory.contents().filter { !$0.value.isEmpty }
        let new = change.new(other)
        var told: [Double] = []
        try ChatStore.reencrypt(at: directory.url, from: change.files.key, to: new) {
            told.append($0)
        }
        #expect(told.first == 0 && told.last == 1 && told == told.sorted() && told.count > 6)
        let after = try directory.contents()
        for (path, bytes) in before where path != "VERSION" {
            #expect(after[path] != bytes, "\(path)")
        }
        #expect(try canaries(in: directory).isEmpty == (new != nil))
        #expect(after.keys.contains("KEY") == (new != nil))
        let store = try ChatStore(at: directory.url, encryptionKey: new)
        #expect(!store.openingReport.isReencryptionUnfinished)
        #expect(store.openingReport.replacedCache == nil && store.openingReport.outboxDamage == nil)
        try expectFilled(store)
        #expect(
            code { try ChatStore.reencrypt(at: directory.url, from: new, to: other) } == .locked)
        store.close()
        if change != .theSame {
            #expect(code { _ = try directory.open() } == .wrongKey)
        }
        // Encrypting again with the same key has no effect.
        if change == .another || change == .decrypt {
            try ChatStore.reencrypt(at: directory.url, from: change.files.key, to: new)
            try expectFilled(ChatStore(at: directory.url, encryptionKey: new))
        }
    }

    /// What a disk may leave of a file.
    enum Remains: CaseIterable, Sendable { case nothing, zeros, noAccess }

    @Test(arguments: Change.allCases, Remains.allCases)
    func unreadableCopyOfAFilePreventsNoReencryption(change: Change, remains: Remains) throws {
        let directory = try StoreDirectory(change.files)
        try fill(directory)
        let store = try directory.open()
        let files = try #require(store.outboxFiles)
        let original = ScratchDirectory.memory.appending(path: "original-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: original) }  // The test may have failed.
        try Data().write(to: original)
        let empty = try files.add(original.path)
        try Data("text".utf8).write(to: original)
        let damaged = try files.add(original.path)
        store.close()
        let path = directory.url.appending(path: "files/\(damaged.name)")
        let size = try Data(contentsOf: path).count
        switch remains {
        case .nothing: try Data().write(to: path)
        case .zeros: try Data(count: size).write(to: path)
        case .noAccess:
            // A directory in place of the file: reading it fails for every user.
            try FileManager.default.removeItem(at: path)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        }
        let new = change.new(other)
        try ChatStore.reencrypt(at: directory.url, from: change.files.key, to: new)
        let changed = try ChatStore(at: directory.url, encryptionKey: new)
        try expectFilled(changed)
        let copies = try #require(changed.outboxFiles)
        #expect(try copies.reader(of: empty).next(upTo: 1) == nil)
        #expect(throws: StoreError.self) {
            let reader = try copies.reader(of: damaged)
            while try reader.next(upTo: 10) != nil {}
        }
    }

    @Test(arguments: FileForm.allCases, [Data(), Data(count: 100)])
    func emptyKeyFileCountsAsMissing(form: FileForm, bytes: Data) throws {
        let directory = try StoreDirectory(form)
        try fill(directory)
        try bytes.write(to: directory.url.appending(path: "KEY"))
        if form == .plain {
            try expectFilled(directory.open())
            try ChatStore.reencrypt(at: directory.url, from: nil, to: other)
            try expectFilled(ChatStore(at: directory.url, encryptionKey: other))
        } else {
            let error = #expect(throws: StoreError.self) { try directory.open() }
            #expect(error?.code == .corruption)
            #expect(error?.message.contains("restore the file from a backup") == true)
        }
    }

    /// The old key may be known to others, and so may any copy of the file with the keys.
    @Test func oldKeyOpensNothingThatIsWrittenAfterReencryption() throws {
        let key = try #require(Steps.key)
        let directory = try StoreDirectory(.encrypted)
        try fill(directory)
        let file = directory.url.appending(path: KeyFile.name)
        var copy = Data()
        try ChatStore.reencrypt(at: directory.url, from: key, to: other) { _ in
            // An error leaves the copy empty, which the expectations below report.
            if copy.isEmpty { copy = (try? Data(contentsOf: file)) ?? copy }
        }
        try copy.write(to: file)
        #expect(
            code { _ = try ChatStore(at: directory.url, encryptionKey: key) } == .wrongKey)
        #expect(try KeyFile(in: directory.url.path).slot(of: key).keys.keys.count == 1)
        try expectFilled(ChatStore(at: directory.url, encryptionKey: other))
    }

    @Test(arguments: Change.allCases) func interruptedReencryptionResumes(change: Change) throws {
        let template = try StoreDirectory(change.files)
        try fill(template)
        let new = change.new(other)
        for number in 1... {
            let directory = try StoreDirectory(of: template)
            let disk = FailingDisk()
            disk.fail(at: number, with: EIO, once: false, tearing: number % 2 == 0)
            let isDone =
                code {
                    try ChatStore.reencrypt(
                        at: directory.url, from: change.files.key, to: new, on: disk.environment)
                } == nil
            if !isDone {
                // The new key opens the store in its present form. If the new form is unencrypted,
                // the old key does.
                if let old = change.files.key, change == .another {
                    #expect(
                        code { _ = try ChatStore(at: directory.url, encryptionKey: old) }
                            == .wrongKey)
                }
                if let key = new ?? change.files.key {
                    let copy = try StoreDirectory(of: directory)
                    let store = try ChatStore(at: copy.url, encryptionKey: key)
                    #expect(store.openingReport.isReencryptionUnfinished)
                    #expect(store.openingReport.replacedCache == nil, "at \(number)")
                    #expect(store.openingReport.outboxDamage == nil, "at \(number)")
                    try expectFilled(store)
                    try store.write { try $0.removeOutboxItem("canary-draft-1") }
                    try store.write { batch in
                        try batch.save(
                            OutboxItem(
                                Message(
                                    id: nil, channelURL: "canary-channel", text: "canary-draft",
                                    createdAt: 8), requestID: "canary-draft-3"))
                    }
                    store.close()
                    // Continuing the re-encryption keeps the rows that were written after the
                    // interruption.
                    try ChatStore.reencrypt(at: copy.url, from: change.files.key, to: new)
                    let again = try ChatStore(at: copy.url, encryptionKey: new)
                    #expect(!again.openingReport.isReencryptionUnfinished)
                    #expect(
                        try again.outboxItems().map(\.requestID)
                            == ["canary-draft-2", "canary-draft-3"])
                    if new != nil { #expect(try canaries(in: copy) == []) }
                }
                #expect(code { _ = try ChatStore(at: directory.url) } == .wrongKey)
                try ChatStore.reencrypt(at: directory.url, from: change.files.key, to: new)
            }
            if new != nil { #expect(try canaries(in: directory) == []) }
            #expect(
                try !FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
                    .contains { $0.hasSuffix(".resealed") })
            try expectFilled(ChatStore(at: directory.url, encryptionKey: new))
            if isDone {
                #expect(number > 5)
                break
            }
        }
    }

    @Test func interruptedReencryptionCanContinueWithAnotherKey() throws {
        let directory = try StoreDirectory(.encrypted)
        try fill(directory)
        let disk = FailingDisk()
        disk.fail(at: 9, with: EIO, once: false)
        let first = EncryptionKey()
        let error = code {
            try ChatStore.reencrypt(
                at: directory.url, from: Steps.key, to: first, on: disk.environment)
        }
        #expect(error == .io)
        #expect(
            code { try ChatStore.reencrypt(at: directory.url, from: Steps.key, to: other) }
                == .wrongKey)
        try ChatStore.reencrypt(at: directory.url, from: first, to: other)
        for key in [first, Steps.key] {
            #expect(code { _ = try ChatStore(at: directory.url, encryptionKey: key) } == .wrongKey)
        }
        try expectFilled(ChatStore(at: directory.url, encryptionKey: other))
    }

    /// A client finds the key file changed after it has checked it.
    @Test func storeThatAcceptsPlainFilesIsNotUsedByAClient() throws {
        let directory = try StoreDirectory()
        try fill(directory)
        let keys = DataKeys()
        try KeyFile(in: directory.url.path).write(
            DataKeys(generation: keys.generation, readsPlain: true, keys: keys.keys),
            for: [#require(Steps.key)])
        let before = try directory.contents()
        let opening = code {
            _ = try ChatStore(
                at: directory.url, encryptionKey: Steps.key, allowsPlainFiles: false)
        }
        #expect(opening == .wrongKey)
        let error = code {
            try ChatStore.reencrypt(
                at: directory.url, from: Steps.key, to: other, allowsPlainFiles: false,
                on: .disk())
        }
        #expect(error == .wrongKey)
        #expect(try directory.contents() == before)
        try ChatStore.reencrypt(at: directory.url, from: Steps.key, to: other)
        let encrypted = try ChatStore(
            at: directory.url, encryptionKey: other, allowsPlainFiles: false)
        encrypted.close()
    }

    /// A program that has the key can write such a file.
    @Test func numberOfADataKeyDoesNotPreventAReencryption() throws {
        let key = try #require(Steps.key)
        let directory = try StoreDirectory(.encrypted)
        try KeyFile(in: directory.url.path).write(
            DataKeys(
                generation: .max, readsPlain: false, keys: [.max: SymmetricKey(size: .bits256)]),
            for: [key])
        try fill(directory)
        try ChatStore.reencrypt(at: directory.url, from: key, to: other)
        try expectFilled(ChatStore(at: directory.url, encryptionKey: other))
        #expect(try KeyFile(in: directory.url.path).keys(other).generation == 1)
    }

    @Test func wrongKeyReencryptsNoStore() throws {
        let encrypted = try StoreDirectory(.encrypted)
        try fill(encrypted)
        let plain = try StoreDirectory()
        try fill(plain)
        let before = try (encrypted.contents(), plain.contents())
        for (directory, old, new) in [
            (encrypted, nil, other), (encrypted, other, EncryptionKey()), (encrypted, nil, nil),
            (plain, other, EncryptionKey()),
        ] {
            #expect(
                code { try ChatStore.reencrypt(at: directory.url, from: old, to: new) }
                    == .wrongKey)
        }
        #expect(try encrypted.contents() == before.0 && plain.contents() == before.1)
        let nowhere = plain.url.appending(path: "nowhere")
        try ChatStore.reencrypt(at: nowhere, from: nil, to: other)
        #expect(!FileManager.default.fileExists(atPath: nowhere.path))
    }
}

extension EncryptionKey {
    /// The bytes as text.
    ///
    /// Compression does not shorten it.
    fileprivate var shown: String { withUnsafeBytes { Data($0).base64EncodedString() } }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
