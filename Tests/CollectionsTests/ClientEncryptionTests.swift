import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

@testable import Collections

@Suite(.timeLimit(.minutes(10))) @MainActor struct ClientEncryptionTests {
    private let key = EncryptionKey()
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    private func use(_ client: ChatClient) async throws {
        try await client.connect(as: Credentials("bob"))
        _ = try await client.startedCollection()
        await client.close()
    }

    /// Opens the app without a network, and returns what it shows.
    private func shown(_ options: ChatClientOptions) async throws -> [String] {
        story.network.goOffline()
        let client = try await story.open(options)
        #expect(client.currentUser?.userID == "bob")
        let collection = try client.makeMessageCollection(of: "general")
        collection.start()
        let texts = collection.messages.map(\.text)
        await client.close()
        return texts
    }

    @Test func lastUserOfAnotherAppIsNotOpened() async throws {
        let options = story.options.encrypted(with: EncryptionKey())
        let first = try await story.open(options)
        try await first.connect(as: Credentials("bob"))
        await first.close()
        var others = options
        others.applicationID = "other"
        let second = try await story.open(others)
        try await second.connect(as: Credentials("carol"))
        await second.close()
        let name = "last-user-sealed"
        let note = story.directory.appending(path: "_other/\(name)")
        try FileManager.default.removeItem(at: note)
        try FileManager.default.copyItem(
            at: story.directory.appending(path: "_default/\(name)"), to: note)
        let client = try await story.open(others)
        let bobs = ChatStore.directory(
            in: story.directory, applicationID: "other", userID: "bob", hidesUser: true)
        #expect(
            !FileManager.default.fileExists(atPath: bobs.path), "a store of bob in the other app")
        #expect((try? client.engine) == nil, "a session of bob in the other app")
        await client.close()
    }

    @Test func encryptedCacheIsShownAndUnreadableOnDisk() async throws {
        try await story.say("canary")
        var options = story.options
        options.encryptionKey = key
        try await use(story.open(options))
        #expect(try await shown(options) == ["canary"])
        #expect(try story.readable(["canary", "general", "bob"]) == [])
        options.encryptionKey = EncryptionKey()
        let other = try await story.open(options)
        #expect(other.currentUser == nil)
        let error = await #expect(throws: SyncError.self) {
            try await other.connect(as: Credentials("bob"))
        }
        #expect((error?.cause as? StoreError)?.code == .wrongKey)
        await other.close()
    }

    /// The directories of another user and of another app with the same key are moved into the
    /// place of Bob's.
    @Test(arguments: [true, false])
    func directoryOfAnotherUserOrAppIsNotOpened(isApp: Bool) async throws {
        let options = story.options.encrypted(with: key)
        try await use(story.open(options))
        var others = options
        if isApp { others.applicationID = "other" }
        let other = try await story.open(others)
        try await other.connect(as: Credentials(isApp ? "bob" : "carol"))
        await other.close()
        let bobs = story.directory(of: "bob", hidesUser: true)
        let planted = ChatStore.directory(
            in: story.directory, applicationID: others.applicationID,
            userID: isApp ? "bob" : "carol", hidesUser: true)
        try FileManager.default.removeItem(at: bobs)
        try FileManager.default.moveItem(at: planted, to: bobs)
        // The opening opens the store of the user who connected last.
        let error = await #expect(throws: SyncError.self) {
            let client = try await story.open(options)
            try await client.connect(as: Credentials("bob"))
        }
        #expect((error?.cause as? StoreError)?.code == .wrongKey)
    }

    @Test func keyThatDoesNotOpenEachStoreKeepsTheLastUser() async throws {
        try await use(story.open(story.lenientOptions(with: key)))
        let other = story.lenientOptions(with: EncryptionKey())
        let note = story.directory.appending(path: "_default/last-user-sealed")
        let before = try Data(contentsOf: note)
        // The first connection creates a store, and the second opens it.
        for _ in 1...2 {
            let client = try await story.open(other)
            try await client.connect(as: Credentials("carol"))
            #expect(client.cachingError == nil)
            await client.close()
            #expect(try Data(contentsOf: note) == before)
        }
        // The other user's files are removed.
        try FileManager.default.removeItem(at: story.directory(of: "bob", hidesUser: true))
        var client = try await story.open(other)
        try await client.connect(as: Credentials("carol"))
        await client.close()
        client = try await story.open(other)
        #expect(client.currentUser?.userID == "carol")
        await client.close()
    }

    @Test func unencryptedCacheIsEncryptedOnRequest() async throws {
        try await story.say("canary")
        try await use(story.open())
        #expect(try story.readable(["canary", "bob"]) == ["canary", "bob"])
        let options = story.options.encrypted(with: key)
        #expect(try await ChatClient.encryptStoredData(of: "bob", options: options) == [])
        try await use(story.open(options))
        #expect(try await shown(options) == ["canary"])
        #expect(try story.readable(["canary", "general", "bob"]) == [])
    }

    // MARK: Another key

    private func stores() throws -> [URL] {
        let users = story.directory.appending(path: "_default")
        return try KeyFile.directories(in: users.path).map { users.appending(path: $0) }
    }

    /// Uses the app as carol, and then as bob.
    private func useAsTwoUsers() async throws {
        try story.createChannel("hers", with: ["carol"])
        try await story.say("canary")
        let client = try await story.open(story.lenientOptions(with: key))
        try await client.connect(as: Credentials("carol"))
        try await client.engine.caughtUp()
        try await use(client)
        #expect(try stores().count == 2)
    }

    /// Returns true if all data is still cached and can be read with a key.
    private func isHeld(_ key: EncryptionKey) async throws -> Bool {
        let client = try await story.open(story.lenientOptions(with: key))
        guard client.currentUser?.userID == "bob", client.cachingError == nil else {
            await client.close()
            return false
        }
        let texts = try client.engine.store.messages(in: "general").map(\.text)
        _ = try? await client.connect(as: Credentials("carol"))
        let hers = try client.engine.store.groupChannels().map(\.url)
        let isOpen = client.cachingError == nil
        _ = try? await client.connect(as: Credentials("bob"))
        await client.close()
        return isOpen && texts == ["canary"] && hers == ["hers"]
    }

    @Test func keyOfAllUsersIsChangedWhileTheClientIsOpen() async throws {
        try await useAsTwoUsers()
        story.network.goOffline()
        let client = try await story.open(story.lenientOptions(with: key))
        let other = EncryptionKey()
        try await client.changeEncryptionKey(to: other)
        #expect(client.options.encryptionKey == other)
        // The new key also applies to users who connect later.
        _ = try? await client.connect(as: Credentials("carol"))
        #expect(client.cachingError == nil)
        _ = try? await client.connect(as: Credentials("bob"))
        #expect(try client.engine.store.messages(in: "general").map(\.text) == ["canary"])
        await client.close()
        #expect(try await isHeld(other))
        #expect(try await !isHeld(key))
    }

    @Test(arguments: 0...4) func oneKeyOpensAllStoresAfterAnInterruptedKeyChange(
        ended: Int
    ) async throws {
        try await useAsTwoUsers()
        story.network.goOffline()
        let other = EncryptionKey()
        // Simulates a crash of the process after `ended` key files were written.
        let writes =
            try stores().map { ($0, [key, other]) } + stores().map { ($0, [other]) }
        for (store, keys) in writes.prefix(ended) {
            try KeyFile(in: store.path).exchange([key, other], for: keys)
        }
        let client = try await story.open(story.lenientOptions(with: ended < 2 ? key : other))
        _ = try? await client.connect(as: Credentials("bob"))
        #expect(client.cachingError == nil)
        client.options.encryptionKey = key
        try await client.changeEncryptionKey(to: other)
        await client.close()
        for store in try stores() {
            #expect(try KeyFile(in: store.path).isOpened(byOneOf: [other]))
            #expect(try !KeyFile(in: store.path).isOpened(byOneOf: [key]))
        }
    }

    @Test func reencryptionCoversTheFilesOfAllUsers() async throws {
        try await useAsTwoUsers()
        story.network.goOffline()
        let other = EncryptionKey()
        // A store whose key is lost is skipped and stays as it is.
        let foreign = story.directory.appending(path: "_default/foreign")
        let lost = EncryptionKey()
        try ChatStore(at: foreign, encryptionKey: lost).close()
        let before = try stores().map {
            try Data(contentsOf: $0.appending(path: "cache/CURRENT"))
        }
        try await ChatClient.reencrypt(story.lenientOptions(with: key), to: other)
        try await ChatClient.reencrypt(story.lenientOptions(with: key), to: other)
        let after = try stores().map {
            try Data(contentsOf: $0.appending(path: "cache/CURRENT"))
        }
        #expect(zip(before, after).count { $0 != $1 } == 2)
        #expect(try await isHeld(other))
        #expect(try await !isHeld(key))
        #expect(try story.readable(["canary", "general", "bob", "carol"]) == [])
        try ChatStore(at: foreign, encryptionKey: lost).close()
    }

    /// A file of one user must not prevent the others from getting another key.
    @Test func storeWithADamagedKeyFileIsSkipped() async throws {
        try await useAsTwoUsers()
        let hers = try #require(
            try stores().first { $0 != story.directory(of: "bob", hidesUser: true) })
        try Data("damaged".utf8).write(to: hers.appending(path: "KEY"))
        let other = EncryptionKey()
        let client = try await story.open(story.lenientOptions(with: key))
        try await client.changeEncryptionKey(to: other)
        await client.close()
        try await ChatClient.reencrypt(story.lenientOptions(with: other), to: key)
        #expect(try await shown(story.options.encrypted(with: key)) == ["canary"])
    }

    @Test func keyChangeWithoutAKeyThrows() async throws {
        let client = try await story.connected()
        await #expect {
            try await client.changeEncryptionKey(to: EncryptionKey())
        } throws: {
            (($0 as? SyncError)?.cause as? StoreError)?.code == .wrongKey
        }
        await client.close()
        await #expect {
            try await ChatClient.reencrypt(story.options, to: EncryptionKey())
        } throws: {
            ($0 as? StoreError)?.code == .wrongKey
        }
    }
}
