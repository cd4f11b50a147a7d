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
}
