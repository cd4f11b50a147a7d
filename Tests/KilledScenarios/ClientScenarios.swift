import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

private func options(_ directory: URL, _ key: EncryptionKey?) -> ChatClientOptions {
    var options = ChatClientOptions()
    options.storage = .directory(directory)
    options.encryptionKey = key
    return options
}

@MainActor
private func open(_ directory: URL, _ key: EncryptionKey? = nil) async throws -> ChatClient {
    try await ChatClient.open(
        backend: try EmbeddedServer.inMemory().client(), options: options(directory, key))
}

/// Uses a client to fill a user's store, with or without an encryption key.
@MainActor
private func fill(
    _ directory: URL, _ key: EncryptionKey? = nil, said: String, written: [String]
) async throws {
    let client = try await open(directory, key)
    try await client.connect(as: Credentials("bob-the-user"))
    await client.disconnect()
    let store = try client.engine.store
    try store.write { batch in
        try batch.save(Message(said, at: 1))
        for text in written { try batch.save(OutboxItem(text)) }
    }
    let box = try PushInbox(
        of: "bob-the-user", applicationID: "default", in: directory, encryptionKey: key)
    try box?.leave([Message("canary-drop", at: 2)])
    await client.close()
}

private let canaries = ["canary", "bob-the-user", "general"]

/// Requires that no file is left unencrypted, and that each written outbox item exists exactly
/// once.
struct Encrypting: Performer {
    let directory: URL
    private let written = ["canary-written-1", "canary-written-2"]

    init(directory: URL) { self.directory = directory }

    func prepare() async throws {
        try await fill(directory, said: "canary-said", written: written)
    }

    func run() async throws {
        try await ChatClient.encryptStoredData(
            of: "bob-the-user", options: options(directory, .first))
    }

    func problems() async throws -> [String] {
        var problems = Problems()
        try await run()
        for _ in 0..<2 {
            let client = try await open(directory, .first)
            let store = try client.engine.store
            problems.expect(client.cachingError == nil, "\(client.cachingError.debugDescription)")
            problems.expect(client.storageDamage.isEmpty, "\(client.storageDamage.sentences)")
            try problems.expect(try store.pendingTexts == written, "\(store.pendingTexts)")
            let states = try store.outboxItems().map(\.state)
            problems.expect(states == [.failed, .failed], "\(states)")
            await client.close()
            let found = try readable(canaries, below: directory)
            problems.expect(found.isEmpty, "can be read: \(found)")
        }
        return problems.list
    }
}

/// Requires that a user whose logout was interrupted can log out again, and that no data of the
/// user is left then.
struct LoggingOut: Performer {
    let directory: URL

    func prepare() async throws {
        try await fill(directory, .first, said: "canary-sealed", written: ["canary-unsent"])
        // A restored backup has left a plain store next to the encrypted one.
        let backup = directory.appending(path: "backup", directoryHint: .isDirectory)
        try await fill(backup, said: "canary-said", written: ["canary-written"])
        let name = "_default/_bob-the-user"
        try FileManager.default.moveItem(
            at: backup.appending(path: name), to: directory.appending(path: name))
        try FileManager.default.removeItem(at: backup)
    }

    func run() async throws {
        let client = try await open(directory, .first)
        _ = try await client.logOut(wiping: .everything)
        await client.close()
    }

    func problems() async throws -> [String] {
        var problems = Problems()
        // A client can still find the user whose logout was interrupted.
        try await run()
        let found = try readable(canaries, below: directory)
        problems.expect(found.isEmpty, "left: \(found)")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: directory.appending(path: "_default").path)
        problems.expect(
            names.allSatisfy { $0.hasPrefix("last-user") }, "directories are left: \(names)")
        return problems.list
    }
}

/// Requires that the user's outbox items are kept, and that all other data has been removed in the
/// end.
struct Clearing: Performer {
    let directory: URL

    func prepare() async throws {
        try await fill(directory, said: "canary-said", written: ["written"])
    }

    func run() async throws {
        let client = try await open(directory)
        try await client.clearCachedData()
        await client.close()
    }

    func problems() async throws -> [String] {
        var problems = Problems()
        func check(_ isCleared: Bool) async throws {
            let client = try await open(directory)
            let store = try client.engine.store
            let (texts, pending) = (try store.texts, try store.pendingTexts)
            problems.expect(client.cachingError == nil, "\(client.cachingError.debugDescription)")
            problems.expect(pending == ["written"], "the outbox has \(pending)")
            problems.expect(!isCleared || texts.isEmpty, "the cache has \(texts)")
            await client.close()
        }
        try await check(false)
        try await run()
        try await check(true)
        return problems.list
    }
}

/// Requires that the file of an outbox item exists as long as the item does.
struct SendingFile: Performer {
    let directory: URL
    private var store: URL { directory.appending(path: "store") }

    private func server() throws -> EmbeddedServer {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("general", userIDs: ["bob"], url: "general"), by: "alice")
        return server
    }

    private func engine(_ store: ChatStore) throws -> SyncEngine {
        SyncEngine(
            store: store, backend: try server().client(), makeRequestID: { "request-file" })
    }

    func prepare() async throws {
        let store = try ChatStore(at: store)
        let engine = try engine(store)
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
        await engine.disconnect()
        let file = directory.appending(path: "original")
        try Data("canary-file".utf8).write(to: file)
        var upload = UploadableFile()
        upload.path = file.path
        try await engine.send(NewMessage(files: [upload]), in: "general", keepsCopies: true)
        try FileManager.default.removeItem(at: file)
        await engine.close()
        store.close()
    }

    func run() async throws {
        let store = try ChatStore(at: store)
        let engine = try engine(store)
        try await engine.connect(as: Credentials("bob"))
        _ = try await engine.deliveryResult(of: "request-file", in: "general")
        await engine.close()
        store.close()
    }

    func problems() async throws -> [String] {
        var problems = Problems()
        func check(_ isSent: Bool) throws {
            let store = try ChatStore(at: store)
            defer { store.close() }
            let copies = self.store.appending(path: "files")
            let kept = try readable(["canary-file"], below: copies)
            // If the outbox item does not exist, the server has the message.
            if try !store.outboxItems().isEmpty {
                problems.expect(!isSent, "it was not sent")
                problems.expect(!kept.isEmpty, "the file is lost")
            }
            if isSent { problems.expect(kept.isEmpty, "the copy is left") }
        }
        try check(false)
        try await run()
        try check(true)
        return problems.list
    }
}
