import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@MainActor
private final class ConnectionListener: ConnectionDelegate {
    private(set) var heard: [ConnectionEvent] = []

    func client(_ client: ChatClient, didReceive event: ConnectionEvent) { heard.append(event) }
}

/// Tests the sequences of a client's events, its log, and what it fetches in a limited time.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct HearingTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    @Test func eventsOfTheConnectionAndTheUserAreSequences() async throws {
        let client = try await story.open()
        let (connection, user) = (client.connectionEvents(), client.userEvents())
        try await client.connect(as: "bob")
        try await story.say("a")
        for await case .unreadCount(let count) in user
        where count.groupChannelUnreadMessageCount == 1 { break }
        await client.disconnect()
        await client.close()
        var heard: [ConnectionEvent] = []
        for await event in connection { heard.append(event) }
        #expect(heard == [.connected, .disconnected])
    }

    @Test func secondDelegateDoesNotReplaceTheFirst() async throws {
        let client = try await story.open()
        let listeners = (0..<3).map { _ in ConnectionListener() }
        for listener in listeners + listeners { client.addConnectionDelegate(listener) }
        client.removeConnectionDelegate(listeners[1])
        let events = client.connectionEvents()
        try await client.connect(as: "bob")
        for await event in events where event == .connected { break }
        #expect(listeners.map(\.heard) == [[.connected], [], [.connected]])
        // A delegate with a name replaces an earlier one of the same name.
        let named = (0..<2).map { _ in ConnectionListener() }
        for listener in named { client.addConnectionDelegate(listener, identifier: "log") }
        await client.disconnect()
        for await event in events where event == .disconnected { break }
        #expect(named.map(\.heard) == [[], [.disconnected]])
        await client.close()
    }

    @Test func uploadsAreASequence() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp("general")
        let uploads = client.uploads()
        let file = UploadableFile(Data(repeating: 7, count: 1000), name: "a.bin")
        let sent = try await client.send(NewMessage(files: [file]), in: "general")
        for await upload in uploads where upload.bytesTransferred == upload.bytesInAll {
            #expect(upload.requestID == sent.message.requestID && upload.bytesInAll == 1000)
            break
        }
        await client.close()
    }

    // MARK: The log

    @Test func logHasRequestsAndFailuresButNoTexts() async throws {
        let lines = Locked<[ChatClient.LogLine]>([])
        var options = story.options
        let (stream, continuation) = AsyncStream<ChatClient.LogLine>.makeStream()
        options.log = { line in
            lines.withLock { $0.append(line) }
            continuation.yield(line)
        }
        let client = try await story.connected(options)
        try await client.engine.caughtUp("general")
        story.network.failNext(of: [.send], with: BackendError(.refused, "no\nerror: \u{1B}[2J"))
        try await client.send("secret words", in: "general")
        var expected: [(ChatClient.LogLine.Level, String)] = [
            (.info, "the connection is online"),
            (.warning, #"failed, refused: no\nerror: \u{1B}[2J"#),
            (.error, "not sent, requestFailed"),
        ]
        for await line in stream {
            expected.removeAll { $0.0 == line.level && line.text.hasSuffix($0.1) }
            if expected.isEmpty { break }
        }
        await client.close()
        let shown = lines.withLock { $0.map(\.description) }
        #expect(shown.contains("info: the connection is online"))
        #expect(shown.contains { $0.hasPrefix("error general: ") })
        #expect(!shown.contains { $0.contains("secret") })
    }

    // MARK: Catching up

    /// Returns options with which a wait of 30 seconds ends when `end` is signaled or the task is
    /// canceled.
    private func options(until end: AsyncStream<Void>) -> ChatClientOptions {
        var options = story.options
        options.sleep = { duration in
            guard duration == .seconds(30) else { return }
            for await _ in end { return }
            try Task.checkCancellation()
        }
        return options
    }

    /// Returns a client that has the message "a".
    private func cachingOneMessage() async throws -> ChatClient {
        let client = try await story.connected()
        // The feed has begun, and reports the message.
        try await client.engine.caughtUp("general")
        try await story.say("a")
        try await story.until(client) { try $0.newestPosition(in: "general") != nil }
        return client
    }

    /// Catches up with a new client, whose time does not end.
    private func caughtUp() async -> CatchUpResult {
        let (end, isOver) = AsyncStream<Void>.makeStream()
        let client = ChatClient(
            backend: JitteryBackend.wrapping(story.network), options: options(until: end))
        let result = await client.catchUp(as: "bob", within: .seconds(30))
        await client.close()
        isOver.finish()
        return result
    }

    @Test func missedMessagesAreFetchedInTheBackground() async throws {
        let first = try await cachingOneMessage()
        await first.close()
        try await story.say("b c")
        let result = await caughtUp()
        #expect(result.isComplete && result.error == nil)
        #expect(result.messages.map(\.text) == ["b", "c"])
    }

    /// Another user's server may send a message dated in the future; that date may have passed when
    /// the app catches up.
    @Test(arguments: [5_000_000_200_000, 9_999_999_999_999] as [Timestamp])
    func messageOfTheFutureHidesNoMissedMessages(time: Timestamp) async throws {
        let first = try await cachingOneMessage()
        try first.engine.store.write { batch in
            var future = try #require(try batch.messages(in: "general").first)
            (future.messageID, future.createdAt) = ("future", time)
            try batch.save(future)
        }
        await first.close()
        story.device.advance(by: .seconds(300))
        try await story.say("b")
        #expect(await caughtUp().messages.map(\.text) == ["b"])
    }

    @Test func pushedMessageHidesNoMissedMessages() async throws {
        let first = try await cachingOneMessage()
        await first.disconnect()
        // The messages are later than the feed's last request.
        story.clock.advance(by: .seconds(5_000_003_600))
        story.device.advance(by: .seconds(3600))
        let missed = try await story.say("b c")
        #expect(try await first.ingest(push: [missed[1]]) == 1)
        await first.close()
        #expect(await caughtUp().messages.map(\.text) == ["b"])
    }

    @Test func catchingUpEndsInTime() async throws {
        let (end, isOver) = AsyncStream<Void>.makeStream()
        story.network.hold([.connect])
        let client = ChatClient(
            backend: JitteryBackend.wrapping(story.network), options: options(until: end))
        async let result = client.catchUp(as: "bob", within: .seconds(30))
        _ = await story.network.held(atLeast: 1)
        isOver.yield()
        let ended = await result
        #expect(!ended.isComplete && ended.error == nil && ended.messages.isEmpty)
        story.network.stopHolding()
        await client.close()
    }

    @Test func catchingUpReportsTheErrorOfTheServer() async throws {
        story.network.failAll(of: [.connect], with: BackendError(.notConnected, "no network"))
        let result = await caughtUp()
        #expect(!result.isComplete && result.error?.code == .notConnected)
    }
}
