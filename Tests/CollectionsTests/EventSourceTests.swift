import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests of the source that a change has: an action on this device, a live event, or an event that
/// the device missed while it was offline.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct EventSourceTests {
    // MARK: This device

    @Test func ownChangesHaveLocalSources() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        let collection = view.collection
        try await collection.send(NewMessage("a"))
        try await collection.send(NewMessage("b"))
        await view.shows("a b")
        await view.hears("updated b: eventMessageSent, succeeded")
        await story.engine.disconnect()
        let messages = collection.messages
        _ = view.notifications()

        try await collection.update(messages[0], with: .text("A"))
        try await collection.addReaction("+1", to: messages[0])
        let removal = try await collection.deleteReaction("+1", from: messages[0])
        try await collection.delete(messages[1])
        #expect(try await collection.cancel(removal.requestID))
        #expect(
            view.messageNotifications == [
                "updated A: localMessageUpdated, succeeded",
                "updated A: localReactionUpdated, succeeded",
                "updated A: localReactionUpdated, succeeded",
                "deleted b: localMessageDeleted, succeeded",
                "updated A: localMessageCanceled, succeeded",
            ])
        await story.close()
    }

    @Test func editOfAnUnsentMessageHasALocalSource() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        await story.engine.disconnect()
        let written = try await view.collection.send(NewMessage("a")).message
        _ = view.notifications()
        try await view.collection.update(written, with: .text("A"))
        #expect(view.messageNotifications == ["updated A: localMessageUpdated, pending"])
        await story.close()
    }

    /// The answer and the feed's event change only the time of the reaction, which the list shows
    /// already.
    @Test func ownReactionIsReportedOnce() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        let message = try #require(view.collection.messages.first)
        _ = view.notifications()
        let reaction = try await view.collection.addReaction("+1", to: message)
        _ = try await reaction.result
        try await story.waitUntilNotified()
        try await view.isUpToDate()
        #expect(view.messageNotifications == ["updated a: localReactionUpdated, succeeded"])
        #expect(view.collection.messages.first?.reactions.map(\.userIDs) == [["bob"]])
        try await story.end()
    }

    @Test func refusedChangeIsUndoneAsALocalFailure() async throws {
        let story = try await Story()
        let a = try await story.say("a")[0]
        try await story.open()
        let view = try await story.startedView()
        story.network.hold([.react])
        _ = view.notifications()
        try await view.collection.addReaction("+1", to: a)
        try await story.held(1)
        try await story.delete(a)
        await view.shows("")
        story.network.stopHolding()
        try await story.end()
        #expect(
            view.messageNotifications == [
                "updated a: localReactionUpdated, succeeded",
                "deleted a: eventMessageDeleted, succeeded",
            ])
    }

    /// The feed may deliver a message of the user before the server answers the send request.
    @Test func feedEventOfAnOwnMessageAcknowledgesIt() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        story.network.hold([.send], at: .afterEffect)
        try await view.collection.send(NewMessage("a"))
        await view.hears("updated a: eventMessageSent, succeeded")
        story.network.stopHolding()
        try await story.end()
        #expect(!view.messageNotifications.contains { $0.contains("eventMessageReceived") })
    }

    @Test func ownMessageUpdatesItsChannelAsASentOne() async throws {
        let story = try await Story()
        try await story.open()
        let list = ChannelView(
            GroupChannelCollection(query: GroupChannelListQuery(), engine: story.engine))
        try await list.load()
        let view = try await story.startedView()
        _ = (list.notifications(), view.notifications())
        _ = try await view.collection.send(NewMessage("a")).result
        await list.until { list.channels.first?.lastMessage?.text == "a" }
        #expect(list.notifications() == ["updated general: eventMessageSent"])
        try await story.say("b")
        await list.until { list.channels.first?.lastMessage?.text == "b" }
        #expect(list.notifications() == ["updated general: eventMessageReceived"])
        try await view.isUpToDate()
        #expect(
            view.heard.filter { $0.hasPrefix("channel") } == [
                "channel general: eventMessageSent", "channel general: eventMessageReceived",
            ])
        try await story.end()
    }

    // MARK: Live events and what was missed

    @Test func missedMessagesHaveASyncSourceAndLaterOnesAnEventSource() async throws {
        let story = try await Story.caching("a b c")
        let view = try await story.startedView()
        let shown = view.collection.messages
        _ = view.notifications()
        await story.engine.disconnect()
        try await story.edit(shown[0], to: "A")
        try await story.react("+1", to: shown[1])
        try await story.delete(shown[2])
        try await story.say("d")
        try await story.connect()
        await view.shows("A b d")
        try await story.engine.caughtUp("general")
        try await story.say("e")
        await view.shows("A b d e")
        let notifications = view.messageNotifications
        #expect(
            notifications.filter { $0.contains("event") } == [
                "added e: eventMessageReceived, succeeded"
            ])
        #expect(notifications.contains("added d: messageBackgroundSync, succeeded"))
        #expect(notifications.contains("updated A b: messageBackgroundSync, succeeded"))
        #expect(notifications.contains("deleted c: messageBackgroundSync, succeeded"))
        #expect(!CollectionEventSource.messageBackgroundSync.isFromEvent)
        #expect(CollectionEventSource.eventMessageReceived.isFromEvent)
        try await story.end()
    }

    @Test func missedMessagesUpdateTheirChannelOncePerBatch() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        await story.engine.disconnect()
        _ = view.notifications()
        try await story.say((0..<40).map { "m\($0)" }.joined(separator: " "))
        try await story.connect()
        try await story.engine.caughtUp("general")
        try await view.isUpToDate()
        let updates = view.heard.filter { $0.hasPrefix("channel general:") }
        #expect(updates == ["channel general: channelBackgroundSync"])
        try await story.end()
    }

    /// While the device is offline, one channel gets 400 messages, another gets one, and a third
    /// gets none.
    @Test func eachMissedChannelIsReportedOnceAfterAnAbsence() async throws {
        let story = try await ClientStory()
        try story.createChannel("random")
        try story.createChannel("quiet")
        let client = try await story.connected()
        try await client.engine.caughtUp()
        await client.disconnect()
        let listener = Listener()
        client.addChannelDelegate(listener)
        try await story.say((0..<400).map { "m\($0)" }.joined(separator: " "))
        try await story.say("a", in: "random")
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
        try await story.say("live", in: "random")
        await listener.hears("random +live")
        #expect(
            listener.heard.filter { !$0.contains("Receipt") } == [
                "general channelBackgroundSync", "random channelBackgroundSync", "random +live",
            ])
        await client.close()
    }

    @Test func channelThatWasLostOfflineIsReportedOnce() async throws {
        let story = try await ClientStory()
        let client = try await story.connected()
        try await client.engine.caughtUp()
        await client.disconnect()
        let listener = Listener()
        client.addChannelDelegate(listener)
        try await story.say("a")
        try await story.alice.perform(DeleteChannel("general"))
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
        await listener.hears("general channelBackgroundSync (removed)")
        #expect(listener.heard == ["general channelBackgroundSync (removed)"])
        await client.close()
    }

    /// After several failures in a row, the feed may have missed messages, although the connection
    /// lasted.
    @Test func messagesAfterSeveralFailuresOfTheFeedAreNoLongerLive() async throws {
        for (failures, source) in [
            (1, "eventMessageReceived"), (3, "messageBackgroundSync"),
        ] {
            let story = try await Story.caching("a")
            let view = try await story.startedView()
            // The network delivers "b" to the feed request that was sent before the failures begin.
            try await yieldUntil { story.network.callsInFlight.moving.contains(.feed) }
            story.network.failNext(failures, of: [.feed], with: BackendError(.unanswered, "lost"))
            try await story.say("b")
            await view.shows("a b")
            try await story.say("c")
            await view.shows("a b c")
            #expect(view.heard.contains("added c: \(source), succeeded"))
            try await story.end()
        }
    }

    // MARK: Changelogs

    @Test func omittedEditIsReportedAsChangelog() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        _ = view.notifications()
        story.limitFeed(1)
        await story.engine.disconnect()
        try await story.edit(view.collection.messages[0], to: "A")
        try await story.say("c d")
        try await story.connect()
        await view.shows("A b c d")
        #expect(view.heard.contains("updated A: messageChangelog, succeeded"))
        try await story.end()
    }

    @Test func channelReadFromTheChangelogIsReportedAsChangelog() async throws {
        let story = try await Story.caching("a")
        let list = ChannelView(
            GroupChannelCollection(
                query: GroupChannelListQuery(), userID: "bob", engine: story.engine))
        try await list.load()
        story.network.hold([.feed])
        _ = list.notifications()
        try await story.alice.perform(SetFrozen(true, for: "general"))
        try await story.held(1)
        _ = try await story.engine.channelChanges(since: .time(0))
        await list.until { list.heard.contains("updated general: channelChangelog") }
        story.network.stopHolding()
        try await story.end()
    }
}

extension View {
    /// The notifications about messages.
    fileprivate var messageNotifications: [String] { heard.filter { !$0.hasPrefix("channel") } }
}
