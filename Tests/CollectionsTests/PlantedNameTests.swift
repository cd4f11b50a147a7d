import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import Store
import Sync
import Testing

@testable import Collections

/// Tests names in the directory of an app that another program has replaced by pipes, links,
/// directories or large files.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PlantedNameTests {
    /// The replacement of a file or a directory.
    enum Plant: CaseIterable, Sendable {
        case pipe, directory, linkToFile, linkToDirectory, largeFile
    }

    private let story: ClientStory
    private let elsewhere: ScratchDirectory

    init() async throws {
        story = try await ClientStory()
        elsewhere = try ScratchDirectory.made()
        for name in ["notes.txt", "KEY", "CURRENT", "000005.ldb"] {
            try Data("kept".utf8).write(to: elsewhere.url.appending(path: name))
        }
    }

    private func expectNothingElsewhereHasChanged(_ place: String) throws {
        #expect(elsewhere.contents == ["000005.ldb", "CURRENT", "KEY", "notes.txt"], "\(place)")
        for name in elsewhere.contents {
            let bytes = try? Data(contentsOf: elsewhere.url.appending(path: name))
            #expect(bytes == Data("kept".utf8), "\(place)")
        }
    }

    private func put(_ plant: Plant, at url: URL) throws {
        // The file need not exist.
        try? FileManager.default.removeItem(at: url)
        switch plant {
        case .pipe: #expect(mkfifo(url.path, 0o600) == 0)
        case .directory:
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data("x".utf8).write(to: url.appending(path: "x"))
        case .linkToFile:
            try FileManager.default.createSymbolicLink(
                at: url, withDestinationURL: elsewhere.url.appending(path: "notes.txt"))
        case .linkToDirectory:
            try FileManager.default.createSymbolicLink(
                at: url, withDestinationURL: elsewhere.url)
        case .largeFile:
            #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
            #expect(truncate(url.path, 1 << 40) == 0)
        }
    }

    private func use(_ key: EncryptionKey) async throws {
        let client = try await story.connected(story.lenientOptions(with: key))
        _ = try await client.startedCollection()
        await client.disconnect()
        try await client.send(NewMessage("unsent"), in: "general")
        var upload = UploadableFile()
        upload.path = elsewhere.url.appending(path: "notes.txt").path
        try await client.engine.send(
            NewMessage(files: [upload]), in: "general", keepsCopies: true)
        let box = try PushInbox(
            of: "bob", applicationID: "default", in: story.directory, encryptionKey: key)
        try box?.leave([Message(id: "9", channelURL: "general", text: "hi", createdAt: 9)])
        await client.close()
    }

    /// Opens the app, connects and uses all calls that read or remove files.
    private func useAgain(_ options: ChatClientOptions) async throws {
        let client = try await story.open(options)
        // Each call may fail, but none may wait, or touch a file elsewhere.
        _ = try? await client.connect(as: Credentials("bob"))
        _ = try? await client.startedCollection()
        await client.close()
        _ = try? await ChatClient.storedUsers(options: options)
        try? await ChatClient.reencrypt(options, to: EncryptionKey())
        try? await ChatClient.removeAllStoredData(wiping: .cachedData, options: options)
        try? await ChatClient.removeAllStoredData(wiping: .everything, options: options)
    }

    @Test(arguments: Plant.allCases)
    func replacedNamesAreNotFollowed(plant: Plant) async throws {
        let key = EncryptionKey()
        try await story.say("a b c")
        try await use(key)
        let (directory, copy) = (story.directory, ScratchDirectory())
        try FileManager.default.copyItem(at: directory, to: copy.url)
        for name in copy.contents + ["_default/last-user-sealed.new"] {
            // LevelDB reads a large log as a whole, which takes long.
            if plant == .largeFile, name.contains("/cache/") || name.contains("/outbox/") {
                continue
            }
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.copyItem(at: copy.url, to: directory)
            try put(plant, at: directory.appending(path: name))
            try await useAgain(story.lenientOptions(with: key))
            try expectNothingElsewhereHasChanged("\(plant) at \(name)")
        }
    }

    @Test(arguments: Plant.allCases)
    func lastUserIsRecordedAgain(plant: Plant) async throws {
        for name in ["last-user-sealed", "last-user-sealed.new"] {
            let story = try await ClientStory()
            let options = story.options.encrypted(with: EncryptionKey())
            await (try story.connected(options)).close()
            try put(plant, at: story.directory.appending(path: "_default/\(name)"))
            await (try story.connected(options)).close()
            let client = try await story.open(options)
            let isReplaceable = plant != .directory || name.hasSuffix(".new")
            #expect((client.currentUser?.userID == "bob") == isReplaceable)
            await client.close()
            try expectNothingElsewhereHasChanged("\(plant) at \(name)")
        }
    }
}
