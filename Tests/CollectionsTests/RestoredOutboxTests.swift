import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

@testable import Collections

/// Tests a client whose outbox was replaced by an earlier copy, such as a backup.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RestoredOutboxTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    @Test(arguments: [nil, EncryptionKey()])
    func sentAndCanceledItemsAreNotSentAgain(key: EncryptionKey?) async throws {
        let options = story.options.encrypted(with: key)
        var client = try await story.connected(options)
        _ = try await client.startedCollection()
        await client.disconnect()
        try await client.send(NewMessage("sent"), in: "general")
        let canceled = try await client.send(NewMessage("canceled"), in: "general")
        await client.close()
        let outbox = story.directory(of: "bob", hidesUser: key != nil)
            .appending(path: "outbox")
        let backup = story.directory.appending(path: "backup")
        try FileManager.default.copyItem(at: outbox, to: backup)
        client = try await story.open(options)
        #expect(try await client.cancel(try #require(canceled.message.requestID)))
        try await client.connect(as: Credentials("bob"))
        try await story.until(client) { try $0.outboxItemCount() == 0 }
        await client.close()
        try FileManager.default.removeItem(at: outbox)
        try FileManager.default.moveItem(at: backup, to: outbox)

        client = try await story.connected(options)
        try await client.engine.caughtUp()
        #expect(client.storageDamage.outbox?.outboxLoss?.isRolledBack == true)
        #expect(client.storageDamage.sentences.count == 1)
        let store = try client.engine.store
        // The server has the message that was sent, so its item is removed.
        try await story.until(client) { try $0.outboxItemCount() == 1 }
        let left = try store.outboxItems()
        #expect(left.map { $0.message?.text } == ["canceled"])
        #expect(left.map(\.errorCode) == [.needsConfirmation] && left[0].isResendable)
        #expect(try store.messages(in: "general").map(\.text) == ["sent"])
        try await client.acknowledgeOutboxLoss()
        await client.close()
    }

    private func sent() async throws -> [String] {
        try await story.alice.messages(in: "general", at: .newest, older: 9, newer: 0)
            .messages.map(\.text)
    }

    /// The damaged record is the cancellation, or the edit.
    ///
    /// Without the file `CURRENT`, the outbox is rebuilt.
    @Test(arguments: [true, false], [true, false])
    func itemWhoseCancellationOrEditIsDamagedIsNotSent(
        isCanceled: Bool, isRebuilt: Bool
    ) async throws {
        let options = story.options.encrypted(with: EncryptionKey())
        var client = try await story.connected(options)
        _ = try await client.startedCollection()
        await client.disconnect()
        let log = try Log(in: story.directory(of: "bob", hidesUser: true))
        let quit = try await client.send(NewMessage("I quit"), in: "general")
        let id = try #require(quit.message.requestID)
        let begin = try log.size()
        if isCanceled {
            #expect(try await client.cancel(id))
        } else {
            var params = UserMessageUpdateParams()
            params.text = "I stay"
            try await client.update(quit.message, with: .text(params))
        }
        let end = try log.size()
        try await client.send(NewMessage("hello"), in: "general")
        await client.close()
        try log.damage(at: (begin + end) / 2)
        if isRebuilt { try log.removeCurrent() }

        client = try await story.connected(options)
        try await client.engine.caughtUp()
        #expect(client.storageDamage.outbox != nil)
        let items = try client.engine.store.outboxItems()
        #expect(items.map(\.errorCode) == [.needsConfirmation, .needsConfirmation])
        #expect(try await sent().isEmpty)
        // The user confirms the other item.
        try await client.resend(try #require(items.last?.requestID))
        try await story.until(client) { try $0.outboxItemCount() == 1 }
        #expect(try await sent() == ["hello"])
        await client.close()
    }
}

/// The newest log of an outbox.
private struct Log {
    private let url: URL

    init(in directory: URL) throws {
        let outbox = directory.appending(path: "outbox")
        let logs = try FileManager.default.contentsOfDirectory(atPath: outbox.path)
            .filter { $0.hasSuffix(".log") }.sorted()
        url = outbox.appending(path: try #require(logs.last))
    }

    func removeCurrent() throws {
        try FileManager.default.removeItem(
            at: url.deletingLastPathComponent().appending(path: "CURRENT"))
    }

    func size() throws -> Int { try Data(contentsOf: url).count }

    func damage(at offset: Int) throws {
        var bytes = try Data(contentsOf: url)
        bytes[offset] ^= 1
        try bytes.write(to: url)
    }
}
