import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Reactions on a server that returns messages without them.
@Suite(.timeLimit(.minutes(10))) struct SeparateReactionsTests {
    private let end = ShownRange(from: .beginning)

    private func story(_ words: String) async throws -> (Story, [Message]) {
        var conditions = ServerConditions()
        conditions.hasSeparateReactions = true
        let story = try await Story(.exact, conditions)
        return (story, try await story.say(words))
    }

    /// Returns the reactions to the stored messages, such as "a👍 b".
    private func reactions(_ story: Story) throws -> String {
        try story.store.read { reader in
            try reader.messages(in: "general").reversed().map { message in
                message.text + message.reactions.map { "\($0.key)\($0.count)" }.joined()
            }.joined(separator: " ")
        }
    }

    /// Shows the channel on the device, and waits until its reactions are requested.
    private func show(_ story: Story) async throws -> ChannelViewer {
        story.network.hold([.reactions])
        let viewer = story.engine.makeViewer(of: "general")
        viewer.show(end)
        try await story.held(1)
        return viewer
    }

    private func reactionCalls(_ story: Story) -> Int {
        story.network.log.count { $0.contains("reactions") }
    }

    @Test func reactionsOfShownMessagesAreFetchedOnce() async throws {
        let (story, messages) = try await story("a b c")
        try await story.react("x", to: messages[0])
        try await story.react("x", to: messages[2])
        try await story.open()
        #expect(try reactions(story) == "a b c")
        let viewer = try await show(story)
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try reactions(story) == "ax1 b cx1")
        // Neither a new message, nor another connection, nor scrolling causes another request.
        let count = reactionCalls(story)
        try await story.say("d")
        await story.engine.disconnect()
        try await story.connect()
        viewer.show(ShownRange(from: .beginning, to: .position(messages[1].position!)))
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        #expect(reactionCalls(story) == count)
        try await story.end()
    }

    @Test func pagesKeepTheReactionsThatAreStored() async throws {
        let (story, messages) = try await story("a b")
        try await story.open()
        try await story.react("x", to: messages[0])
        try await story.waitUntilNotified()
        #expect(try reactions(story) == "ax1 b")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        #expect(try reactions(story) == "ax1 b")
        try await story.edit(messages[0], to: "A")
        try await story.waitUntilNotified()
        #expect(try reactions(story) == "Ax1 b")
        try await story.end()
    }

    @Test(arguments: [CallPoint.beforeEffect, .afterEffect])
    func eventsThatArriveDuringTheRequestAreApplied(point: CallPoint) async throws {
        let (story, messages) = try await story("a b c")
        try await story.react("x", to: messages[0])
        try await story.react("y", to: messages[1])
        try await story.open()
        story.network.hold([.reactions], at: point)
        let viewer = story.engine.makeViewer(of: "general")
        viewer.show(end)
        try await story.held(1)
        try await story.unreact("x", to: messages[0])
        try await story.react("z", to: messages[1])
        try await story.delete(messages[2])
        try await story.waitUntilNotified()
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try reactions(story) == "a by1z1")
        _ = viewer
        try await story.end()
    }

    @Test func reactionsAreRequestedAgainAfterReconnecting() async throws {
        let (story, messages) = try await story("a b")
        try await story.react("x", to: messages[0])
        try await story.open()
        let viewer = try await show(story)
        await story.engine.disconnect()
        story.network.stopHolding()
        try await story.connect()
        try await story.until {
            try $0.message(messages[0].messageID!, in: "general")?.reactions.count == 1
        }
        #expect(try reactions(story) == "ax1 b")
        _ = viewer
        try await story.end()
    }

    @Test func reactionRemovedOnTheServerIsRemovedAfterTheCursorExpires() async throws {
        let (story, messages) = try await story("a b")
        try await story.react("x", to: messages[0])
        try await story.open()
        let viewer = try await show(story)
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try reactions(story) == "ax1 b")
        await story.engine.disconnect()
        try await story.unreact("x", to: messages[0])
        try story.server.expireCursors()
        try await story.connect()
        try await story.until {
            try $0.message(messages[0].messageID!, in: "general")?.reactions == []
        }
        _ = viewer
        try await story.end()
    }

    @Test func reactionsOfRepliesAreFetched() async throws {
        let (story, messages) = try await story("a")
        let replies = try await story.reply("b c", to: messages[0])
        try await story.say("d")
        try await story.react("x", to: replies[0])
        try await story.open()
        _ = try await story.engine.fetchReplies(
            to: messages[0].messageID!, in: "general", at: .newest, older: 9, newer: 0)
        try await story.engine.caughtUp("general")
        #expect(try reactions(story) == "a bx1 c d")
        try await story.end()
    }

    @Test(arguments: [BackendError.Code.refused, .notFound, .unsupported])
    func refusedReactionsDoNotStopTheBackfill(code: BackendError.Code) async throws {
        var conditions = ServerConditions()
        conditions.hasSeparateReactions = true
        let story = try await Story(.exact { $0.pageSize = 2 }, conditions)
        let messages = try await story.say("a b c d e f")
        try await story.react("x", to: messages[0])
        try await story.open()
        #expect(try story.picture() == "… e f")
        story.network.failAll(of: [.reactions], with: BackendError(code, "no"))
        let events = await story.engine.events()
        let viewer = story.engine.makeViewer(of: "general")
        viewer.show(ShownRange(from: .position(messages[4].position!)))
        for await case .failed("general", _) in events { break }
        let count = reactionCalls(story)
        // A new range of the viewer does not retry failed requests.
        viewer.show(end)
        try await story.sees("a b c d e f")
        try await story.waitUntilNotified()
        #expect(reactionCalls(story) == count)
        #expect(try reactions(story) == "a b c d e f")
        story.network.stopFailing()
        await story.engine.disconnect()
        try await story.connect()
        try await story.until {
            try $0.message(messages[0].messageID!, in: "general")?.reactions.count == 1
        }
        try await story.end()
    }

    @Test func shownReplyThatACallerReceivedIsRequestedOnce() async throws {
        let (story, messages) = try await story("a")
        let replies = try await story.reply("b", to: messages[0])
        try await story.open()
        await story.engine.close()
        let backend = RecordingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        story.network.hold([.reactions])
        let viewer = engine.makeViewer(of: "general")
        viewer.show(end)
        try await story.held(1)
        for _ in 1...2 {
            _ = try await engine.fetchReplies(
                to: messages[0].messageID!, in: "general", at: .newest, older: 9, newer: 0)
        }
        await engine.disconnect()
        story.network.stopHolding()
        backend.requests.withLock { $0 = [] }
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp("general")
        let requests = backend.requests.withLock { $0 }
        #expect(requests.map { $0.sorted() } == [[messages[0].messageID!, replies[0].messageID!]])
        _ = viewer
        await engine.close()
    }
}

/// A backend that records the IDs of the messages whose reactions are requested.
private final class RecordingBackend: ForwardingBackend {
    let base: any Backend
    let requests = Locked<[[MessageID]]>([])

    init(base: any Backend) { self.base = base }

    func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        requests.withLock { $0.append(messageIDs) }
        return try await base.reactions(of: messageIDs, in: channelURL)
    }
}
