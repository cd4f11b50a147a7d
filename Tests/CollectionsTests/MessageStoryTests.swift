import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests what a view of a channel shows, from the first start of the app until the user returns
/// after a day.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct MessageStoryTests {
    @Test func unknownChannelIsFetchedFromTheServer() async throws {
        let story = try await Story()
        try await story.say("a b c")
        story.network.hold([.messages])
        try await story.sync()
        let view = story.view()

        let start = view.collection.start()
        #expect(try start.cached == [])
        #expect(view.picture == "…")
        story.network.stopHolding()
        #expect(try await start.refreshed.map(\.text) == ["a", "b", "c"])
        #expect(view.picture == "a b c")
        try await story.end()
    }

    /// The first synchronization of a device with many channels may take longer than a page.
    @Test func pageThatArrivesBeforeTheFeedIsShownWithGaps() async throws {
        let story = try await Story()
        try await story.say("a b c d e f")
        story.network.hold([.feed])
        try await story.connect()
        let view = story.view(.sized(3))

        #expect(try await view.collection.start().refreshed.map(\.text) == ["d", "e", "f"])
        #expect(view.picture == "… d e f …")
        #expect(try await view.collection.loadPrevious().map(\.text) == ["a", "b", "c"])
        #expect(view.picture == "… a b c d e f …")
        #expect(story.network.log.count { $0.contains(" messages general: answered") } == 3)
        _ = try await view.collection.send(NewMessage("g")).result
        await view.shows("… a b c d e f g …")
        story.network.stopHolding()
        // The delegate is not told when only `hasPrevious` changes.
        try await yieldUntil { view.picture == "a b c d e f g" }
        #expect(!view.notifications().contains { $0.hasPrefix("deleted") })
        try await story.end()
    }

    @Test func olderMessagesComeFromTheCacheAndThenFromTheServer() async throws {
        let story = try await Story()
        try await story.say("a b c d e f g")
        try await story.sync()
        let view = try await story.startedView(.sized(2))
        #expect(view.picture == "… f g")

        #expect(try await view.collection.loadPrevious().map(\.text) == ["d", "e"])
        #expect(view.picture == "… d e f g")
        _ = try await view.collection.loadPrevious()
        #expect(try await view.collection.loadPrevious().map(\.text) == ["a"])
        #expect(view.picture == "a b c d e f g")
        #expect(!view.collection.hasPrevious)
        #expect(try await view.collection.loadPrevious() == [])
        try await story.end()
    }

    @Test func busyChannelHasOneGap() async throws {
        var options = SyncOptions.exact
        options.clockSkew = SyncOptions().clockSkew
        options.pageSize = 2
        let story = try await Story(options)
        try await story.say("a b c d e", every: .milliseconds(20))
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 5, newer: 0)
        let view = try await story.startedView()
        #expect(view.picture == "a b c d e")
        story.limitFeed(1)
        story.network.hold([.messages])

        await story.engine.disconnect()
        try await story.say("f g h i j k", every: .milliseconds(20))
        try await story.connect()
        await view.shows("a b c d e ~ k …")
        try await story.held(1)
        story.network.release()
        await view.shows("a b c d e ~ j k")
        story.network.stopHolding()
        await view.shows("a b c d e f g h i j k")
        try await story.end()
    }

    // MARK: Position of the window

    @Test func viewStartsInTheMiddleOfAnUnknownHistory() async throws {
        let story = try await Story()
        let sent = try await story.say("a b c d e f g h i")
        try await story.sync()
        let view = story.view(at: .time(sent[4].createdAt), .sized(2, 2))
        story.network.hold([.messages])
        view.collection.start()
        #expect(view.picture == "… …")
        story.network.stopHolding()
        await view.shows("… c d e f …")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b c d e f …")
        try await view.collection.loadNext()
        #expect(view.picture == "a b c d e f g h …")
        try await view.collection.loadNext()
        #expect(view.picture == "a b c d e f g h i")
        try await story.end()
    }

    @Test func messagesOfOneTimeThatExceedAPageAreLoaded() async throws {
        let story = try await Story()
        let sent = try await story.say("a b")
        try await story.say("c d e f", every: .zero)
        try await story.say("g")
        try await story.sync()
        let view = try await story.startedView(at: .time(sent[1].createdAt), .sized(1, 1))
        for text in ["c", "d", "e", "f", "g"] {
            #expect(try await view.collection.loadNext().map(\.text) == [text])
        }
        while view.collection.hasNext { try await view.collection.loadNext() }
        #expect(view.collection.messages.map(\.text).suffix(6) == ["b", "c", "d", "e", "f", "g"])
        try await story.end()
    }

    @Test func listRestartsAtAnotherTime() async throws {
        let story = try await Story()
        let sent = try await story.say("a b c d e f")
        try await story.open()
        let view = try await story.startedView(.sized(2, 1))
        #expect(view.picture == "… e f")
        let moved = try await view.collection.restart(at: .time(sent[1].createdAt))
        #expect(moved.map(\.text) == ["a", "b"])
        #expect(view.picture == "a b …")
        #expect(view.collection.startingPoint == .time(sent[1].createdAt))
        try await story.end()
    }

    @Test func viewStartsAtTheLastReadMessage() async throws {
        let story = try await Story.caching("a b")
        story.clock.advance(by: .seconds(1))
        try await story.network.perform(MarkAsRead("general"))
        try await story.say("c d e")
        try await story.sees("a b c d e")
        try await story.until { try $0.groupChannel("general")?.myLastRead != nil }
        let view = try await story.startedView(at: .lastRead, .sized(1, 2))
        #expect(view.picture == "… b c d …")
        try await story.end()
    }

    @Test func reversedListStartsWithTheNewestMessage() async throws {
        let story = try await Story.caching("a b c")
        var params = MessageListParams.sized(2)
        params.isReversed = true
        let view = try await story.startedView(params)
        #expect(view.collection.messages.map(\.text) == ["c", "b"])
        try await view.collection.send(NewMessage("d"))
        await view.until { $0.items.first?.message?.messageID != nil && $0.items.count == 3 }
        #expect(view.collection.messages.map(\.text) == ["d", "c", "b"])
        #expect(try await view.collection.loadPrevious().map(\.text) == ["a"])
        #expect(view.collection.messages.map(\.text) == ["d", "c", "b", "a"])
        try await story.end()
    }

    @Test func windowKeepsAtMostItsCapacity() async throws {
        let story = try await Story.caching("a b c d e f g h")
        let view = try await story.startedView(.sized(2, 2), capacity: 4)
        try await view.collection.loadPrevious()
        #expect(view.picture == "… e f g h")
        try await view.collection.loadPrevious()
        #expect(view.picture == "… c d e f …")
        try await view.collection.loadNext()
        #expect(view.picture == "… e f g h")
        try await story.say("i")
        await view.shows("… f g h i")
        try await story.end()
    }

    @Test func unsentMessagesDoNotCountForTheCapacity() async throws {
        let story = try await Story.caching("a b c d e")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 5, newer: 0)
        await story.engine.disconnect()
        let view = story.view(.sized(2, 2), capacity: 2)
        view.collection.start(.cacheOnly)
        for text in ["x", "y", "z"] {
            try await view.collection.send(NewMessage(text))
        }
        #expect(view.picture == "… d e (x) (y) (z)")
        try await view.collection.loadPrevious()
        #expect(view.picture == "… b c (x) (y) (z) …")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b (x) (y) (z) …")
        try await view.collection.loadNext()
        #expect(view.picture == "… c d (x) (y) (z) …")
        try await view.collection.loadNext()
        #expect(view.picture == "… d e (x) (y) (z)")
        await story.close()
    }

    /// Each argument is a window's capacity and a page size.
    ///
    /// Earlier, a window with a capacity of 20 and pages of 40 skipped messages 21 to 40.
    @Test(arguments: [(1, 40), (2, 3), (7, 7), (20, 40), (100, 40)])
    func pagesReachBothEndsOfTheHistory(capacity: Int, pageSize: Int) async throws {
        let story = try await Story()
        let texts = (1...83).map { "\($0)" }
        try await story.say(texts.joined(separator: " "))
        try await story.sync()
        let view = try await story.startedView(.sized(pageSize, pageSize), capacity: capacity)

        func shown(goingOn load: () async throws -> Bool) async throws -> [String] {
            var seen: [Int: Bool] = [:]
            repeat {
                let numbers = view.collection.messages.compactMap { Int($0.text) }
                #expect(numbers.count <= capacity)
                #expect(numbers == Array((numbers.first ?? 1)...(numbers.last ?? 0)))
                for number in numbers { seen[number] = true }
            } while try await load()
            return seen.keys.sorted().map { "\($0)" }
        }
        let older = try await shown {
            guard view.collection.hasPrevious else { return false }
            try await view.collection.loadPrevious()
            return true
        }
        #expect(older == texts)
        let newer = try await shown {
            guard view.collection.hasNext else { return false }
            try await view.collection.loadNext()
            return true
        }
        #expect(newer == texts)
        try await story.end()
    }

    @Test func failedChangeIsListedRetriedAndDiscarded() async throws {
        let story = try await Story.caching("a")
        let sent = try await story.engine.send(NewMessage("b"), in: "general")
        _ = try await story.engine.deliveryResult(of: sent.requestID!, in: "general")
        let view = try await story.startedView()
        let collection = view.collection
        let own = try #require(collection.messages.last)
        var update = UserMessageUpdateParams()
        update.text = "B"
        story.network.failNext(1, of: [.update], with: BackendError(.refused, "no"))
        let edit = try await collection.update(own, with: .text(update))
        _ = try await edit.result
        await view.hears("failed update of \(own.messageID!)")
        #expect(collection.failedChanges.map(\.requestID) == [edit.requestID])
        #expect(collection.failedMessages == [])
        // A collection that starts later also lists the failed change.
        #expect(try await story.startedView().collection.failedChanges.count == 1)

        let again = try await collection.resend(edit.requestID)
        _ = try await again.result
        await view.shows("a B")
        #expect(collection.failedChanges == [])

        story.network.failNext(1, of: [.react], with: BackendError(.refused, "no"))
        let reaction = try await collection.addReaction("+", to: own)
        _ = try await reaction.result
        await view.hears("failed addReaction of \(own.messageID!)")
        try await collection.discardFailedItems([reaction.requestID])
        #expect(collection.failedChanges == [])
        try await story.end()
    }

    @Test func discardedEditDoesNotRestoreARemovedMessage() async throws {
        let story = try await Story.caching("a b c")
        story.clock.advance(by: .seconds(1))
        let sent = try await story.engine.send(NewMessage("d"), in: "general")
        _ = try await story.engine.deliveryResult(of: sent.requestID!, in: "general")
        await story.engine.disconnect()
        let view = story.view(.sized(2), capacity: 2)
        view.collection.start(.cacheOnly)
        try await view.collection.update(view.collection.messages[1], with: .text("e"))
        #expect(view.picture == "… c e")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b …")

        let edit = try #require(try story.store.read { try $0.outboxItems(in: "general") }.first)
        #expect(try await view.collection.cancel(edit.requestID))
        #expect(view.picture == "a b …")
        await story.close()
    }

    // MARK: Contents of a list

    @Test func aMessageThatDoesNotMatchAnyMoreIsDeleted() async throws {
        let story = try await Story()
        let a = try await story.say("a b")[0]
        try await story.open()
        var params = MessageListParams()
        params.customTypes = [""]
        let view = try await story.startedView(params)
        #expect(view.picture == "a b")
        var update = UserMessageUpdateParams()
        update.customType = "secret"
        story.clock.advance(by: .seconds(1))
        _ = try await story.alice.update(
            a.messageID!, in: "general", with: .text(update), requestID: "update")
        await view.shows("b")
        await view.hears("deleted a: eventMessageUpdated, succeeded")
        try await story.end()
    }

    @Test func rareMatchesAreFoundPageByPage() async throws {
        let story = try await Story()
        try await story.say((1...60).map { "m\($0)" }.joined(separator: " "))
        try await story.connect()
        try await story.engine.send(NewMessage("mine"), in: "general")
        try await story.until {
            try $0.messages(in: "general").contains { $0.text == "mine" && $0.messageID != nil }
        }
        try await story.say((61...70).map { "m\($0)" }.joined(separator: " "))
        var params = MessageListParams.sized(20)
        params.senderUserIDs = ["bob"]
        let view = story.view(params)
        #expect(try await view.collection.start().refreshed.map(\.text) == ["mine"])
        try await story.end()
    }

    @Test func twoViewsOfAChannelUseTheirOwnFilters() async throws {
        let story = try await Story.caching("a")
        var params = MessageListParams()
        params.senderUserIDs = ["bob"]
        let (all, mine) = (story.view(), story.view(params))
        _ = try await all.collection.start().refreshed
        _ = try await mine.collection.start().refreshed
        try await all.collection.send(NewMessage("b"))
        await all.shows("a b")
        try await story.say("c")
        await all.shows("a b c")
        await mine.shows("b")
        all.collection.dispose()
        try await mine.collection.send(NewMessage("d"))
        await mine.shows("b d")
        #expect(all.picture.hasPrefix("a b c"))
        try await story.end()
    }

    @Test func offlineChangesAreShownAtOnce() async throws {
        let story = try await Story()
        try await story.open()
        try await story.engine.send(NewMessage("a"), in: "general")
        try await story.engine.send(NewMessage("b"), in: "general")
        try await story.until { try $0.messages(in: "general").count == 2 }
        let c = try await story.say("c")[0]
        try await story.until { try $0.messages(in: "general").count == 3 }
        let view = try await story.startedView()
        let own = view.collection.messages.filter { $0.sender?.userID == "bob" }
        await story.engine.disconnect()

        try await view.collection.update(own[0], with: .text("A"))
        try await view.collection.delete(own[1])
        try await view.collection.addReaction("+1", to: c)
        #expect(view.collection.messages.map(\.text) == ["A", "c"])
        #expect(view.collection.messages[1].reactions.map(\.key) == ["+1"])
        try await story.connect()
        try await story.engine.caughtUp()
        try await story.until { try $0.outboxItemCount() == 0 }
        await view.until { $0.items.count == 2 }
        #expect(view.collection.messages.map(\.text) == ["A", "c"])
        try await story.end()
    }

    @Test func unsentMessageCanBeEditedAndCanceled() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        await story.engine.disconnect()
        let a = try await view.collection.send(NewMessage("a")).message
        let b = try await view.collection.send(NewMessage("b")).message
        try await view.collection.update(a, with: .text("A"))
        #expect(view.picture == "(A) (b)")
        try await view.collection.delete(b)
        #expect(view.picture == "(A)")
        try await story.connect()
        await view.shows("A")
        try await story.end()
    }

    // MARK: Gaps

    @Test func offlineListShowsMessagesOlderThanAGapAndTheGap() async throws {
        let story = try await Story.caching("a b c", .exact { $0.hugeGapThreshold = 2 })
        story.limitFeed(1)
        let shown = story.view()
        _ = try await shown.collection.start().refreshed
        story.network.hold([.messages])
        try await story.sendWhileOffline("d e f g h i")
        await shown.shows("a b c ~ i …")
        shown.collection.dispose()
        story.network.goOffline()
        story.network.stopHolding()
        await story.engine.disconnect()

        let view = story.view(.sized(2))
        view.collection.start()
        #expect(view.picture == "… c ~ i …")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b c ~ i …")
        #expect(!view.collection.hasPrevious)
        await story.close()
    }

    /// Returns a view that contains `a b`, and has reported a huge gap below `k`.
    private func hugeGap(
        _ params: MessageListParams = MessageListParams(), policy: HugeGapPolicy = .report
    ) async throws -> (Story, View) {
        let story = try await Story(
            .exact { ($0.hugeGapThreshold, $0.pageSize, $0.hugeGapPolicy) = (3, 2, policy) })
        try await story.say("a b")
        try await story.open()
        let view = try await story.startedView(params)
        story.limitFeed(1)
        try await story.sendWhileOffline("c d e f g h i j k")
        await view.hears("huge gap")
        return (story, view)
    }

    @Test func hugeGapIsReported() async throws {
        let (story, view) = try await hugeGap(.sized(3, 3))
        #expect(view.picture == "a b ~ g h i j k" || view.picture == "a b ~ f g h i j k")

        // The app restarts the list at its first visible message.
        let first = view.collection.messages[0]
        try await view.collection.restart(at: .time(first.createdAt))
        #expect(view.picture == "a b c …")
        try await view.collection.loadNext()
        #expect(view.picture == "a b c d e f …")
        try await view.collection.loadNext()
        try await view.collection.loadNext()
        #expect(view.picture == "a b c d e f g h i j k")
        try await story.end()
    }

    /// The app disposes the collection and creates another one at the first visible message, as
    /// guides of chat SDKs recommend.
    @Test func recreatedCollectionStaysWhereItWas() async throws {
        let story = try await Story.caching(
            "a b c d", .exact { ($0.hugeGapThreshold, $0.pageSize) = (30, 10) })
        var view = try await story.startedView(.sized(2, 2))
        let first = view.collection.messages[0]
        #expect(first.text == "c")
        story.limitFeed(1)
        try await story.sendWhileOffline((1...120).map { "m\($0)" }.joined(separator: " "))
        await view.hears("huge gap")
        var reports = 1
        for _ in 0..<3 {
            view.collection.dispose()
            view = try await story.startedView(at: .time(first.createdAt), .sized(2, 2))
            #expect(view.picture == "a b c d …")
            try await story.engine.caughtUp()
            try await view.isUpToDate()
            reports += view.heard.count { $0 == "huge gap" }
        }
        #expect(reports == 1)
        #expect(try story.counts() == "4 ~ 32")
        while view.collection.hasNext { try await view.collection.loadNext() }
        #expect(view.collection.messages.count == 124)
        try await story.end()
    }

    // MARK: Unsent messages in any window

    @Test func unsentMessagesAreShownInAWindowInThePast() async throws {
        let story = try await Story.caching("a b c d e f g h")
        let messages = try await story.startedView().collection.messages
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        _ = try await story.engine.failed(try await story.write("failed"))
        await story.engine.disconnect()
        _ = try await story.write("pending")

        let view = story.view(at: .time(messages[2].createdAt), .sized(1, 2))
        view.start(.cacheOnly)
        #expect(view.picture == "… b c d !failed (pending) …")
        try await view.collection.send(NewMessage("here"))
        #expect(view.picture == "… b c d !failed (pending) (here) …")
        #expect(view.heard == ["added here: localMessagePendingCreated, pending"])
        _ = view.notifications()
        try await view.insert { try await view.collection.loadNext() }
        #expect(view.picture == "… b c d e f !failed (pending) (here) …")
        #expect(view.differences == [])

        // The sent messages leave the window, because they are newer than it.
        try await story.connect()
        await view.shows("… b c d e f !failed …")
        let heard = ["pending", "here"].flatMap { text in
            ["updated", "deleted"].map { "\($0) \(text): eventMessageSent, succeeded" }
        }
        #expect(view.heard.filter { !$0.hasPrefix("channel") } == heard)
        while view.collection.hasNext {
            try await view.insert { try await view.collection.loadNext() }
        }
        #expect(view.picture == "… b c d e f g h pending here !failed")
        #expect(view.differences == [])
        try await story.end()
    }

    /// A window of limited size keeps its unsent messages.
    @Test func unsentMessagesDoNotLeaveAWindowOfLimitedSize() async throws {
        let story = try await Story.caching("a b c d e f")
        await story.engine.disconnect()
        let view = story.view(.sized(2, 2), capacity: 2)
        view.start(.cacheOnly)
        try await view.collection.send(NewMessage("x"))
        _ = view.notifications()
        try await view.insert { try await view.collection.loadPrevious() }
        #expect(view.picture == "… c d (x) …")
        #expect(view.notifications() == ["deleted e f: windowTrimmed, succeeded"])
        #expect(view.differences == [])
        await story.close()
    }

    @Test func replyIsShownWhereItWasWritten() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        var withoutReplies = MessageListParams()
        withoutReplies.replyType = .none
        let other = try await story.startedView(withoutReplies)
        var params = NewMessage("reply")
        params.parentMessageID = view.collection.messages[0].messageID
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        _ = try await view.collection.send(params).result
        await view.shows("a !reply")
        await other.until { !$0.collection.failedMessages.isEmpty }
        #expect(other.picture == "a !reply")
        // The app is started again.
        let again = try await story.startedView()
        #expect(again.picture == "a !reply")
        let id = try #require(view.collection.failedMessages.first?.requestID)
        _ = try await view.collection.resend(id).result
        await view.shows("a reply")
        await again.shows("a reply")
        await other.shows("a")
        #expect(
            other.heard.filter { $0.contains(" reply: event") } == [
                "updated reply: eventMessageSent, succeeded",
                "deleted reply: eventMessageSent, succeeded",
            ])
        try await story.end()
    }

    @Test func hugeGapIsFilledOnRequest() async throws {
        let (story, view) = try await hugeGap(.sized(2))
        var gap = view.items.compactMap(\.gap).first
        #expect(gap != nil)
        while let left = gap { gap = try await view.collection.fill(left) }
        #expect(view.picture == "a b c d e f g h i j k")
        try await story.end()
    }

    @Test func policyFillsHugeGapsInPlace() async throws {
        let (story, view) = try await hugeGap(policy: .fill)
        await view.shows("a b c d e f g h i j k")
        try await story.end()
    }

    @Test func resetHistoryIsRemovedFromTheList() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        story.clock.advance(by: .seconds(1))
        _ = try await story.network.perform(ResetMyHistory(of: "general"))
        await view.shows("")
        try await story.say("c")
        await view.shows("c")
        try await story.end()
    }

    @Test func leavingAnOpenChannelIsReported() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        try await story.network.perform(LeaveChannel("general"))
        await view.hears("channel general deleted: eventUserLeft")
        #expect(view.collection.isChannelDeleted)
        #expect(view.items.compactMap(\.message).isEmpty)
        await story.close()
    }

    // MARK: Asking

    @Test func knownHistoryCausesNoRequest() async throws {
        let story = try await Story.caching("a b c")
        try await story.engine.caughtUp()
        story.network.clearLog()
        let view = story.view(.sized(2))
        #expect(try await view.collection.start().refreshed.map(\.text) == ["b", "c"])
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b c")
        #expect(!story.network.log.contains { $0.contains("messages") })
        try await story.end()
    }

    @Test func unseenHistoryIsBackfilledOnReconnect() async throws {
        let story = try await Story()
        try await story.say("a b")
        let view = story.view()
        view.collection.start(.cacheOnly)
        #expect(view.picture == "…")
        try await story.connect()
        await view.shows("a b")
        try await story.end()
    }

    @Test func policiesReadOnlyTheCacheOrOnlyTheServer() async throws {
        let story = try await Story()
        try await story.say("a")
        story.network.hold([.messages])
        try await story.connect()
        let cached = story.view()
        #expect(try cached.collection.start(.cacheOnly).cached == [])
        cached.collection.dispose()
        let server = story.view()
        let api = server.collection.start(.apiOnly)
        #expect(server.picture == "…")
        story.network.stopHolding()
        #expect(try await api.refreshed.map(\.text) == ["a"])
        try await story.end()
    }

    @Test func secondConcurrentLoadIsRefused() async throws {
        let story = try await Story.caching("a b c d")
        let view = story.view(.sized(1))
        await expectError(.notStarted) { try await view.collection.loadPrevious() }
        _ = try await view.collection.start().refreshed
        await expectError(.queryInProgress) { try await view.collection.start().refreshed }
        view.collection.dispose()
        await expectError(.disposed) { try await view.collection.loadPrevious() }
        await expectError(.disposed) {
            try await view.collection.send(NewMessage("x"))
        }
        try await story.end()
    }

    @Test func olderMessagesAreLoadedOnceAtATime() async throws {
        let story = try await Story(.exact { $0.pageSize = 1 })
        try await story.say("a b c d")
        try await story.sync()
        let view = try await story.startedView(.sized(1))
        story.network.hold([.messages])
        async let first = view.collection.loadPrevious()
        try await story.held(1)
        await expectError(.queryInProgress) { try await view.collection.loadPrevious() }
        story.network.stopHolding()
        #expect(try await first.map(\.text) == ["c"])
        try await story.end()
    }
}
