import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import Store
import Sync
import Testing

@testable import Collections

/// Tests a device on which a client was once opened without its key.
///
/// It left an unencrypted store next to the encrypted one.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PlainStoreTests {
    private let key = EncryptionKey()
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    /// Opens a client, connects a user, sends texts and a file offline, and closes the client.
    private func use(
        as user: UserID = "bob", _ key: EncryptionKey?, writing texts: [String] = [],
        file: String? = nil
    ) async throws {
        let client = try await story.open(story.lenientOptions(with: key))
        try await client.connect(as: Credentials(user))
        #expect(client.cachingError == nil)
        try await client.engine.caughtUp()
        _ = try await client.startedCollection()
        await client.disconnect()
        for text in texts {
            try await client.send(UserMessageCreateParams(text), in: "general")
        }
        if let file {
            let place = try ScratchDirectory.made()
            defer { place.remove() }
            let path = place.url.appending(path: "file")
            try Data(file.utf8).write(to: path)
            var upload = UploadableFile()
            upload.path = path.path
            try await client.engine.send(
                FileMessageCreateParams(upload), in: "general", keepsCopies: true)
        }
        await client.close()
    }

    private func directories() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: story.directory.appending(path: "_default").path
        ).filter { !$0.hasPrefix("last-user") }
    }

    private func pending(_ client: ChatClient) throws -> [String] {
        try client.engine.store.outboxItems(in: "general").map { $0.message?.text ?? "?" }
    }

    @Test(arguments: [true, false], ChatClient.Wiping.allCases)
    func loggingOutWithRemovalRemovesBothStores(
        hasKey: Bool, wiping: ChatClient.Wiping
    ) async throws {
        try await story.say("canary-said")
        // The unencrypted store is created after the encrypted one, and the store is not opened
        // with the key after that.
        try await use(key)
        try await use(nil)
        #expect(try directories().count == 2)
        #expect(try story.readable(["canary-said", "bob"]) == ["canary-said", "bob"])
        let client = try await story.connected(story.lenientOptions(with: hasKey ? key : nil))
        try await client.logOut(wiping: wiping)
        await client.close()
        #expect(try story.readable(["canary-said"]) == [])
        if wiping == .everything { #expect(try directories() == []) }
        // No data of the user reappears, with the key or without it.
        for key in [key, nil] {
            let again = try await story.open(story.lenientOptions(with: key))
            if wiping == .everything || (key != nil) == hasKey {
                #expect(again.currentUser == nil)
            }
            #expect(again.cachingError == nil)
            await again.close()
        }
    }

    @Test func openingWithAKeyEncryptsThePlainStoresOfAllUsers() async throws {
        let long = UserID(String(repeating: "dora", count: 40))
        try story.createChannel("hers", with: ["carol", long])
        try await story.say("canary-said")
        try await use(nil, writing: ["canary-unsent"])
        for user in ["carol", long] {
            let client = try await story.open(story.lenientOptions(with: nil))
            try await client.connect(as: Credentials(user))
            try await client.engine.caughtUp()
            await client.close()
        }
        let canaries = ["canary-said", "canary-unsent", "general", "bob", "carol"]
        #expect(try story.readable(canaries) == canaries)
        // The last user's data is available before `connect` is called.
        let client = try await story.open(story.lenientOptions(with: key))
        #expect(client.cachingError == nil && client.currentUser?.userID == long)
        await client.close()
        #expect(try story.readable(canaries + [long.rawValue]) == [])
        story.network.goOffline()
        let back = try await story.open(story.lenientOptions(with: key))
        _ = try? await back.connect(as: Credentials("bob"))
        #expect(back.cachingError == nil)
        #expect(try pending(back) == ["canary-unsent"])
        #expect(try back.engine.store.messages(in: "general").map(\.text) == ["canary-said"])
        await back.close()
    }

    @Test func outboxItemsOfAPlainStoreAreMovedToTheEncryptedOne() async throws {
        try await story.say("canary-said")
        try await use(key, writing: ["first"])
        try await use(nil, writing: ["canary-second", "canary-third"], file: "canary-file")
        let client = try await story.open(story.lenientOptions(with: key))
        #expect(client.storageDamage.unmovedOutbox == nil && client.cachingError == nil)
        #expect(try pending(client).prefix(3) == ["first", "canary-second", "canary-third"])
        #expect(try pending(client).count == 4)
        #expect(try directories().count == 1)
        #expect(try story.readable(["canary-said", "canary-second", "general", "bob"]) == [])
        try await client.connect(as: Credentials("bob"))
        try await story.until(client) { try $0.outboxItemCount() == 0 }
        let store = try client.engine.store
        let texts = Array(try store.messages(in: "general").map(\.text).reversed())
        #expect(texts.prefix(4) == ["canary-said", "first", "canary-second", "canary-third"])
        #expect(texts.count == 5)
        await client.close()
        // The removed outbox items do not reappear.
        let again = try await story.open(story.lenientOptions(with: key))
        #expect(try pending(again) == [])
        await again.close()
        #expect(try story.readable(["canary-file", "canary-third"]) == [])
    }

    @Test func wrongKeyChangesNeitherStore() async throws {
        try await use(key)
        try await use(nil, writing: ["unsent"])
        func bytes() throws -> [String: Data] {
            let root = story.directory
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            return try paths.reduce(into: [:]) { bytes, path in
                let file = root.appending(path: path)
                var isDirectory: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory)
                if !isDirectory.boolValue { bytes[path] = try Data(contentsOf: file) }
            }
        }
        let before = try bytes()
        let client = try await story.connected(story.lenientOptions(with: EncryptionKey()))
        #expect(client.cachingError?.code == .wrongKey)
        await client.close()
        #expect(try bytes() == before)
        let right = try await story.open(story.lenientOptions(with: key))
        #expect(right.currentUser?.userID == "bob")
        #expect(try pending(right) == ["unsent"])
        await right.close()
    }

    /// Bob has no encrypted store, but another user of the device, carol, has one.
    @Test func wrongKeyEncryptsNoPlainStore() async throws {
        try await use(nil, writing: ["unsent"])
        let carol = try await story.open(story.lenientOptions(with: key))
        await carol.close()
        try await use(as: "bob", key)
        let directory = story.directory(of: "carol")
        try ChatStore(at: directory).close()
        let wrong = try await story.open(story.lenientOptions(with: EncryptionKey()))
        _ = try? await wrong.connect(as: Credentials("carol"))
        #expect(wrong.cachingError?.code == .wrongKey)
        await wrong.close()
        try ChatStore(at: directory).close()
    }

    @Test func outboxThatCannotBeMovedIsKeptAndReported() async throws {
        try await use(key)
        try await use(nil, writing: ["canary-kept", "canary-lost"])
        let outbox = story.directory(of: "bob").appending(path: "outbox")
        try LevelDBLog.damage("canary-kept", in: outbox)
        for _ in 0..<2 {
            let client = try await story.open(story.lenientOptions(with: key))
            #expect(client.cachingError == nil)
            let cause = client.storageDamage.unmovedOutbox?.cause as? StoreError
            #expect(cause?.code == .corruption)
            #expect(try directories().count == 2)
            // The client may recover some of the data, but none of it is readable without the key.
            #expect(try story.readable(["canary-kept", "canary-lost", "bob"]) == [])
            await client.close()
        }
        let client = try await story.connected(story.lenientOptions(with: key))
        try await client.logOut(wiping: .everything)
        await client.close()
        #expect(try directories() == [])
    }
}
