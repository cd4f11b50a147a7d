import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests the view of a thread, which has the same window, changes and delegate as the view of a
/// channel.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ThreadStoryTests {
    private let story: Story

    init() async throws { story = try await Story() }

    @Test func threadShowsTheRepliesToItsParentOnly() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a", to: parent)
        try await story.say("x")
        try await story.reply("b c", to: parent)
        try await story.sync()
        let view = story.threadView(of: parent)
        let start = view.collection.start()
        #expect(try start.cached == [])
        #expect(try await start.refreshed.map(\.text) == ["a", "b", "c"])
        #expect(view.picture == "a b c")
        #expect(view.collection.parentMessage?.text == "parent")

        try await story.reply("d", to: parent)
        try await story.say("y")
        await view.shows("a b c d")
        await view.hears("added d: eventMessageReceived, succeeded")
        try await view.isUpToDate()
        #expect(view.collection.messages.map(\.text) == ["a", "b", "c", "d"])
        try await story.end()
    }

    @Test func repliesAreLoadedByPageAlthoughTheChannelHasGaps() async throws {
        let parent = try await story.say("parent")[0]
        for word in ["a", "b", "c", "d", "e"] {
            try await story.reply(word, to: parent)
            try await story.say("x y z")
        }
        try await story.sync()
        let view = try await story.startedThread(of: parent, .sized(2))
        #expect(view.picture == "… d e")
        #expect(try await view.collection.loadPrevious().map(\.text) == ["b", "c"])
        #expect(view.picture == "… b c d e")
        #expect(try await view.collection.loadPrevious().map(\.text) == ["a"])
        #expect(view.picture == "a b c d e")
        #expect(!view.collection.hasPrevious)
        #expect(try story.picture().hasPrefix("…"))
        try await story.end()
    }

    @Test func repliesThatArriveBeforeTheFeedAreShownAndFetchedAgain() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a b", to: parent)
        story.network.hold([.feed])
        try await story.connect()
        let view = story.threadView(of: parent)
        #expect(try await view.collection.start().refreshed.map(\.text) == ["a", "b"])
        #expect(view.picture == "… a b …")
        let sent = try await view.collection.send(NewMessage("c"))
        _ = try await sent.result
        await view.shows("… a b c …")
        story.network.stopHolding()
        // The delegate is not told when only `hasPrevious` changes.
        try await yieldUntil { view.picture == "a b c" }
        #expect(!view.notifications().contains { $0.hasPrefix("deleted") })
        try await story.end()
    }

    @Test func completeChannelNeedsNoRequestForAThread() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a b", to: parent)
        try await story.open()
        story.network.hold([.replies])
        let view = try await story.startedThread(of: parent)
        #expect(view.picture == "a b")
        #expect(story.network.held.isEmpty)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func windowInTheMiddleOfAThreadGrowsInBothDirections() async throws {
        let parent = try await story.say("parent")[0]
        let replies = try await story.reply("a b c d e f", to: parent)
        try await story.sync()
        let view = try await story.startedThread(
            of: parent, at: .time(replies[2].createdAt), .sized(1, 2))
        #expect(view.picture == "… b c d …")
        try await view.collection.loadNext()
        #expect(view.picture == "… b c d e f")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b c d e f")
        try await story.end()
    }

    @Test func offlineThreadShowsWhatIsCached() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a b", to: parent)
        try await story.open()
        await story.engine.disconnect()
        let view = story.threadView(of: parent)
        let start = view.collection.start()
        #expect(try start.cached.map(\.text) == ["a", "b"])
        #expect(view.picture == "a b")
        await expectError(.notConnected) { try await start.refreshed }
        await story.close()
    }

    @Test func sentReplyIsPendingInTheThreadThenSent() async throws {
        let (parent, _, view) = try await story.startThread("a", isKnown: true)
        await story.engine.disconnect()
        try await view.collection.send(NewMessage("b"))
        #expect(view.picture == "a (b)")
        #expect(view.collection.pendingMessages.map(\.text) == ["b"])
        _ = try await story.write("not in the thread")
        #expect(view.picture == "a (b)")
        try await story.connect()
        await view.shows("a b")
        try await story.until { reader in
            try reader.pendingMessages(in: "general").isEmpty
                && reader.message(parent.messageID!, in: "general")?.threadInfo?.replyCount == 2
        }
        try await story.end()
    }

    @Test func failedReplyIsInTheThreadAndIsRemovedWithoutThoseOfTheChannel() async throws {
        let view = try await story.startThread("a", isKnown: true).view
        story.network.failNext(2, of: [.send], with: BackendError(.refused, "no"))
        let other = try await story.engine.send(NewMessage("other"), in: "general")
        try await view.collection.send(NewMessage("b"))
        await view.shows("a !b")
        #expect(view.collection.failedMessages.map(\.text) == ["b"])
        try await story.until { try $0.failedMessages(in: "general").count == 2 }
        #expect(try await view.collection.discardAllFailedItems().count == 1)
        #expect(view.picture == "a")
        #expect(
            try story.store.read { try $0.failedMessages(in: "general").map(\.requestID) }
                == [other.requestID])
        await story.close()
    }

    @Test func omittedRepliesAreFetchedAfterAnAbsence() async throws {
        let (parent, replies, view) = try await story.startThread("a b", isKnown: true)
        #expect(view.picture == "a b")
        story.limitFeed(1)
        story.network.hold([.replies, .messages, .messageChanges])

        await story.engine.disconnect()
        try await story.edit(replies[0], to: "A")
        try await story.reply("c d e f", to: parent)
        try await story.connect()
        await view.shows("a b ~ f …")
        story.network.stopHolding()
        await view.shows("A b c d e f")
        try await story.end()
    }

    /// The newest messages of the channel are not cached, so the channel has a gap there before and
    /// after the omission.
    @Test func omissionIsNoticedInAChannelThatIsNotKnown() async throws {
        let parent = try await story.say("parent")[0]
        let replies = try await story.reply("a b", to: parent)
        try await story.say("x")
        try await story.sync()
        let view = try await story.startedThread(of: parent)
        #expect(view.picture == "a b")
        #expect(try story.picture().hasSuffix("~"))
        story.limitFeed(1)

        await story.engine.disconnect()
        try await story.delete(replies[0])
        try await story.reply("c d e", to: parent)
        try await story.connect()
        await view.shows("b c d e")
        #expect(!view.collection.hasNext)
        try await story.end()
    }

    @Test func repliesAreFetchedAgainAfterAnOmissionDuringTheRequest() async throws {
        let (parent, _, view) = try await story.startThread("a b")
        story.limitFeed(1)
        story.network.hold([.replies])
        await story.engine.disconnect()
        try await story.reply("c d e", to: parent)
        try await story.connect()
        await view.shows("a b ~ e …")
        _ = try await story.held(1)
        try await story.engine.caughtUp()
        try story.store.write { try $0.open(Gap(in: "general")) }
        try await view.isUpToDate()
        story.network.stopHolding()
        await view.shows("a b c d e")
        #expect(!view.collection.hasNext)
        try await story.end()
    }

    @Test func manyOmittedRepliesAreFetchedInPages() async throws {
        story.server.conditions.pageLimit = 2
        let (parent, _, view) = try await story.startThread("a b")
        #expect(view.picture == "a b")
        story.limitFeed(1)
        await story.engine.disconnect()
        try await story.reply("c d e f g h i", to: parent)
        try await story.connect()
        await view.shows("a b c d e f g h i")
        try await story.end()
    }

    @Test func gapOfAThreadStaysUntilItIsFilled() async throws {
        let (parent, _, view) = try await story.startThread("a b")
        story.limitFeed(1)
        await story.engine.disconnect()
        try await story.reply("c d e", to: parent)
        story.network.failAll(of: [.replies], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        await view.shows("a b ~ e …")
        try await story.engine.caughtUp()
        #expect(view.picture == "a b ~ e …")
        story.network.stopFailing()
        let gap = try #require(view.items.first { $0.gap != nil }?.gap)
        #expect(try await view.collection.fill(gap) == nil)
        #expect(view.picture == "a b c d e")
        try await story.end()
    }

    @Test func editsAndDeletionsOfRepliesAreShown() async throws {
        let (_, replies, view) = try await story.startThread("a b", isKnown: true)
        try await story.edit(replies[0], to: "A")
        await view.shows("A b")
        try await story.delete(replies[1])
        await view.shows("A")
        await view.hears("deleted b: eventMessageDeleted, succeeded")
        try await story.end()
    }

    @Test func parentIsFollowedAndItsDeletionEndsTheThread() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a", to: parent)
        try await story.sync()
        let view = try await story.startedThread(of: parent, .sized(1))
        try await story.edit(parent, to: "Parent")
        await view.hears("parent Parent: eventMessageUpdated")
        #expect(view.collection.parentMessage?.text == "Parent")
        try await story.delete(parent)
        await view.hears("parent deleted: eventMessageDeleted")
        #expect(view.collection.isParentMessageDeleted)
        #expect(view.picture == "a")
        #expect(!view.collection.hasPrevious)
        await expectError(.notFound) {
            try await view.collection.loadPrevious()
        }
        await story.close()
    }

    @Test func threadOfAMissingParentDoesNotStart() async throws {
        let parent = try await story.say("parent")[0]
        try await story.delete(parent)
        try await story.connect()
        let view = story.threadView(of: parent)
        await expectError(.notFound) {
            try await view.collection.start().refreshed
        }
        #expect(view.collection.isParentMessageDeleted)
        await story.close()
    }

    @Test func evictedParentDoesNotEndTheThread() async throws {
        let view = try await story.startThread("a b", isKnown: true).view
        try story.store.write { try $0.evictOldestMessages(1, in: "general") }
        try await view.isUpToDate()
        #expect(!view.collection.isParentMessageDeleted)
        #expect(view.picture.hasSuffix("a b"))
        try await story.end()
    }

    @Test func releasedThreadIsNotKeptByItsRequests() async throws {
        let parent = try await story.say("parent")[0]
        try await story.reply("a", to: parent)
        try await story.open()
        story.network.hold([.replies, .messages, .messageChanges])
        weak var released: MessageCollection?
        do {
            let view = try await story.startedThread(of: parent)
            released = view.collection
            story.limitFeed(1)
            await story.engine.disconnect()
            try await story.reply("b c d", to: parent)
            try await story.connect()
            await view.until { $0.picture.hasSuffix("d …") }
        }
        #expect(released == nil)
        story.network.stopHolding()
        await story.close()
    }
}

extension Story {
    /// Sends a message with replies of one word each, and shows the replies in a view on bob's
    /// device.
    ///
    /// If `isKnown`, the device first fetches the channel's newest messages.
    @MainActor
    func startThread(
        _ words: String, isKnown: Bool = false
    ) async throws -> (parent: Message, replies: [Message], view: View) {
        let parent = try await say("parent")[0]
        let replies = try await reply(words, to: parent)
        if isKnown { try await open() } else { try await sync() }
        return (parent, replies, try await startedThread(of: parent))
    }

    @MainActor
    func threadView(
        of parent: Message, at point: StartingPoint = .latest,
        _ params: ThreadedMessageListParams = ThreadedMessageListParams()
    ) -> View {
        View(
            MessageCollection(
                ofRepliesTo: parent.messageID!, in: parent.channelURL, startingPoint: point,
                params: params, userID: "bob", engine: engine))
    }

    /// Returns a view of a thread after it shows the same replies as the server.
    @MainActor
    func startedThread(
        of parent: Message, at point: StartingPoint = .latest,
        _ params: ThreadedMessageListParams = ThreadedMessageListParams()
    ) async throws -> View {
        let view = threadView(of: parent, at: point, params)
        _ = try await view.collection.start().refreshed
        return view
    }
}

extension ThreadedMessageListParams {
    fileprivate static func sized(
        _ previous: Int, _ next: Int = 0
    ) -> ThreadedMessageListParams {
        var params = ThreadedMessageListParams()
        params.previousResultSize = previous
        params.nextResultSize = next
        return params
    }
}
