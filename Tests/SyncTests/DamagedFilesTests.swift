import EmbeddedServer
import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests sending files whose copy was damaged, or whose copying was interrupted by a crash.
@Suite(.timeLimit(.minutes(10))) struct DamagedFilesTests {
    enum Damage: CaseIterable, Sendable {
        case flipped, cut, emptied, extended, missing

        func apply(to file: URL) throws {
            var bytes = try Data(contentsOf: file)
            switch self {
            case .flipped: bytes[bytes.count / 2] ^= 1
            case .cut: bytes.removeLast()
            case .emptied: bytes = Data()
            case .extended: bytes.append(0)
            case .missing: return try FileManager.default.removeItem(at: file)
            }
            try bytes.write(to: file)
        }
    }

    // Computed, because the leak sanitizer does not find the bytes of a stored `Data`.
    private static var bytes: Data { Data((0..<10_000).map { UInt8($0 % 251) }) }
    private static let key = EncryptionKey((1...32).map { UInt8($0) })

    /// A device that is offline and whose store is in a directory.
    private struct Device {
        let directory: URL
        let disks: FailingDisks
        let story: Story
        let key: EncryptionKey?

        func file(_ name: String, _ bytes: Data = DamagedFilesTests.bytes) throws -> UploadableFile
        {
            let path = directory.appending(path: name)
            try bytes.write(to: path)
            return UploadableFile(path: path.path, name: name)
        }

        func send(_ files: UploadableFile...) async throws -> RequestID {
            let message =
                files.count == 1
                ? try await story.engine.send(
                    NewMessage(files: [files[0]]), in: "general", keepsCopies: true)
                : try await story.engine.send(
                    NewMessage(files: files), in: "general", keepsCopies: true)
            return try #require(message.requestID)
        }

        var store: URL { directory.appending(path: "store") }
        var files: URL { store.appending(path: "files") }

        func names() throws -> [String] {
            guard FileManager.default.fileExists(atPath: files.path) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
        }

        /// Returns the URL of an outbox item's copy of a file.
        func copy(_ id: RequestID, _ index: Int = 0) throws -> URL {
            let item = try #require(try story.store.outboxItem(id))
            return files.appending(path: try #require(item.fileCopy(at: index)).name)
        }
    }

    private func withDevice(
        _ key: EncryptionKey? = nil, _ body: (Device) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let disks = FailingDisks()
        let store = try disks.open(directory.url.appending(path: "store"), key: key)
        let story = try await Story(.exact, store: store)
        story.network.goOffline()
        try await body(Device(directory: directory.url, disks: disks, story: story, key: key))
        await story.engine.close()
        store.close()
    }

    // MARK: Damage

    @Test(arguments: Damage.allCases, [false, true])
    func itemWithADamagedCopyIsResentWithTheFile(damage: Damage, isEncrypted: Bool) async throws {
        try await withDevice(isEncrypted ? Self.key : nil) { device in
            let id = try await device.send(device.file("photo.jpg"))
            let text = try await device.story.write("after")
            try damage.apply(to: device.copy(id))
            device.story.network.goOnline()
            try await device.story.connect()
            let failed = try await device.story.engine.failed(id)
            #expect(failed.errorCode == .fileDamaged && failed.isResendable)
            #expect(failed.errorMessage?.contains("\"photo.jpg\"") == true)
            #expect(failed.message?.errorCode == .fileDamaged)
            // The damaged copy does not prevent the next message from being sent.
            _ = try await device.story.engine.sent(text)
            // Resending the unchanged item fails again.
            try await device.story.engine.resend(id)
            #expect(try await device.story.engine.failed(id).errorCode == .fileDamaged)
            #expect(try await device.story.texts() == ["after"])

            let new = Data(Self.bytes.reversed())
            let resent = try await device.story.engine.resend(
                id, replacing: [0: device.file("again.jpg", new)])
            #expect(resent.message?.file?.name == "again.jpg" && resent.state == .pending)
            // The item has a copy of the new file too, so the original can be removed.
            try FileManager.default.removeItem(at: device.directory.appending(path: "again.jpg"))
            let sent = try await device.story.engine.sent(id)
            #expect(try await device.story.alice.download(#require(sent.file)) == new)
            #expect(sent.file?.name == "again.jpg")
            #expect(try device.names() == [])
        }
    }

    @Test func oneOfSeveralFilesIsReplaced() async throws {
        try await withDevice { device in
            let files = try ["a", "b", "c"].map { try device.file($0, Data($0.utf8)) }
            let id = try await device.send(files[0], files[1], files[2])
            try Damage.flipped.apply(to: device.copy(id, 1))
            device.story.network.goOnline()
            try await device.story.connect()
            let failed = try await device.story.engine.failed(id)
            #expect(failed.errorMessage?.contains("file 2 of 3, \"b\"") == true)
            #expect(failed.indicesToUpload == [1, 2])
            try await device.story.engine.resend(
                id, replacing: [1: device.file("new", Data("new".utf8))])
            var found: [Data] = []
            for file in try await device.story.engine.sent(id).files {
                found.append(try await device.story.alice.download(file))
            }
            #expect(found == ["a", "new", "c"].map { Data($0.utf8) })
            #expect(try device.names() == [])
        }
    }

    @Test func unusableReplacementFileChangesNothing() async throws {
        try await withDevice { device in
            let id = try await device.send(device.file("a"))
            await #expect(throws: SyncError.self, "it has not failed") {
                try await device.story.engine.resend(id, replacing: [0: device.file("b")])
            }
            try Damage.missing.apply(to: device.copy(id))
            device.story.network.goOnline()
            try await device.story.connect()
            let failed = try await device.story.engine.failed(id)
            let wrong: [[Int: UploadableFile]] = try [
                [1: device.file("b")], [-1: device.file("b")],
                [0: UploadableFile(path: "/nowhere")],
                [0: UploadableFile(path: device.directory.path)], [0: UploadableFile()],
            ]
            for files in wrong {
                let error = await #expect(throws: SyncError.self) {
                    try await device.story.engine.resend(id, replacing: files)
                }
                #expect(error?.code == .invalidFile || error?.code == .invalidArgument)
                #expect(try device.story.store.outboxItem(id) == failed)
                #expect(try device.names() == [])
            }
            // With a full disk, the replacement fails, leaves no copy, and does not change the
            // item.
            device.disks.outbox.fail(at: 2, with: ENOSPC, once: true)
            let error = await #expect(throws: SyncError.self) {
                try await device.story.engine.resend(id, replacing: [0: device.file("b")])
            }
            #expect((error?.cause as? StoreError)?.code == .noSpace)
            device.disks.heal()
            #expect(try device.story.store.outboxItem(id) == failed && device.names() == [])
        }
    }

    /// A backend that sends the bytes that it has read, even if reading reports damage.
    private struct CarelessBackend: ForwardingBackend {
        let base: any Backend

        func upload(
            _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws(BackendError) -> FileInfo {
            var bytes = Data()
            do {
                let reader = try source.makeReader()
                while let piece = try reader.next(upTo: 100) { bytes += piece }
            } catch {}
            return try await base.upload(
                file, from: UploadSource(bytes), requestID: requestID, progress: progress)
        }
    }

    @Test func damagedCopyFailsTheItemWhateverTheBackendThrows() async throws {
        try await withDevice { device in
            let id = try await device.send(device.file("a"))
            try Damage.flipped.apply(to: device.copy(id))
            await device.story.engine.close()
            device.story.network.goOnline()
            let engine = SyncEngine(
                store: device.story.store, backend: CarelessBackend(base: device.story.network))
            try await engine.connect(as: Credentials("bob"))
            let failed = try await engine.failed(id)
            #expect(failed.errorCode == .fileDamaged)
            await engine.close()
            #expect(try await device.story.texts() == [])
        }
    }

    /// The copy is not damaged, but it cannot be read for a while, as on a locked device.
    @Test(arguments: [EIO, EACCES])
    func copyThatCannotBeReadNowIsSentLater(error: Int32) async throws {
        try await withDevice { device in
            let id = try await device.send(device.file("a"))
            device.disks.outbox.failReading(".copy", with: error)
            device.story.sleeper.hold()
            device.story.network.goOnline()
            try await device.story.connect()
            await device.story.sleeper.begun(1)
            #expect(try device.story.store.outboxItem(id)?.state == .pending)
            device.disks.heal()
            device.story.sleeper.stopHolding()
            let sent = try await device.story.engine.sent(id)
            #expect(try await device.story.alice.download(#require(sent.file)) == Self.bytes)
        }
    }

    // MARK: Reading a source

    @Test func uploadSourceIsReadPieceByPiece() throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let file = directory.url.appending(path: "a")
        try Self.bytes.write(to: file)
        for source in [UploadSource(Self.bytes), try UploadSource(contentsOf: file.path)] {
            #expect(source.byteCount == Self.bytes.count)
            for _ in 0..<2 {
                let reader = try source.makeReader()
                var pieces: [Data] = []
                while let piece = try reader.next(upTo: 4096) { pieces.append(piece) }
                #expect(pieces.map(\.count) == [4096, 4096, 1808])
                #expect(Data(pieces.joined()) == Self.bytes)
                #expect(try reader.next() == nil)
            }
            #expect(try source.data() == Self.bytes)
        }
        #expect(try UploadSource(Data()).data() == Data())
        #expect(throws: BackendError.self) { try UploadSource(contentsOf: "/nowhere") }
        #expect(throws: BackendError.self) {
            try UploadSource(contentsOf: directory.url.path).data()
        }
        // A device could be read for ever, and a pipe waited for. Foundation removes the slash.
        let pipe = directory.url.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in ["/dev/zero", "/dev/zero/", "/dev/./zero", pipe] {
            #expect(throws: BackendError.self) { try UploadSource(contentsOf: path) }
        }
        // A sparse file takes no space.
        let sparse = directory.url.appending(path: "sparse")
        try Data().write(to: sparse)
        try #require(truncate(sparse.path, 1 << 40) == 0)
        let source = try UploadSource(contentsOf: sparse.path)
        #expect(throws: BackendError.self) { try source.data() }
    }

    @Test func sourceEndsAtItsSize() throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let file = directory.url.appending(path: "a")
        try Data("abc".utf8).write(to: file)
        let source = try UploadSource(contentsOf: file.path)
        try Data("abcdef".utf8).write(to: file)
        #expect(try source.data() == Data("abc".utf8))
    }

    // MARK: Crashes

    /// Cuts the power at each change to the disk that `send` makes.
    ///
    /// If `send` returned before the power failure, the message must be sent with its file.
    @Test(arguments: [false, true])
    func copiedFileSurvivesAPowerFailure(isEncrypted: Bool) async throws {
        let key = isEncrypted ? Self.key : nil
        var isOver = false
        for change in 1... {
            if isOver { break }
            try await withDevice(key) { device in
                let start = device.disks.outbox.changes
                device.disks.outbox.cutPower(at: change)
                let id = try await device.send(device.file("a"))
                // If `send` returned after the power failure, it has promised nothing.
                let isPromised = device.disks.outbox.changes - start < change
                await device.story.engine.close()
                device.disks.cache.cutPower()
                device.story.store.close()
                try device.disks.loseUnsynced(in: device.store)

                let store = try ChatStore(at: device.store, encryptionKey: key)
                let isThere = try store.outboxItem(id) != nil
                #expect(isThere || !isPromised)
                device.story.network.goOnline()
                let engine = try await device.story.relaunched(store: store)
                if isThere {
                    let sent = try await engine.sent(id)
                    let found = try await device.story.alice.download(#require(sent.file))
                    #expect(found == Self.bytes)
                }
                try await engine.caughtUp()
                // If the crash left a copy, the copy is removed, too.
                #expect(try device.names() == [], "cut at \(change)")
                await engine.close()
                store.close()
                isOver = isPromised
            }
        }
    }

    /// Simulates a crash after the copy was created and before the outbox item was written, so the
    /// copy belongs to no item.
    @Test func orphanedCopyIsRemovedAndOthersStay() async throws {
        try await withDevice { device in
            let id = try await device.send(device.file("a"))
            await device.story.engine.close()
            let kept = try device.names()
            let orphan = String(repeating: "0", count: 32) + ".copy"
            try Data("orphan".utf8).write(to: device.files.appending(path: orphan))
            device.story.network.hold([.upload], at: .beforeEffect)
            device.story.network.goOnline()
            let engine = try await device.story.relaunched()
            try await device.story.held(1)
            #expect(try device.names() == kept)
            device.story.network.stopHolding()
            _ = try await engine.sent(id)
            await engine.close()
        }
    }
}
