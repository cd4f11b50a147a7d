import Collections
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

/// The code of Docs/Encryption.md, verbatim.
@Suite struct EncryptionPageCode {
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)

    /// Returns true if a file contains the text unencrypted.
    ///
    /// The store must be closed.
    private func isReadable(_ text: String) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path).contains { path in
            let bytes = FileManager.default.contents(atPath: directory.appending(path: path).path)
            return bytes?.range(of: Data(text.utf8)) != nil
        }
    }

    private func texts(_ key: EncryptionKey?) throws -> [String] {
        let store = try ChatStore(at: directory, encryptionKey: key)
        defer { store.close() }
        return try store.messages(in: "general").map(\.text)
    }

    @Test func aStoreIsEncrypted() throws {
        defer { try? FileManager.default.removeItem(at: directory) }

        let key = EncryptionKey()  // 32 random bytes
        let bytes = key.withUnsafeBytes { Data($0) }  // for the keychain
        let kept = EncryptionKey(bytes)  // from there; nil unless there are 32

        let store = try ChatStore(at: directory, encryptionKey: key)

        // The same for a client:
        var options = ChatClientOptions()
        options.encryptionKey = key

        #expect(kept == key && EncryptionKey(bytes.dropLast()) == nil)
        #expect(options.encryptionKey == key && key != EncryptionKey())
        try store.write { try $0.save(.sample(text: "canary")) }
        store.close()
        #expect(try texts(key) == ["canary"])
        #expect(try !isReadable("canary"))
    }

    @Test func itsKeyIsExchanged() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let (key, second, third) = (EncryptionKey(), EncryptionKey(), EncryptionKey())
        let progress = Progress(totalUnitCount: 100)
        let store = try ChatStore(at: directory, encryptionKey: key)
        try store.write { try $0.save(.sample(text: "canary")) }

        // While the store is open: takes effect immediately.
        try store.changeEncryptionKey(to: second)
        store.close()

        // While the store is closed: rewrites every file.
        try ChatStore.reencrypt(at: directory, from: second, to: third) { fraction in
            progress.completedUnitCount = Int64(fraction * 100)
        }
        try ChatStore.reencrypt(at: directory, from: third, to: nil)  // not encrypted any more
        try ChatStore.reencrypt(at: directory, from: nil, to: key)  // one that was plain

        #expect(progress.completedUnitCount == 100)
        #expect(try texts(key) == ["canary"])
        #expect(try !isReadable("canary"))
        for other in [second, third, nil] {
            #expect { try texts(other) } throws: { ($0 as? StoreError)?.code == .wrongKey }
        }
    }

    @Test @MainActor func plainDataIsEncrypted() async throws {
        let story = try await ClientStory()
        var options = story.options
        let plain = try await story.connected()
        await plain.disconnect()
        try await plain.send(NewMessage("canary"), in: "general")
        await plain.close()
        options.encryptionKey = EncryptionKey()
        var unconfirmed: [OutboxItem] = []

        for user in try await ChatClient.storedUsers(options: options) {
            guard let userID = user.userID, !user.isEncrypted else { continue }
            let items = try await ChatClient.encryptStoredData(of: userID, options: options)
            unconfirmed += items.filter { $0.errorCode == .needsConfirmation }
        }

        #expect(unconfirmed.map { $0.message?.text } == ["canary"])
        #expect(try story.readable(["canary", "general"]) == [])
    }

    @Test func aKeyIsDerivedForADirectory() throws {
        let (files, key) = (directory, EncryptionKey())
        defer { try? FileManager.default.removeItem(at: directory) }

        let cache = try FileCache(
            directory: files, encryptionKey: key.derived(for: "file cache of alice"))

        #expect(cache.isEncrypted)
        #expect(throws: StoreError.self) { try FileCache(directory: files, encryptionKey: key) }
    }

    @Test @MainActor func theKeyOfAClientIsExchanged() async throws {
        let story = try await ClientStory()
        let files = directory
        defer { try? FileManager.default.removeItem(at: directory) }
        let (key, second, third) = (EncryptionKey(), EncryptionKey(), EncryptionKey())
        var options = story.options
        options.encryptionKey = key
        let client = try await story.open(options)
        try await client.connect(as: Credentials("bob"))
        try FileCache(directory: files, encryptionKey: key)
            .save([.sample(text: "canary")], in: "general")

        try await client.changeEncryptionKey(to: second)
        await client.close()
        options.encryptionKey = second
        try await ChatClient.reencrypt(options, to: third)

        try FileCache.changeEncryptionKey(of: files, from: key, to: second)

        let held = try FileCache(directory: files, encryptionKey: second).load("general")
        #expect(held.records.map(\.text) == ["canary"])
        options.encryptionKey = third
        let again = try await story.open(options)
        #expect(again.isUsingLocalCaching)
        await again.close()
    }
}
