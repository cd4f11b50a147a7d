import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import Store
import Testing

@testable import Collections
@testable import Sync

/// Tests unencrypted stores on the device of an app that uses a key.
///
/// Any program that can write to the app's directory can put such a store there.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PlainStoreTests {
    private let key = EncryptionKey()
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    /// Opens a client, connects a user, sends texts and a file offline, and closes the client.
    private func use(
        as user: UserID = "bob", _ key: EncryptionKey?, writing texts: [String] = [],
        file: URL? = nil, keepsCopies: Bool = false
    ) async throws {
        let client = try await story.open(story.lenientOptions(with: key))
        try await client.connect(as: Credentials(user))
        #expect(client.cachingError == nil)
        try await client.engine.caughtUp()
        _ = try await client.startedCollection()
        await client.disconnect()
        for text in texts {
            try await client.send(NewMessage(text), in: "general")
        }
        if let file {
            var upload = UploadableFile()
            upload.path = file.path
            try await client.engine.send(
                NewMessage(files: [upload]), in: "general", keepsCopies: keepsCopies)
        }
        await client.close()
    }

    /// Writes a plain store of bob with an unsent message, and then an encrypted one, as if a
    /// program had copied the plain one next to it.
    private func plant(_ text: String = "planted") async throws {
        let aside = story.directory.appending(path: "aside")
        let plain = story.directory(of: "bob")
        try await use(nil, writing: [text])
        try FileManager.default.moveItem(at: plain, to: aside)
        try await use(key)
        try FileManager.default.moveItem(at: aside, to: plain)
    }

    private func directories() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: story.directory.appending(path: "_default").path
        ).filter { !$0.hasPrefix("last-user") }
    }

    private func texts(_ client: ChatClient) throws -> [String] {
        try client.engine.store.outboxItems(in: "general").map { $0.message?.text ?? "?" }
    }

    /// The bytes of all files of the app.
    private func bytes() throws -> [String: Data] {
        let root = story.directory
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return try paths.reduce(into: [:]) { bytes, path in
            let file = root.appending(path: path)
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory)
            if !isDirectory.boolValue { bytes[path] = try Data(contentsOf: file) }
        }
    }

    private func encrypt(_ user: UserID, _ key: EncryptionKey) async throws -> [OutboxItem] {
        try await ChatClient.encryptStoredData(of: user, options: story.lenientOptions(with: key))
    }

    /// The cache, which the one who wrote the plain store may have given to any owner, is not kept.
    @Test func adoptedStoreBelongsToTheUserWhoseDirectoryItIs() async throws {
        try await use(nil, writing: ["x"])
        let plain = try ChatStore(at: story.directory(of: "bob"))
        try plain.write { batch in batch.setUser(User(id: "carol")) }
        plain.close()
        _ = try await encrypt("bob", key)
        let client = try await story.open(story.lenientOptions(with: key))
        try await client.connect(as: Credentials("bob"))
        #expect(client.currentUser?.userID == "bob")
        #expect(client.storageDamage.isEmpty)
        await client.close()
    }

    // MARK: Next to an encrypted store

    @Test func plainStoreNextToTheEncryptedOneIsReportedAndNotUsed() async throws {
        try await plant()
        let plain = story.directory(of: "bob")
        let before = try bytes().filter { $0.key.hasPrefix("_default/_bob/") }
        for _ in 1...2 {
            let client = try await story.open(story.lenientOptions(with: key))
            #expect(client.storageDamage.plainStore?.path == plain.path)
            #expect(client.storageDamage.sentences.count == 1)
            #expect(try texts(client) == [])
            try await client.connect(as: Credentials("bob"))
            try await client.engine.caughtUp()
            #expect(try client.engine.store.messages(in: "general").map(\.text) == [])
            await client.close()
        }
        #expect(try bytes().filter { $0.key.hasPrefix("_default/_bob/") } == before)
    }

    @Test func plainStoreIsNotEncryptedIfThereIsAnEncryptedOne() async throws {
        try await plant()
        let before = try bytes()
        let error = await #expect(throws: SyncError.self) { _ = try await encrypt("bob", key) }
        #expect((error?.cause as? StoreError)?.code == .invalid)
        #expect(try bytes() == before)
    }

    @Test(arguments: ChatClient.Wiping.allCases)
    func loggingOutAlsoRemovesThePlainStore(wiping: ChatClient.Wiping) async throws {
        try await story.say("canary-said")
        try await plant()
        #expect(try directories().count == 2)
        #expect(try story.readable(["canary-said", "bob"]) == ["canary-said", "bob"])
        let client = try await story.connected(story.lenientOptions(with: key))
        try await client.logOut(wiping: wiping)
        await client.close()
        #expect(try story.readable(["canary-said"]) == [])
        if wiping == .everything { #expect(try directories() == []) }
    }

    /// The planted store is one of a newer version, or is open.
    @Test(arguments: [false, true])
    func unreadablePlainStoreDoesNotPreventTheLogOut(isOpen: Bool) async throws {
        try await plant()
        let plain = story.directory(of: "bob")
        if !isOpen { try Data("99\n".utf8).write(to: plain.appending(path: "VERSION")) }
        let store = isOpen ? try ChatStore(at: plain) : nil
        let client = try await story.connected(story.lenientOptions(with: key))
        await #expect(throws: SyncError.self) { try await client.clearCachedData() }
        try await client.logOut(wiping: .everything)
        await client.close()
        store?.close()
        let encrypted = story.directory(of: "bob", hidesUser: true)
        #expect(!FileManager.default.fileExists(atPath: encrypted.path))
    }

    @Test func removalDoesNotFollowALinkInPlaceOfThePlainStore() async throws {
        try await plant()
        let (plain, elsewhere) = (story.directory(of: "bob"), ScratchDirectory())
        try FileManager.default.moveItem(at: plain, to: elsewhere.url)
        try FileManager.default.createSymbolicLink(at: plain, withDestinationURL: elsewhere.url)
        let client = try await story.connected(story.lenientOptions(with: key))
        #expect(client.storageDamage.plainStore == nil)
        try await client.clearCachedData()
        try await client.logOut(wiping: .everything)
        await client.close()
        let store = try ChatStore(at: elsewhere.url)
        #expect(try store.outboxItems().map { $0.message?.text } == ["planted"])
        #expect(try store.groupChannels().map(\.url) == ["general"])
        store.close()
    }

    /// The link leads to the directory of another app.
    @Test func linkInPlaceOfTheDirectoryOfAllUsersIsNotFollowed() async throws {
        try await use(nil, writing: ["kept"])
        let root = story.directory(of: "bob").deletingLastPathComponent()
        let elsewhere = ScratchDirectory()
        try FileManager.default.moveItem(at: root, to: elsewhere.url)
        let path = root.path.hasSuffix("/") ? String(root.path.dropLast()) : root.path
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: elsewhere.url.path)
        let options = story.options.encrypted(with: key)
        for wiping in ChatClient.Wiping.allCases {
            await #expect(throws: SyncError.self) {
                try await ChatClient.removeStoredData(of: "bob", wiping: wiping, options: options)
            }
        }
        await #expect(throws: SyncError.self) {
            try await ChatClient.encryptStoredData(of: "bob", options: options)
        }
        await #expect(throws: StoreError.self) {
            try await ChatClient.reencrypt(options, to: EncryptionKey())
        }
        let store = try ChatStore(at: elsewhere.url.appending(path: "_bob"))
        #expect(try store.outboxItems().map { $0.message?.text } == ["kept"])
        store.close()
    }

    @Test func resumingDoesNotFollowALinkInPlaceOfTheDirectoryOfAllUsers() async throws {
        let client = try await story.connected()
        try await client.suspend()
        let root = story.directory(of: "bob").deletingLastPathComponent().path
        let path = root.hasSuffix("/") ? String(root.dropLast()) : root
        let elsewhere = try ScratchDirectory.made()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: elsewhere.path)
        await #expect(throws: SyncError.self) { try await client.resume() }
        #expect(elsewhere.contents == [])
        await client.close()
    }

    /// Another program has created a directory with the name that a removal could choose.
    @Test func plantedDirectoryDoesNotPreventARemoval() async throws {
        try await use(nil, writing: ["kept"])
        let directory = story.directory(of: "bob")
        let inner = directory.appending(path: "x/y")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        // Only root removes something from a directory of this mode.
        for path in [inner.path, directory.appending(path: "x").path, directory.path] {
            #expect(chmod(path, 0o500) == 0)
        }
        let path =
            directory.path.hasSuffix("/") ? String(directory.path.dropLast()) : directory.path
        try FileManager.default.createDirectory(
            atPath: path + ".removed/x", withIntermediateDirectories: true)
        try await ChatClient.removeStoredData(
            of: "bob", wiping: .everything, options: story.options)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: Instead of an encrypted store

    @Test func plainStoreIsNotOpenedWithAKey() async throws {
        try await use(nil, writing: ["unsent"])
        let before = try bytes()
        let client = try await story.open(story.options.encrypted(with: key))
        // A plain file does not determine the user, either.
        #expect(client.currentUser == nil)
        let error = await #expect(throws: SyncError.self) {
            try await client.connect(as: Credentials("bob"))
        }
        #expect((error?.cause as? StoreError)?.code == .wrongKey)
        await client.close()
        #expect(try bytes() == before)
    }

    @Test func earlierKeyFileDoesNotMakeTheStoreAcceptPlainFiles() async throws {
        try await use(nil, writing: ["planted"])
        let (plain, sealed) = (
            story.directory(of: "bob"), story.directory(of: "bob", hidesUser: true)
        )
        let aside = story.directory.appending(path: "aside")
        try FileManager.default.copyItem(at: plain, to: aside)
        // A backup was made while the store was being encrypted.
        _ = try KeyFile(in: plain.path).beginExchange(from: nil, to: key)
        try FileManager.default.copyItem(
            at: plain.appending(path: "KEY"), to: aside.appending(path: "KEY"))
        try FileManager.default.removeItem(at: plain.appending(path: "KEY"))
        #expect(try await encrypt("bob", key).count == 1)
        try FileManager.default.removeItem(at: sealed)
        try FileManager.default.moveItem(at: aside, to: sealed)
        let client = try await story.connected(story.lenientOptions(with: key))
        #expect(client.cachingError?.code == .wrongKey)
        await client.close()
    }

    // MARK: Without the key

    @Test func encryptedDataIsNotOpenedWithoutTheKey() async throws {
        try await use(key, writing: ["unsent"])
        let before = try bytes()
        // Neither a user with an encrypted store nor another user gets a plain one.
        for user: UserID in ["bob", "carol"] {
            let client = try await story.open()
            let error = await #expect(throws: SyncError.self) {
                try await client.connect(as: Credentials(user))
            }
            #expect((error?.cause as? StoreError)?.code == .wrongKey)
            await client.close()
        }
        #expect(try bytes() == before)
        let right = try await story.open(story.lenientOptions(with: key))
        #expect(try texts(right) == ["unsent"])
        await right.close()
    }

    // MARK: Encrypting

    @Test func dataOfEachUserIsEncryptedOnRequest() async throws {
        let long = UserID(String(repeating: "dora", count: 100))
        try story.createChannel("hers", with: ["carol", long])
        try await story.say("canary-said")
        try await use(nil, writing: ["canary-unsent"])
        for user in ["carol", long] {
            let client = try await story.open()
            try await client.connect(as: Credentials(user))
            try await client.engine.caughtUp()
            await client.close()
        }
        let canaries = ["canary-said", "canary-unsent", "general", "bob", "carol"]
        #expect(try story.readable(canaries) == canaries)
        let items = try await encrypt("bob", key)
        #expect(items.map { $0.message?.text } == ["canary-unsent"])
        #expect(items.map(\.errorCode) == [.needsConfirmation])
        #expect(try await encrypt("carol", key) == [])
        #expect(try await encrypt(long, key) == [])
        #expect(try await encrypt("bob", key) == [])
        #expect(try story.readable(canaries + [long.rawValue]) == [])
        // The last user's data is available before `connect` is called.
        let client = try await story.open(story.lenientOptions(with: key))
        #expect(client.cachingError == nil && client.currentUser?.userID == long)
        await client.close()
        story.network.goOffline()
        let back = try await story.open(story.lenientOptions(with: key))
        _ = try? await back.connect(as: Credentials("bob"))
        #expect(back.cachingError == nil && back.storageDamage.isEmpty)
        #expect(try texts(back) == ["canary-unsent"])
        #expect(try back.engine.store.messages(in: "general").isEmpty)
        story.network.goOnline()
        try await back.connect(as: Credentials("bob"))
        try await back.engine.caughtUp()
        _ = try await back.startedCollection()
        #expect(try back.engine.store.messages(in: "general").map(\.text) == ["canary-said"])
        await back.close()
    }

    @Test func itemsOfAPlainStoreAreSentOnlyWhenTheUserResendsThem() async throws {
        try await use(nil, writing: ["planted"])
        let item = try #require(try await encrypt("bob", key).first)
        #expect(item.isResendable)
        let client = try await story.connected(story.lenientOptions(with: key))
        try await client.engine.caughtUp()
        let store = try client.engine.store
        #expect(try store.outboxItems().map(\.state) == [.failed])
        #expect(try store.messages(in: "general").map(\.text) == [])
        try await client.resend(item.requestID)
        try await story.until(client) { try $0.outboxItemCount() == 0 }
        #expect(try store.messages(in: "general").map(\.text) == ["planted"])
        await client.close()
    }

    @Test(arguments: [false, true])
    func pathsInAPlainStoreAreNotOpened(keepsCopies: Bool) async throws {
        let secret = try ScratchDirectory.made()
        let file = secret.url.appending(path: "secret.txt")
        try Data("canary-copied".utf8).write(to: file)
        try await use(nil, file: file, keepsCopies: keepsCopies)
        try Data("canary-secret".utf8).write(to: file)
        let item = try #require(try await encrypt("bob", key).first)
        #expect(item.files.map(\.path) == [nil] && item.files.map(\.name) == ["secret.txt"])
        let client = try await story.connected(story.lenientOptions(with: key))
        try await client.resend(item.requestID)
        if keepsCopies {
            try await story.until(client) { try $0.outboxItemCount() == 0 }
        } else {
            try await story.until(client) {
                try $0.outboxItems().allSatisfy { $0.state == .failed }
            }
            #expect(try client.engine.store.outboxItemCount() == 1)
        }
        await client.close()
    }

    @Test(arguments: [false, true])
    func linksInAPlainStoreAreRefused(isSymbolic: Bool) async throws {
        let secret = try ScratchDirectory.made()
        let file = secret.url.appending(path: "secret")
        try Data("secret".utf8).write(to: file)
        try await use(nil, file: file, keepsCopies: true)
        let files = story.directory(of: "bob").appending(path: "files")
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
        let copy = files.appending(path: try #require(names.first))
        try FileManager.default.removeItem(at: copy)
        if isSymbolic {
            try FileManager.default.createSymbolicLink(at: copy, withDestinationURL: file)
        } else {
            try FileManager.default.linkItem(at: file, to: copy)
        }
        let before = try bytes()
        let error = await #expect(throws: SyncError.self) { _ = try await encrypt("bob", key) }
        #expect((error?.cause as? StoreError)?.code == .corruption)
        #expect(try bytes() == before)
    }

    @Test func linkInPlaceOfTheEncryptedStoreIsRefused() async throws {
        try await use(nil, writing: ["kept"])
        let elsewhere = try ScratchDirectory.made()
        let mark = elsewhere.url.appending(path: "ADOPTED")
        try Data().write(to: mark)
        let encrypted = story.directory(of: "bob", hidesUser: true).path
        try FileManager.default.createSymbolicLink(
            atPath: encrypted.hasSuffix("/") ? String(encrypted.dropLast()) : encrypted,
            withDestinationPath: elsewhere.url.path)
        await #expect(throws: SyncError.self) { _ = try await encrypt("bob", key) }
        #expect(FileManager.default.fileExists(atPath: mark.path))
        let store = try ChatStore(at: story.directory(of: "bob"))
        #expect(try store.outboxItems().map { $0.message?.text } == ["kept"])
        store.close()
    }

    // MARK: A wrong key

    @Test func wrongKeyChangesNothing() async throws {
        try await plant()
        let before = try bytes()
        let client = try await story.connected(story.lenientOptions(with: EncryptionKey()))
        #expect(client.cachingError?.code == .wrongKey)
        await client.close()
        #expect(try bytes() == before)
    }

    /// Bob has an encrypted store, and carol has a plain one.
    @Test(arguments: ["nothing", "the key file", "the store"])
    func wrongKeyEncryptsNoPlainStore(removed: String) async throws {
        try await use(as: "bob", nil)
        let (plain, aside) = (
            story.directory(of: "bob"), story.directory.appending(path: "aside")
        )
        try FileManager.default.moveItem(at: plain, to: aside)
        try await use(as: "bob", key)
        let carols = story.directory(of: "carol")
        try FileManager.default.moveItem(at: aside, to: carols)
        let sealed = story.directory(of: "bob", hidesUser: true)
        switch removed {
        case "the key file":
            try FileManager.default.removeItem(at: sealed.appending(path: "KEY"))
        case "the store": try FileManager.default.removeItem(at: sealed)
        default: break
        }
        let before = try bytes()
        let error = await #expect(throws: SyncError.self) {
            _ = try await encrypt("carol", EncryptionKey())
        }
        #expect((error?.cause as? StoreError)?.code == .wrongKey)
        #expect(try bytes() == before)
        try ChatStore(at: carols).close()
    }
}
