import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests requests that wait in the outbox while there is no connection.
@Suite(.timeLimit(.minutes(10))) struct OfflineRequestTests {
    private func requests(_ story: Story) throws -> [OutboxItem] {
        try story.store.outboxItems().filter { $0.operation == .request }
    }

    private func unread(_ story: Story) throws -> Int? {
        try story.store.groupChannel("general")?.unreadMessageCount
    }

    @Test func lastReceiptOfAChannelWaitsForAConnection() async throws {
        let story = try await Story()
        try await story.say("a b")
        try await story.open()
        #expect(try unread(story) == 2)
        await story.engine.disconnect()
        for _ in 0..<3 { try await story.engine.perform(MarkAsRead("general")) }
        try await story.engine.perform(MarkAsDelivered("general"))
        #expect(try requests(story).map(\.requestName) == ["markAsRead", "markAsDelivered"])
        // The user has not seen this message.
        try await story.say("c")
        try await story.connect()
        try await story.engine.caughtUp()
        try await story.until {
            try $0.outboxItems().isEmpty && $0.groupChannel("general")?.unreadMessageCount == 1
        }
        try await story.end()
    }

    @Test func receiptIsSentAfterTheMessagesThatWereWrittenBeforeIt() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        try await story.engine.send(NewMessage("a"), in: "general")
        try await story.engine.perform(MarkAsRead("general"))
        #expect(try story.store.outboxItems().map(\.operation) == [.send, .request])
        try await story.connect()
        try await story.until { try $0.outboxItems().isEmpty }
        try await story.end()
    }

    @Test func refusedReceiptIsRemoved() async throws {
        let story = try await Story()
        try await story.open()
        let events = await story.engine.events()
        await story.engine.disconnect()
        try await story.engine.perform(MarkAsRead("general"))
        story.network.failNext(of: ["markAsRead"], with: BackendError(.refused, "no"))
        try await story.connect()
        for await case .deliveryResult(.failed(let item), _) in events {
            #expect(item.requestName == "markAsRead")
            break
        }
        #expect(try requests(story).isEmpty)
        try await story.end()
    }

    @Test func requestOfAnotherBuildIsKept() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        try story.store.write { batch in
            var item = OutboxItem(
                .request, requestID: "r", channelURL: "general", createdAt: story.device.now)
            item.requestName = "archiveChannel"
            item.requestParameters = "{}"
            try batch.save(item)
        }
        let engine = SyncEngine(store: story.store, backend: story.network, sleep: { _ in })
        try await engine.connect(as: Credentials("bob"))
        try await story.until { try $0.outboxItems().map(\.errorCode) == [.unknown] }
        #expect(
            try requests(story).first?.errorMessage == "this build knows no request archiveChannel")
        await engine.close()
        await story.close()
    }
}
