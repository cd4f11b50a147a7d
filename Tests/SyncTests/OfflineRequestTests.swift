import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Sets the topic of a channel, whose name was `name` in version 1.
private struct SetTopic: OfflineRequest {
    typealias Answer = Void

    static let declaration = CallDeclaration("setTopic", "Sets a channel's topic.", version: 2)
    var topic: String
    var channelURL: ChannelURL

    static func example(_ names: ExampleNames) -> SetTopic {
        SetTopic(topic: "Cats", channelURL: names.channelURL)
    }
}

extension SetTopic {
    private enum KeysOfVersion1: CodingKey { case name }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        channelURL = try values.decode(ChannelURL.self, forKey: .channelURL)
        topic =
            try values.decodeIfPresent(String.self, forKey: .topic)
            ?? decoder.container(keyedBy: KeysOfVersion1.self).decode(String.self, forKey: .name)
    }
}

/// The topics that a server has received.
private final class Topics: Sendable {
    private let all = Locked<[String]>([])

    var received: [String] { all.withLock { $0 } }

    func append(_ topic: String) { all.withLock { $0.append(topic) } }
}

/// A backend that learns which requests the server supports when it connects.
private final class LearningBackend: ForwardingBackend {
    let base: any Backend
    private let learned = Locked(RequestHandlers())

    init(_ base: any Backend) { self.base = base }

    var requests: RequestHandlers { learned.withLock { $0 } }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        let session = try await base.connect(as: credentials)
        learned.withLock { $0 = base.requests }
        return session
    }
}

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

    /// The sender's server chooses the time of a message.
    @Test func waitingReceiptNamesNoMessageOfTheFuture() async throws {
        let story = try await Story()
        let sent = try await story.say("a")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        await story.engine.disconnect()
        try story.store.write { batch in
            try batch.save(
                Message(
                    id: "future", channelURL: "general", text: "x", createdAt: .distantFuture))
        }
        try await story.engine.perform(MarkAsRead("general"))
        let parameters = try #require(try requests(story).first?.requestParameters)
        let id = try #require(sent[0].messageID?.rawValue)
        #expect(parameters == #"{"channelURL":"general","messageID":\#(id),"upTo":2000}"#)
        await story.close()
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

    /// Adds an item to the outbox of bob's device, as another build would.
    private func save(
        _ name: String, version: Int = 1, _ parameters: String, in story: Story
    ) throws {
        try story.store.write { batch in
            var item = OutboxItem(
                .request, requestID: RequestID("\(name) \(version)"), channelURL: "general",
                createdAt: story.device.now)
            (item.requestName, item.requestParameters) = (name, parameters)
            item.requestVersion = version
            try batch.save(item)
        }
    }

    /// Another build, or another program, has written the item.
    ///
    /// An invitation never waits in the outbox.
    @Test(arguments: [
        ("archiveChannel", "{}"),
        (InviteUsers.name.rawValue, #"{"channelURL": "general", "userIDs": ["eve"]}"#),
    ])
    func requestThatThisBuildDoesNotQueueIsKept(name: String, parameters: String) async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        try save(name, parameters, in: story)
        let engine = try await story.relaunched()
        try await story.until { try $0.outboxItems().map(\.errorCode) == [.unknown] }
        #expect(
            try requests(story).first?.errorMessage
                == "this build does not support the request \(name)")
        await engine.close()
        await story.close()
    }

    /// Returns an engine of bob's device whose backend learns at `connect` that the server supports
    /// the request `SetTopic`, and the topics that the server has received.
    private func engineThatLearns(_ story: Story) -> (SyncEngine, Topics) {
        let topics = Topics()
        story.server.on(SetTopic.self) { request, _ throws(BackendError) in
            topics.append(request.topic)
        }
        return (story.restarted(backend: LearningBackend(story.server.client())), topics)
    }

    @Test func requestThatTheBackendLearnsWhenItConnectsIsSent() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        let (engine, topics) = engineThatLearns(story)
        try await engine.perform(SetTopic(topic: "Cats", channelURL: "general"))
        #expect(try requests(story).map(\.requestVersion) == [2])
        #expect(!engine.supports(SetTopic.self))
        try await engine.connect(as: Credentials("bob"))
        try await story.until { try $0.outboxItems().isEmpty }
        #expect(topics.received == ["Cats"])
        await engine.close()
        await story.close()
    }

    @Test func requestOfALowerVersionIsDecodedAndOneOfAHigherVersionIsKept() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.disconnect()
        try save("setTopic", version: 3, #"{"topic": "Birds", "channelURL": "general"}"#, in: story)
        try save("setTopic", version: 1, #"{"name": "Dogs", "channelURL": "general"}"#, in: story)
        let (engine, topics) = engineThatLearns(story)
        try await engine.connect(as: Credentials("bob"))
        try await story.until { try $0.outboxItems().map(\.errorCode) == [.unknown] }
        let kept = try #require(try requests(story).first)
        #expect(kept.requestVersion == 3)
        #expect(
            kept.errorMessage == "this build does not support version 3 of the request setTopic")
        #expect(topics.received == ["Dogs"])
        await engine.close()
        await story.close()
    }
}
