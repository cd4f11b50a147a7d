import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

@testable import Collections

/// Tests that the data of one user is not visible to another, neither by a call nor in a file.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct CanaryTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    /// Strings that only bob's account contains, each in a different place: for example as the URL
    /// of a channel or the text of an unsent message.
    private static let canaries = [
        "canary-channel", "canary-said", "canary-item", "canary-file", "canary-drop",
        "canary-cached",
    ]

    private func use(_ client: ChatClient, as user: UserID) async throws {
        try await client.connect(as: Credentials(user))
        try await client.engine.caughtUp()
    }

    private func directory(of user: UserID, _ key: EncryptionKey?) -> URL {
        ChatStore.directory(
            in: story.directory, applicationID: "default", userID: user, hidesUser: key != nil)
    }

    /// Makes every call that stores something in bob's account, and closes the connection.
    private func fill(_ client: ChatClient, _ key: EncryptionKey?) async throws {
        try story.createChannel("canary-channel", with: ["bob"])
        try await story.say("canary-said", in: "canary-channel")
        try await use(client, as: "bob")
        let collection = try await client.startedCollection(of: "canary-channel")
        #expect(collection.messages.map(\.text) == ["canary-said"])
        await client.disconnect()
        try await client.send(NewMessage("canary-item"), in: "canary-channel")
        let files = try ScratchDirectory.made()
        defer { files.remove() }
        let file = files.url.appending(path: "file")
        try Data("canary-file".utf8).write(to: file)
        var upload = UploadableFile()
        upload.path = file.path
        upload.name = "canary-file"
        try await client.engine.send(
            NewMessage(files: [upload]), in: "canary-channel", keepsCopies: true)
        let texts = directory(of: "bob", key).appending(path: "texts")
        try FileCache(directory: texts, encryptionKey: key).save(
            [message("canary-cached")], in: "canary-channel")
        let box = try #require(
            try PushInbox(
                of: "bob", applicationID: "default", in: story.directory, encryptionKey: key))
        try box.leave([message("canary-drop")])
    }

    private func message(_ text: String) -> Message {
        Message(
            id: MessageID("\(text)-id"), channelURL: "canary-channel", text: text,
            createdAt: 9_000_000)
    }

    /// Returns the canaries that occur in the names or the contents of the files in a directory,
    /// including their Base64 form.
    private func canaries(below directory: URL) throws -> Set<String> {
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            let bytes =
                FileManager.default.contents(
                    atPath: directory.appending(path: path).path) ?? Data()
            for canary in CanaryTests.canaries {
                // The Base64 form depends on the offset modulo three.
                let coded = (0..<3).map { start in
                    Data((String(repeating: "x", count: start) + canary).utf8)
                        .base64EncodedString().dropFirst(start == 0 ? 0 : 4).prefix(12)
                }
                let isThere =
                    path.contains(canary)
                    || ([canary] + coded.map(String.init)).contains {
                        bytes.range(of: Data($0.utf8)) != nil
                    }
                if isThere { found.insert(canary) }
            }
        }
        return found
    }

    /// Returns the canaries that the client's user finds through any call.
    private func canaries(in client: ChatClient) async throws -> Set<String> {
        let store = try client.engine.store
        var texts = try await client.readPushInbox().messages.map(\.text)
        try store.read { snapshot in
            texts += try snapshot.channelURLs().map(\.rawValue)
            texts += try snapshot.groupChannels().map(\.url.rawValue)
            for url in try snapshot.channelURLs() + ["canary-channel"] {
                texts += try snapshot.messages(in: url).map(\.text)
            }
            texts += try snapshot.outboxItems().flatMap { item in
                [item.message?.text ?? ""] + item.files.map { $0.name ?? "" }
            }
            for database in RowDescription.Database.allCases {
                for row in try snapshot.describedRows(of: database) {
                    texts.append(String(decoding: row.key + row.value, as: UTF8.self))
                }
            }
        }
        let shown = try client.makeMessageCollection(of: "canary-channel")
        shown.start(.cacheOnly)
        texts += shown.messages.map(\.text)
        shown.dispose()
        return Set(CanaryTests.canaries.filter { canary in texts.contains { $0.contains(canary) } })
    }

    @Test(arguments: [false, true])
    func dataOfOneAccountIsNotFoundUnderAnother(isEncrypted: Bool) async throws {
        let key = isEncrypted ? EncryptionKey() : nil
        let options = story.options.encrypted(with: key)
        let client = try await story.open(options)
        try await fill(client, key)
        // Check the search itself: without encryption, it finds all canaries in bob's own files.
        let his = try canaries(below: directory(of: "bob", key))
        #expect(isEncrypted ? his == [] : his == Set(CanaryTests.canaries))

        try await use(client, as: "carol")
        #expect(try await canaries(in: client) == [])
        let hers = directory(of: "carol", key)
        #expect(try canaries(below: hers) == [])
        #expect(
            try FileCache(directory: hers.appending(path: "texts"), encryptionKey: key)
                .load("canary-channel").records == [])
        await #expect(throws: SyncError.self) {
            try await client.engine.connect(as: Credentials("bob"))
        }
        // When bob returns, everything still exists, including the outbox item, the file and the
        // push inbox.
        try await client.connect(as: Credentials("bob"))
        let back = try client.engine.store
        #expect(try back.messages(in: "canary-channel").contains { $0.text == "canary-drop" })
        await client.close()
        #expect(try canaries(below: hers) == [])
    }

    // MARK: Files that wait to be sent

    /// When the key of a store with outgoing files is set or changed.
    enum WayToAKey: CaseIterable, Sendable {
        case none, fromTheBeginning, laterOn, exchanged, encryptedAnew
    }

    private static let user: UserID = "canary-user"

    /// Sends one file and several files, from paths and from data, with and without a copy in the
    /// store, and with thumbnails.
    private func sendFiles(_ client: ChatClient, _ files: URL) async throws {
        func file(_ name: String) throws -> UploadableFile {
            let path = files.appending(path: name)
            try Data(String(repeating: "canary-file ", count: 1_000).utf8).write(to: path)
            return UploadableFile(path: path.path, name: "canary-name", mimeType: "image/png")
        }
        var data = UploadableFile()
        data.data = Data("canary-data".utf8)
        data.name = "canary-name"
        try await client.send(
            NewMessage(files: [file("1")]), in: "canary-channel", keepsCopies: true)
        try await client.send(
            NewMessage(files: [file("2"), data, file("3")]), in: "canary-channel",
            keepsCopies: true)
        try await client.send(NewMessage(files: [data]), in: "canary-channel")
        try await client.send(NewMessage(files: [file("4")]), in: "canary-channel")
    }

    @Test(arguments: WayToAKey.allCases)
    func copiesOfFilesArePlainOnlyWithoutAKey(way: WayToAKey) async throws {
        try story.createChannel("canary-channel", with: [Self.user])
        let files = try ScratchDirectory.made()
        defer { files.remove() }
        let (key, other) = (EncryptionKey(), EncryptionKey())
        func options(_ key: EncryptionKey?) -> ChatClientOptions {
            let options = story.options.encrypted(with: key)
            return options
        }
        let isEncrypted = way != .none && way != .laterOn
        var client = try await story.open(options(isEncrypted ? key : nil))
        try await use(client, as: Self.user)
        await client.disconnect()
        try await sendFiles(client, files.url)
        let store = try #require(try client.engine.store.directory)
        // A copy without an outbox item, as a crash may leave it.
        let copies = store.appending(path: "files")
        let kept = try FileManager.default.contentsOfDirectory(atPath: copies.path)
        #expect(kept.count == 3)
        try FileManager.default.copyItem(
            at: copies.appending(path: kept[0]),
            to: copies.appending(path: String(repeating: "0", count: 32) + ".copy"))
        var last: EncryptionKey? = isEncrypted ? key : nil
        switch way {
        case .none, .fromTheBeginning: break
        case .laterOn: last = key
        case .exchanged:
            try await client.changeEncryptionKey(to: other)
            last = other
        case .encryptedAnew:
            await client.close()
            try await ChatClient.reencrypt(options(key), to: other)
            last = other
        }
        await client.close()
        let held =
            way == .laterOn
            ? try await ChatClient.encryptStoredData(of: Self.user, options: options(last)) : []

        // Still offline: nothing has been sent yet.
        story.network.goOffline()
        client = try await story.open(options(last))
        _ = try? await client.connect(as: Credentials(Self.user))
        #expect(client.cachingError == nil)
        #expect(try client.engine.store.outboxItemCount() == 4)
        let words = [
            "canary-file", "canary-data", "canary-name", "canary-channel", "canary-user",
            files.url.lastPathComponent,
        ]
        let found = try story.readable(words)
        #expect(found == (way == .none ? words : []))

        story.network.goOnline()
        try await use(client, as: Self.user)
        for item in held {
            // The path of a file without a copy is not kept.
            var file = UploadableFile()
            file.path = files.url.appending(path: "4").path
            let lacking = item.files.indices.filter {
                item.fileCopy(at: $0) == nil && item.files[$0].data == nil
            }
            try await client.resend(
                item.requestID,
                replacing: Dictionary(uniqueKeysWithValues: lacking.map { ($0, file) }))
        }
        try await story.until(client) { try $0.outboxItemCount() == 0 }
        let sent = try await story.alice.history(of: "canary-channel")
        var received: [Data] = []
        for file in sent.flatMap(\.files) {
            received.append(try await story.alice.download(file))
        }
        let (large, small) = (12_000, 11)
        #expect(received.map(\.count) == [large, large, small, large, small, large])
        #expect(received.allSatisfy { $0.starts(with: Data("canary-".utf8)) })
        await client.close()
        // The copies and the leftover files of the crash have been removed.
        let names = try FileManager.default.subpathsOfDirectory(atPath: story.directory.path)
        #expect(names.allSatisfy { !$0.hasSuffix(".copy") || $0.contains("/downloads/") })
        let after = try story.readable(words)
        #expect(way == .none || after == [])
    }

    @Test(arguments: [false, true])
    func logOutWithRemovalLeavesNoFiles(isEncrypted: Bool) async throws {
        let key = isEncrypted ? EncryptionKey() : nil
        let options = story.options.encrypted(with: key)
        let client = try await story.open(options)
        try await use(client, as: "carol")
        try await fill(client, key)
        let items = try await client.logOut(wiping: .everything)
        let texts = items.compactMap { $0.message?.text }
        #expect(items.count == 2 && texts.contains("canary-item"))
        await client.close()
        // Neither the names nor the contents of the files contain a canary, not even the data of
        // rows that LevelDB has deleted.
        #expect(try canaries(below: story.directory) == [])
        #expect(
            !FileManager.default.fileExists(atPath: directory(of: "bob", key).path))

        let again = try await story.open(options)
        #expect(again.currentUser == nil)
        try await use(again, as: "carol")
        #expect(try await canaries(in: again) == [])
        // The server still has bob's account, so bob receives it when he connects again.
        try await use(again, as: "bob")
        #expect(try again.engine.store.groupChannel("canary-channel") != nil)
        #expect(try again.engine.store.outboxItemCount() == 0)
        await again.close()
    }

    @Test func nextOpeningRemovesFilesThatLogOutCouldNot() async throws {
        let client = try await story.open()
        try await fill(client, nil)
        await client.close()
        // Simulates a process that ended after it renamed the directory for removal.
        let directory = directory(of: "bob", nil).path
        let path = directory.last == "/" ? String(directory.dropLast()) : directory
        try FileManager.default.moveItem(atPath: path, toPath: path + ".removed")
        let again = try await story.open()
        try await again.connect(as: Credentials("carol"))
        #expect(again.cachingError == nil)
        await again.close()
        #expect(try canaries(below: story.directory) == [])
    }
}
