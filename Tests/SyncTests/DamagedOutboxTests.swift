import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that a client with a damaged outbox sends the readable items and keeps the damaged files.
@Suite(.timeLimit(.minutes(10))) struct DamagedOutboxTests {
    private let directory: ScratchDirectory
    private let place: URL

    init() throws {
        directory = try ScratchDirectory.made()
        place = directory.url.appending(path: "store")
    }

    private func copies() -> [String] {
        let files = place.appending(path: "files").path
        return (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
    }

    @Test func filesOfALostItemStayUntilTheAppDecides() async throws {
        var store = try ChatStore(at: place)
        let story = try await Story(.exact, store: store)
        story.network.goOffline()
        let path = directory.url.appending(path: "a.bin").path
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        var params = NewMessage(files: [UploadableFile(path: path)])
        params.data = "lost with its file"
        _ = try await story.engine.send(params, in: "general", keepsCopies: true)
        let other = try await story.write("kept")
        await story.engine.close()
        store.close()
        let before = copies()
        #expect(before.count == 1)
        try LevelDBLog.damage("lost with its file", in: place.appending(path: "outbox"))

        store = try ChatStore(at: place)
        #expect(store.openingReport.outboxLoss?.items.count == 1)
        story.network.goOnline()
        let engine = try await story.relaunched(store: store)
        _ = try await engine.sent(other)
        await engine.close()
        #expect(copies() == before)
        try store.acknowledgeOutboxLoss()
        let last = try await story.relaunched(store: store)
        try await last.caughtUp("general")
        await last.close()
        #expect(copies() == [])
        store.close()
        directory.remove()
    }
}
