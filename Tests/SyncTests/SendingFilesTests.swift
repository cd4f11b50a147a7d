import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests messages with files that bob sends.
@Suite(.timeLimit(.minutes(10))) struct SendingFilesTests {
    let bytes = Data((0..<1000).map { UInt8($0 % 251) })

    /// Runs a test with a device whose store is in a directory, and removes the directory
    /// afterwards.
    func withStory(
        _ conditions: ServerConditions = ServerConditions(),
        _ body: (Story, URL) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory.made()
        let store = try ChatStore(at: directory.url.appending(path: "store"))
        let story = try await Story(.exact, store: store, conditions)
        try await body(story, directory.url)
        store.close()
        directory.remove()
    }

    func copies(_ directory: URL) -> [String] {
        let files = directory.appending(path: "store/files").path
        return (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
    }

    @Test func fileIsUploadedBeforeItsMessageIsSent() async throws {
        try await withStory { story, _ in
            try await story.open()
            var file = UploadableFile()
            file.data = bytes
            file.name = "a.bin"
            let (_, changes) = try story.store.observe(.outboxItems)
            let message = try await story.engine.send(NewMessage(files: [file]), in: "general")
            #expect(message.sendingStatus == .pending && message.file?.size == 1000)
            let id = try #require(message.requestID)
            let sent = try await story.engine.sent(id)
            let found = try await story.alice.download(#require(sent.file))
            #expect(found == bytes)
            let reported = changes.drain().flatMap(\.operations).contains {
                if case .ephemeral(.uploadProgress(id, "general", bytes: 1000, total: 1000)) = $0 {
                    true
                } else {
                    false
                }
            }
            #expect(reported)
            try await story.end()
        }
    }

    /// When the item is canceled, the upload ends, the copy of the file is removed, and the next
    /// items are sent.
    @Test func cancelingAnItemEndsItsUpload() async throws {
        try await withStory { story, directory in
            try await story.open()
            story.network.hold([.upload], at: .beforeEffect)
            let path = directory.appending(path: "a.bin").path
            try bytes.write(to: URL(filePath: path))
            let params = NewMessage(files: [UploadableFile(path: path)])
            let file = try #require(
                try await story.engine.send(params, in: "general", keepsCopies: true).requestID)
            try await story.held(1)
            let b = try await story.write("b")
            #expect(try await story.engine.cancel(file))
            #expect(try await story.engine.deliveryResult(of: file, in: "general") == .canceled)
            _ = try await story.engine.deliveryResult(of: b, in: "general")
            while !story.network.held.isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(copies(directory) == [])
            #expect(try story.store.outboxItem(file) == nil)
            try await story.sees("b")
            story.network.stopHolding()
            try await story.end()
            #expect(try await story.texts() == ["b"])
        }
    }

    /// A backend that returns no URL of an uploaded file.
    private struct NamelessBackend: ForwardingBackend {
        let base: any Backend

        func upload(
            _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws(BackendError) -> FileInfo {
            FileInfo(url: "")
        }
    }

    @Test func uploadWithoutAURLFails() async throws {
        let story = try await Story()
        let engine = try await story.relaunched(backend: NamelessBackend(base: story.network))
        var file = UploadableFile()
        file.data = Data([1])
        try await engine.send(NewMessage(files: [file]), in: "general")
        try await story.until { try $0.outboxItems().first?.state == .failed }
        #expect(try story.store.outboxItems().first?.errorCode == .malformedData)
        await engine.close()
        await story.close()
    }

    /// If one file's answer is lost, the engine repeats only the upload of this file.
    @Test func uploadWithALostAnswerIsRepeated() async throws {
        try await withStory { story, _ in
            try await story.open()
            story.network.failNext(
                of: [.upload], with: BackendError(.unanswered, "lost"), at: .afterEffect)
            let files = (0..<2).map { number in
                var file = UploadableFile()
                file.data = Data([UInt8(number)])
                return file
            }
            let id = try #require(
                try await story.engine.send(
                    NewMessage(files: files), in: "general"
                ).requestID)
            let sent = try await story.engine.sent(id)
            #expect(sent.files.count == 2)
            let uploads = story.network.log.filter { $0.contains(" upload") }
            // The log has one or two lines for each call. The call's number is the first word.
            #expect(Set(uploads.map { $0.prefix { $0 != " " } }).count == 3, "\(uploads)")
            try await story.end()
        }
    }

    /// A directory cannot be sent, with or without a copy.
    ///
    /// The outbox gets no item for it.
    @Test(arguments: [true, false])
    func sendingSomethingOtherThanAFileIsRefused(keepsCopies: Bool) async throws {
        try await withStory { story, directory in
            story.network.goOffline()
            let link = directory.appending(path: "link").path
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: directory.path)
            let paths = [
                (directory.path, "is a directory: only files can be sent"),
                (link, "is a directory: only files can be sent"),
                ("/dev/null", "is not a regular file: only files can be sent"),
            ]
            for (path, message) in paths {
                for count in 1...2 {
                    let files = Array(repeating: UploadableFile(path: path), count: count)
                    let error = await #expect(throws: SyncError.self) {
                        count == 1
                            ? try await story.engine.send(
                                NewMessage(files: [files[0]]), in: "general",
                                keepsCopies: keepsCopies)
                            : try await story.engine.send(
                                NewMessage(files: files), in: "general",
                                keepsCopies: keepsCopies)
                    }
                    #expect(error?.code == .invalidFile)
                    #expect(error?.message == "\(path) \(message)")
                }
            }
            #expect(try story.store.outboxItemCount() == 0)
            #expect(copies(directory) == [])
            await story.close()
        }
    }

    @Test func targetOfALinkIsCopied() async throws {
        try await withStory { story, directory in
            story.network.goOffline()
            let path = directory.appending(path: "a.bin").path
            let link = directory.appending(path: "link").path
            try bytes.write(to: URL(filePath: path))
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: path)
            let message = try await story.engine.send(
                NewMessage(files: [UploadableFile(path: link)]), in: "general",
                keepsCopies: true)
            try FileManager.default.removeItem(atPath: path)
            story.network.goOnline()
            try await story.connect()
            let sent = try await story.engine.sent(#require(message.requestID))
            let found = try await story.alice.download(#require(sent.file))
            #expect(found == bytes)
            await story.close()
        }
    }

    /// A backend may report progress from its own thread, late and out of order.
    @Test func progressOfAnUploadGrowsAndEndsWithIt() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")
        let backend = LateProgressBackend(server.client())
        let engine = SyncEngine(store: try ChatStore.inMemory(), backend: backend)
        try await engine.connect(as: Credentials("bob"))
        let (_, changes) = try engine.store.observe(.outboxItems)
        var file = UploadableFile()
        file.data = bytes
        let id = try #require(
            try await engine.send(NewMessage(files: [file]), in: "general").requestID)
        _ = try await engine.deliveryResult(of: id, in: "general")
        backend.reportsLate()
        let reported = changes.drain().flatMap(\.operations).compactMap { operation -> Int? in
            guard case .ephemeral(.uploadProgress(_, _, let bytes, _)) = operation else {
                return nil
            }
            return bytes
        }
        #expect(reported == [250, 1000])
        await engine.close()
    }

    /// The file is larger than the memory of the device: only the backend reads it.
    @Test func largeFileIsReadPieceByPiece() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let byteCount = 1 << 36
        let url = directory.url.appending(path: "large.bin")
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(byteCount))
        try handle.close()
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")
        server.conditions.maximumFileByteCount = .max
        let backend = ThreePieceBackend(server.client())
        let engine = SyncEngine(store: try ChatStore.inMemory(), backend: backend)
        try await engine.connect(as: Credentials("bob"))
        let message = NewMessage(files: [UploadableFile(url)])
        let id = try #require(try await engine.send(message, in: "general").requestID)
        let sent = try await engine.sent(id)
        #expect(sent.file?.size == byteCount)
        #expect(backend.pieces.withLock { $0 } == [65_536, 65_536, 65_536])
        await engine.close()
    }

    @Test func missingFileFailsTheItem() async throws {
        try await withStory { story, directory in
            story.network.goOffline()
            let path = directory.appending(path: "a.bin").path
            try bytes.write(to: URL(filePath: path))
            let params = NewMessage(files: [UploadableFile(path: path)])
            let message = try await story.engine.send(params, in: "general")
            try FileManager.default.removeItem(atPath: path)
            story.network.goOnline()
            try await story.connect()
            let id = try #require(message.requestID)
            _ = try await story.engine.failed(id)
            #expect(try story.store.failedMessages(in: "general").map(\.requestID) == [id])
            await story.close()
        }
    }

    @Test func tooLargeFileIsRefusedBeforeItIsRead() async throws {
        var conditions = ServerConditions()
        conditions.maximumFileByteCount = 999
        try await withStory(conditions) { story, _ in
            try await story.open()
            var file = UploadableFile()
            file.data = bytes
            let params = NewMessage(files: [file])
            await #expect(throws: SyncError.self) {
                try await story.engine.send(params, in: "general")
            }
            #expect(try story.store.outboxItemCount() == 0)
            try await story.end()
        }
    }

    @Test func uploadedFileIsNotUploadedTwice() async throws {
        try await withStory { story, _ in
            try await story.open()
            story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
            var file = UploadableFile()
            file.data = bytes
            let message = try await story.engine.send(NewMessage(files: [file]), in: "general")
            let id = try #require(message.requestID)
            let item = try await story.engine.failed(id)
            #expect(item.indicesToUpload == [])
            try await story.engine.resend(id)
            _ = try await story.engine.deliveryResult(of: id, in: "general")
            let uploads = story.network.log.filter { $0.contains(" upload") }
            #expect(uploads.count == 1 && uploads[0].contains("answered"), "\(uploads)")
            try await story.end()
        }
    }
}

/// A backend that reports the progress of an upload out of order, and again after the upload has
/// ended.
private final class LateProgressBackend: ForwardingBackend {
    let base: any Backend
    private let late = Locked<[@Sendable () -> Void]>([])

    init(_ base: any Backend) { self.base = base }

    func reportsLate() {
        for report in late.withLock({ $0 }) { report() }
    }

    func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        late.withLock { late in
            late.append { progress(TransferProgress(bytesTransferred: 2000, bytesInAll: 2000)) }
        }
        for count in [250, 100, 250, 1000] {
            progress(TransferProgress(bytesTransferred: count, bytesInAll: 1000))
        }
        return try await base.upload(file, from: source, requestID: requestID) { _ in }
    }
}

/// A backend that reads three pieces of each file, and says that it has the whole file.
private final class ThreePieceBackend: ForwardingBackend {
    let base: any Backend
    let pieces = Locked<[Int]>([])

    init(_ base: any Backend) { self.base = base }

    func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        let reader = try source.makeReader()
        for _ in 0..<3 {
            guard let piece = try reader.next() else { break }
            pieces.withLock { $0.append(piece.count) }
        }
        var info = FileInfo()
        (info.url, info.name, info.size) = ("https://example.org/1", file.name, source.byteCount)
        return info
    }
}
