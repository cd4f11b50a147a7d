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

/// Tests downloaded files that are kept on the device, and files of unsent messages.
@Suite(.timeLimit(.minutes(10))) @MainActor struct DownloadTests {
    private let story: ClientStory
    private let bytes = Data("canary-picture".utf8)

    init() async throws { story = try await ClientStory() }

    /// Sends a file that is not kept, and returns the sent message.
    private func sent(_ client: ChatClient) async throws -> (message: Message, file: FileInfo) {
        let sent = try await kept(client)
        try await client.removeDownloads()
        return sent
    }

    /// Sends a file, and returns the sent message.
    private func kept(_ client: ChatClient) async throws -> (message: Message, file: FileInfo) {
        var file = UploadableFile()
        file.data = bytes
        file.name = "canary-name.png"
        let outgoing = try await client.send(NewMessage(files: [file]), in: "general")
        guard case .sent(let message) = try await outgoing.result else {
            throw SyncError(.notFound, "the message was not sent")
        }
        return (message, try #require(message.file))
    }

    private var requestCount: Int {
        story.network.log.count { $0.contains(" download") && $0.hasSuffix(": answered") }
    }

    /// The number of kept files of all users.
    private func keptCount() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: story.directory.path).count {
            $0.contains("/downloads/") && $0.hasSuffix(".copy")
        }
    }

    // MARK: Keeping

    @Test(arguments: [false, true])
    func fileIsDownloadedOnceAndThenReadOffline(isEncrypted: Bool) async throws {
        let options = story.options.encrypted(with: isEncrypted ? EncryptionKey() : nil)
        let client = try await story.connected(options)
        let (_, file) = try await sent(client)
        for _ in 0..<2 { #expect(try await client.download(file) == bytes) }
        #expect(requestCount == 1)
        await client.close()

        story.network.goOffline()
        let again = try await story.open(options)
        #expect(try await again.download(file) == bytes)
        let other = FileInfo(url: "embedded://files/99")
        let error = await #expect(throws: SyncError.self) { try await again.download(other) }
        #expect(error?.code == .notConnected)
        await again.close()
        #expect(requestCount == 1)
        if isEncrypted { #expect(try story.readable(["canary-picture", file.url]) == []) }
    }

    @Test func fileIsNotDownloadedWithoutAUser() async throws {
        let client = try await story.open()
        let file = FileInfo(url: "embedded://files/1")
        let error = await #expect(throws: SyncError.self) { try await client.download(file) }
        #expect(error?.code == .noUser)
        await client.close()
    }

    @Test(arguments: [false, true])
    func sentFileIsNotDownloaded(isEncrypted: Bool) async throws {
        let options = story.options.encrypted(with: isEncrypted ? EncryptionKey() : nil)
        let client = try await story.connected(options)
        let (message, file) = try await kept(client)
        #expect(try keptCount() == 1)
        await client.close()
        story.network.goOffline()
        let again = try await story.open(options)
        #expect(try await again.download(file) == bytes)
        #expect(requestCount == 0)
        story.network.goOnline()
        try await again.connect(as: "bob")
        let id = try #require(message.messageID)
        _ = try await again.delete(.sent(id), in: "general").result
        #expect(try keptCount() == 0)
        await again.close()
    }

    @Test func sentFileAboveTheLimitIsNotKept() async throws {
        var options = story.options
        options.cacheLimits.downloadByteCount = bytes.count - 1
        let client = try await story.connected(options)
        _ = try await kept(client)
        #expect(try keptCount() == 0)
        await client.close()
    }

    /// Another message may have the URL with a wrong size, for which a backend refuses the request.
    @Test func fileOfAnotherSizeHasItsOwnRequest() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        var other = file
        other.size = 1
        for file in [other, file, other, file] {
            #expect(try await client.download(file) == bytes)
        }
        #expect(requestCount == 2)
        #expect(try keptCount() == 2)
        await client.close()
    }

    @Test func editThatReplacesAFileRemovesTheKeptOne() async throws {
        let client = try await story.connected()
        var (message, file) = try await sent(client)
        _ = try await client.download(file)
        #expect(try keptCount() == 1)
        message.file = FileInfo(url: "embedded://files/99")
        message.updatedAt = story.device.now
        try await client.ingest(push: [message])
        #expect(try keptCount() == 0)
        await client.close()
    }

    @Test func callsForTheSameFileShareOneRequest() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        story.network.hold([.download])
        let tasks = (0..<3).map { _ in Task { try await client.download(file) } }
        _ = await story.network.held(atLeast: 1)
        story.network.hold([])
        story.network.releaseAll()
        for task in tasks { #expect(try await task.value == bytes) }
        #expect(requestCount == 1)
        await client.close()
    }

    @Test func canceledDownloadIsRepeated() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        story.network.hold([.download])
        let task = Task { try await client.download(file) }
        _ = await story.network.held(atLeast: 1)
        task.cancel()
        let error = await #expect(throws: SyncError.self) { try await task.value }
        #expect(error?.code == .canceled)
        story.network.hold([])
        story.network.releaseAll()
        #expect(try await client.download(file) == bytes)
        await client.close()
    }

    @Test func closingEndsADownload() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        story.network.hold([.download])
        let task = Task { try await client.download(file) }
        _ = await story.network.held(atLeast: 1)
        await client.close()
        let error = await #expect(throws: SyncError.self) { try await task.value }
        #expect(error?.code == .closed)
        #expect(try keptCount() == 0)
    }

    @Test(arguments: [(0, 20 << 20), (10, 20 << 20), (400 << 20, 10)])
    func fileAboveALimitIsDownloadedEachTime(total: Int, one: Int) async throws {
        var options = story.options
        let client = try await story.connected(options)
        let (_, file) = try await sent(client)
        #expect(try await client.download(file) == bytes)
        #expect(try keptCount() == 1)
        await client.close()
        options.cacheLimits.downloadsByteCount = total
        options.cacheLimits.downloadByteCount = one
        let again = try await story.connected(options)
        if total == 10 { try await again.removeDownloads() }
        for _ in 0..<2 { #expect(try await again.download(file) == bytes) }
        #expect(requestCount == 3)
        #expect(try keptCount() == 0)
        await again.close()
    }

    @Test func fileThatCannotBeKeptIsReturned() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        let store = try client.engine.store
        let directory = try #require(store.directory)
        // Another program has left a directory that cannot be changed.
        let downloads = directory.appending(path: "downloads/new/x")
        try FileManager.default.createDirectory(at: downloads, withIntermediateDirectories: true)
        let parent = downloads.deletingLastPathComponent().deletingLastPathComponent().path
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: parent)
        #expect(try await client.download(file) == bytes)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: parent)
        await client.close()
    }

    // MARK: Removing

    enum Removal: CaseIterable, Sendable {
        case clearing, removing, loggingOut, loggingOutWithEverything, reencrypting
        case deletionByAnother, ownDeletion
    }

    @Test(arguments: Removal.allCases) func filesAreRemoved(by removal: Removal) async throws {
        let key = EncryptionKey()
        let options = story.options.encrypted(with: key)
        let client = try await story.connected(options)
        let (message, file) = try await sent(client)
        _ = try await client.download(file)
        #expect(try keptCount() == 1)
        switch removal {
        case .clearing: try await client.clearCachedData()
        case .removing: try await client.removeDownloads()
        case .loggingOut: try await client.logOut(wiping: .cachedData)
        case .loggingOutWithEverything: try await client.logOut(wiping: .everything)
        case .reencrypting:
            await client.close()
            try await ChatClient.reencrypt(options, to: EncryptionKey())
        case .deletionByAnother:
            try await story.delete(message)
            let id = try #require(message.messageID)
            try await story.until(client) { try $0.message(id, in: "general") == nil }
        case .ownDeletion: _ = try await client.delete(message).result
        }
        // The engine removes the files in the step that has written the deletion.
        _ = await (try? client.engine)?.credentials
        #expect(try keptCount() == 0)
        await client.close()
    }

    @Test func filesOfClearedMessagesStay() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        _ = try await client.download(file)
        try await client.clearCachedMessages(in: ["general"])
        #expect(try await client.download(file) == bytes)
        #expect(requestCount == 1)
        await client.close()
    }

    @Test func fileThatIsRemovedDuringItsDownloadIsNotKept() async throws {
        let client = try await story.connected()
        let (_, file) = try await sent(client)
        story.network.hold([.download])
        let task = Task { try await client.download(file) }
        _ = await story.network.held(atLeast: 1)
        try await client.removeDownloads()
        story.network.hold([])
        story.network.releaseAll()
        #expect(try await task.value == bytes)
        #expect(try keptCount() == 0)
        await client.close()
    }

    // MARK: Outgoing files

    @Test func filesOfAnUnsentMessageAreReadAfterARestart() async throws {
        let place = try ScratchDirectory.made()
        let (original, copied) = (
            place.url.appending(path: "original"), place.url.appending(path: "copied")
        )
        for url in [original, copied] { try bytes.write(to: url) }
        let client = try await story.connected()
        story.network.goOffline()
        var data = UploadableFile()
        data.data = Data([1, 2])
        let first = try await client.send(
            NewMessage(files: [data, UploadableFile(path: copied.path)]), in: "general",
            keepsCopies: true)
        let second = try await client.send(
            NewMessage(files: [
                UploadableFile(path: original.path), UploadableFile(url: "https://example.org/a"),
            ]), in: "general")
        await client.close()
        try FileManager.default.removeItem(at: copied)

        let again = try await story.open()
        let (held, other) = (first.delivery.requestID, second.delivery.requestID)
        #expect(try await again.outgoingFile(0, of: held) == Data([1, 2]))
        #expect(try await again.outgoingFile(1, of: held) == bytes)
        #expect(try await again.outgoingFile(0, of: other) == bytes)

        func code(_ index: Int, _ id: RequestID) async -> SyncError.Code? {
            let error = await #expect(throws: SyncError.self) {
                try await again.outgoingFile(index, of: id)
            }
            return error?.code
        }
        #expect(try await again.outgoingFile(0, of: "none") == nil)
        #expect(try await again.outgoingFile(2, of: held) == nil)
        #expect(try await again.outgoingFile(-1, of: held) == nil)
        #expect(await code(1, other) == .invalidFile)
        try FileManager.default.removeItem(at: original)
        #expect(await code(0, other) == .invalidFile)
        #expect(mkfifo(original.path, 0o600) == 0)
        #expect(await code(0, other) == .invalidFile)
        let store = try again.engine.store
        let files = try #require(store.directory).appending(path: "files")
        for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
            try Data("other-picture!".utf8).write(to: files.appending(path: name))
        }
        #expect(await code(1, held) == .invalidFile)
        await again.close()
        place.remove()
    }
}
