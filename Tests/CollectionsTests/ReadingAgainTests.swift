import Collections
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

/// Tests a collection that reads the store again while it has not applied all changes yet.
///
/// Each test writes without suspending the main actor, so no change is delivered between its
/// writes.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ReadingAgainTests {
    private let story: Story

    init() async throws { story = try await Story() }

    @Test func messageSentDuringALoadIsListedOnce() async throws {
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        let item = try story.store.outboxItem("b")
        try story.store.write { batch in
            try batch.save(.own("b", of: item), source: .eventMessageSent)
            try batch.removeOutboxItem(item.requestID, source: .eventMessageSent)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a b")
        #expect(view.notifications() == ["added b: eventMessageSent, succeeded"])
        await story.close()
    }

    @Test func messageDeletedDuringARequestStaysDeleted() async throws {
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        let item = try story.store.outboxItem("b")
        try story.store.write { try $0.save(.own("b", of: item), source: .eventMessageSent) }
        try story.store.write { batch in
            try batch.removeOutboxItem(item.requestID)
            try batch.removeMessage("own b", in: "general", source: .eventMessageDeleted)
            try batch.removeMessage("1", in: "general", source: .eventMessageDeleted)
        }
        try await view.isUpToDate()
        #expect(view.picture == "")
        #expect(view.notifications() == ["deleted a: eventMessageDeleted, succeeded"])
        await story.close()
    }

    /// The messages next to "d" are not known at first.
    ///
    /// When the cache receives them, the list shows at most a page of them, even if it had not yet
    /// shown "d".
    @Test(arguments: [(4, "a b c d"), (3, "… b c d"), (1, "… d")], [true, false])
    func separateMessageGetsItsNeighbors(
        _ page: (size: Int, picture: String), isShownBefore: Bool
    ) async throws {
        try story.store.write { try $0.save(GroupChannel.sample()) }
        let view = story.view(.cacheOnly, .sized(page.size))
        try story.store.write { try $0.save(.sample(4, text: "d"), source: .eventMessageSent) }
        if isShownBefore {
            try await view.isUpToDate()
            #expect(view.picture == "… d …")
        }

        try story.store.write { batch in
            for (index, text) in ["a", "b", "c"].enumerated() {
                try batch.save(.sample(index + 1, text: text))
            }
            try batch.cover("general", from: .beginning, through: .end)
        }
        try await view.isUpToDate()
        #expect(view.picture == page.picture)
        await story.close()
    }

    @Test func messageThatArrivesDuringTheStartOfAnEmptyViewIsShown() async throws {
        try story.store.write { try $0.save(GroupChannel.sample()) }
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        try story.store.write {
            try $0.save(.sample(1, text: "a"), source: .eventMessageReceived)
        }
        try await view.isUpToDate()
        #expect(view.picture == "… a …")
        #expect(view.notifications() == ["added a: eventMessageReceived, succeeded"])
        await story.close()
    }

    @Test func itemDiscardedDuringARereadIsReported() async throws {
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)
        let item = try story.store.outboxItem("b")
        await view.shows("a (b)")
        _ = view.notifications()

        try story.store.editOutOfSight()
        try story.store.write {
            try $0.removeOutboxItem(item.requestID, source: .localMessageCanceled)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a")
        #expect(
            view.notifications() == [
                "updated b: localMessageCanceled, canceled",
                "deleted b: localMessageCanceled, pending",
            ])
        await story.close()
    }

    @Test func messageDeletedInACallbackIsNotLoaded() async throws {
        try story.store.hold(["a", "b", "c", "d"])
        let view = story.view(.cacheOnly, .sized(2))
        #expect(view.picture == "… c d")
        view.onHearing = { line in
            guard line.hasPrefix("added e") else { return }
            _ = try? story.store.write { try $0.removeMessage("1", in: "general") }
        }

        try story.store.write {
            try $0.save(.sample(5, text: "e"), source: .eventMessageReceived)
        }
        try story.store.editOutOfSight()
        // The load applies all queued changes before it reads the page.
        try await view.collection.loadPrevious()
        #expect(view.picture == "b c d e")
        await story.close()
    }

    /// Simulates a crash after the sent message was stored and before its outbox item was removed.
    @Test func pendingAndSentCopyAreTwoRowsUntilAcknowledged() async throws {
        try story.store.hold(["a"])
        let item = try story.store.outboxItem("b")
        try story.store.write { try $0.save(.own("b", of: item)) }
        let view = story.view(.cacheOnly)
        #expect(view.picture == "a b (b)")

        try story.store.write { batch in
            var edited = Message.own("b", of: item)
            edited.text = "c"
            edited.updatedAt = Timestamp(milliseconds: 1_800_000_000_000)
            try batch.save(edited)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a c (b)")
        try story.store.write { batch in
            var edited = Message.own("b", of: item)
            edited.text = "d"
            edited.updatedAt = Timestamp(milliseconds: 1_800_000_000_001)
            try batch.save(edited)
            try batch.removeOutboxItem(item.requestID)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a d")
        await story.close()
    }

    @Test func channelLeftDuringALoadDoesNotReturn() async throws {
        try story.store.write { try $0.save(GroupChannel.sample("a")) }
        let view = story.list()
        try await view.load()
        #expect(view.picture == "a …")
        _ = view.notifications()

        // The store reports a change of everything when it is reopened, because another process may
        // have written the files.
        try story.store.suspend()
        try story.store.resume()
        let joined = CollectionEventSource.eventUserJoined
        try story.store.write { try $0.save(GroupChannel.sample("b"), source: joined) }
        try story.store.write { try $0.removeChannel("b", source: .eventUserLeft) }
        try story.store.write { try $0.save(GroupChannel.sample("c"), source: joined) }
        await view.until { view.picture == "c a …" || view.picture == "a c …" }
        #expect(view.notifications() == ["added c: eventUserJoined"])
        await story.close()
    }
}

extension Story {
    /// Returns a view of the cached rows without any recorded notification.
    @MainActor
    fileprivate func view(
        _ policy: InitPolicy, _ params: MessageListParams = MessageListParams()
    ) -> View {
        let view = view(params)
        view.collection.start(policy)
        _ = view.notifications()
        return view
    }
}

extension ChatStore {
    /// Caches messages of alice as the complete history of the channel.
    fileprivate func hold(_ texts: [String]) throws {
        try write { batch in
            try batch.save(GroupChannel.sample())
            for (index, text) in texts.enumerated() {
                try batch.save(.sample(index + 1, text: text))
            }
            try batch.cover("general", from: .beginning, through: .end)
        }
    }

    /// Writes an outbox item that edits a message outside of every view, which makes each view read
    /// the store again.
    fileprivate func editOutOfSight() throws {
        var item = OutboxItem()
        item.requestID = "edit"
        item.channelURL = "general"
        item.createdAt = 1
        item.operation = .update
        item.messageID = "out of sight"
        item.userMessageUpdateParams = UserMessageUpdateParams()
        try write { try $0.save(item) }
    }

    /// Writes a pending message.
    fileprivate func outboxItem(_ text: String) throws -> OutboxItem {
        let id = RequestID("request of \(text)")
        var message = Message(id: nil, channelURL: "general", text: text, createdAt: 1)
        message.requestID = id
        message.sendingStatus = .pending
        let item = OutboxItem(message, requestID: id)
        try write { try $0.save(item, source: .localMessagePendingCreated) }
        return item
    }
}

extension Message {
    /// Returns the server's message for an outbox item of bob.
    fileprivate static func own(_ text: String, of item: OutboxItem) -> Message {
        var message = Message.sample(5, from: "bob", text: text)
        message.messageID = MessageID("own \(text)")
        message.requestID = item.requestID
        return message
    }
}
