import EmbeddedServer
import Foundation
import Models
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

    /// Flips a bit of a text in the log file of the outbox.
    private func damage(_ text: String) throws {
        let outbox = place.appending(path: "outbox")
        for name in try FileManager.default.contentsOfDirectory(atPath: outbox.path)
        where name.hasSuffix(".log") {
            let log = outbox.appending(path: name)
            var bytes = try Data(contentsOf: log)
            guard let range = bytes.range(of: Data(text.utf8)) else { continue }
            bytes[range.lowerBound] ^= 1
            try bytes.write(to: log)
            return
        }
        Issue.record("The outbox's log does not have \(text).")
    }

    @Test func filesOfALostItemStayUntilTheAppDecides() async throws {
        var store = try ChatStore(at: place)
        let story = try await Story(.exact, store: store)
        story.network.goOffline()
        let path = directory.url.appending(path: "a.bin").path
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        var params = FileMessageCreateParams(UploadableFile(path: path))
        params.data = "lost with its file"
        _ = try await story.engine.send(params, in: "general", keepsCopies: true)
        let other = try await story.write("kept")
        await story.engine.close()
        store.close()
        let before = copies()
        #expect(before.count == 1)
        try damage("lost with its file")

        store = try ChatStore(at: place)
        #expect(store.openingReport.outboxLoss?.items.count == 1)
        story.network.goOnline()
        let engine = story.restarted(store: store)
        _ = try await engine.connect(as: Credentials("bob"))
        guard case .sent = try await engine.deliveryResult(of: other, in: "general") else {
            Issue.record("The item that can be read was not sent.")
            return
        }
        await engine.close()
        #expect(copies() == before)
        try store.acknowledgeOutboxLoss()
        let last = story.restarted(store: store)
        _ = try await last.connect(as: Credentials("bob"))
        try await last.caughtUp("general")
        await last.close()
        #expect(copies() == [])
        store.close()
        directory.remove()
    }
}
