import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests channels that are shown and have many missing messages.
@Suite(.timeLimit(.minutes(10))) struct HugeGapTests {
    /// Returns a device that has `a`, and was offline while `missing` further messages and `z` were
    /// sent.
    func story(missing: Int, _ options: SyncOptions, isShown: Bool = true) async throws -> Story {
        let story = try await Story.caching("a", options)
        if isShown { await story.engine.show("general", ShownRange(from: .beginning), viewer: 1) }
        await story.engine.disconnect()
        story.limitFeed(1)
        try importMessages(missing, in: story)
        try await story.say("z")
        return story
    }

    /// Imports messages, and then advances the clock by an hour.
    func importMessages(_ count: Int, in story: Story) throws {
        let now = story.clock.now.milliseconds
        try story.server.importMessages(
            (1...count).map { number in
                Message.sample(
                    10_000 + number, text: "m", at: Timestamp(milliseconds: now + Int64(number)))
            }, isReported: true)
        story.clock.advance(by: .seconds(3600))
    }

    /// In Sendbird, a gap of more than 300 messages is huge.
    ///
    /// In lurker (issue 214) and Stream, messages that were not on the first page or two were lost.
    @Test(arguments: [1, 299, 300, 301, 501, 2001], HugeGapPolicy.allCases)
    func gapAbove300MessagesIsHuge(missing: Int, policy: HugeGapPolicy) async throws {
        let story = try await story(missing: missing, .exact { $0.hugeGapPolicy = policy })
        let events = EventLog(await story.engine.events())
        try await story.catchUp()
        let isHuge = missing > 300
        let isLeft = isHuge && policy == .report
        #expect(try story.counts() == (isLeft ? "1 ~ 302" : "\(missing + 2)"))
        try await story.end()
        #expect(await events.hugeGaps == (isHuge ? ["general"] : []))
    }

    @Test func smallGapNextToAHugeOneIsFilled() async throws {
        let story = try await Story.caching("a", .exact { $0.pageSize = 2 })
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("b c d e f")
        try await story.held(1)
        story.network.release()
        try await story.sees("a ~ e f")
        await story.engine.disconnect()
        try importMessages(400, in: story)
        try await story.say("z")
        let events = EventLog(await story.engine.events())
        try await story.connect()
        try await story.waitUntilNotified()
        story.network.stopHolding()
        try await story.engine.caughtUp()
        #expect(try story.counts() == "6 ~ 302")
        try await story.end()
        #expect(await events.hugeGaps == ["general"])
    }

    @Test func scrollingReportsAHugeGapOnce() async throws {
        let story = try await story(missing: 700, .exact)
        let events = EventLog(await story.engine.events())
        try await story.catchUp()
        for _ in 0..<3 {
            await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
            try await story.engine.caughtUp()
        }
        #expect(try story.counts() == "1 ~ 302")
        try await story.end()
        #expect(await events.hugeGaps == ["general"])
    }

    @Test func newViewersAndConnectionsReportAHugeGapOnce() async throws {
        let story = try await story(missing: 1200, .exact)
        let events = EventLog(await story.engine.events())
        try await story.catchUp()
        for viewer in 2..<5 {
            await story.engine.hide("general", viewer: viewer - 1)
            await story.engine.show("general", ShownRange(from: .beginning), viewer: viewer)
            try await story.engine.caughtUp()
            await story.engine.disconnect()
            try await story.catchUp()
        }
        #expect(try story.counts() == "1 ~ 302")
        // The next gap is counted and reported on its own.
        await story.engine.disconnect()
        try await story.say((1...400).map { "\($0)" }.joined(separator: " "))
        try await story.say("y")
        try await story.catchUp()
        #expect(try story.counts() == "1 ~ 302 ~ 302")
        try await story.end()
        #expect(await events.hugeGaps == ["general", "general"])
    }

    @Test func largestThresholdMakesNoGapHuge() async throws {
        let story = try await story(missing: 301, .exact { $0.hugeGapThreshold = .max })
        try await story.catchUp()
        #expect(try story.counts() == "303")
        try await story.end()
    }

    /// Returns a device that has 30 messages, all sent within a second.
    ///
    /// While the device was offline, 300 more messages were sent.
    private func busyChannel(pageSize: Int) async throws -> (story: Story, events: EventLog) {
        var options = SyncOptions.exact
        options.clockSkew = SyncOptions().clockSkew
        options.pageSize = pageSize
        let story = try await Story(options)
        try await story.say(words(30), every: .milliseconds(20))
        try await story.open()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        #expect(try story.counts() == "30")
        await story.engine.disconnect()
        story.limitFeed(1)
        try await story.say(words(300), every: .milliseconds(20))
        return (story, EventLog(await story.engine.events()))
    }

    private func words(_ count: Int) -> String {
        (1...count).map { "\($0)" }.joined(separator: " ")
    }

    @Test func storedMessagesOfABusyChannelAreNotCountedAsMissing() async throws {
        let (story, events) = try await busyChannel(pageSize: 100)
        story.network.hold([.messages])
        try await story.connect()
        try await story.waitUntilNotified()
        for counts in ["30 ~ 1", "30 ~ 100", "30 ~ 200"] {
            try await story.held(1)
            #expect(try story.counts() == counts)
            story.network.release()
        }
        story.network.stopHolding()
        try await story.engine.caughtUp()
        #expect(try story.counts() == "330")
        try await story.end()
        #expect(await events.hugeGaps == [])
    }

    /// A page whose oldest message is the oldest missing message does not cover older messages that
    /// arrived late.
    @Test(arguments: [1, 13, 23, 299, 300])
    func lateMessagesAreFetchedBelowAnyPage(pageSize: Int) async throws {
        let (story, events) = try await busyChannel(pageSize: pageSize)
        try await story.catchUp()
        #expect(try story.counts() == "330")
        #expect(try story.store.read { try $0.coverage(of: "general").isComplete })
        try await story.end()
        #expect(await events.hugeGaps == [])
    }

    /// A page may contain a message of the user before or after the answer to its send arrives.
    @Test(arguments: [true, false])
    func ownMessageIsNotCounted(isAnsweredFirst: Bool) async throws {
        let story = try await Story.caching("a", .exact)
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        await story.engine.disconnect()
        story.limitFeed(0)
        try importMessages(400, in: story)
        _ = try await story.write("b")
        story.network.hold([.send])
        story.network.hold([.messages], at: .beforeEffect)
        try await story.connect()
        let held = try await story.held(2)
        let send = try #require(held.firstIndex { $0.call == .send })
        if isAnsweredFirst {
            story.network.release(at: send)
            try await story.until { try $0.outboxItems(in: "general").isEmpty }
        } else {
            story.network.hold([], at: .beforeEffect)
            story.network.release(at: 1 - send)
            try await story.until { _ in try story.counts() == "1 ~ 302" }
        }
        story.network.stopHolding()
        try await story.engine.caughtUp()
        #expect(try story.counts() == "1 ~ 302")
        try await story.end()
    }

    @Test func storedMessagesInAGapAreNotCounted() async throws {
        let story = try await story(missing: 310, .exact)
        let pushed = try await story.alice.history().dropFirst(5).prefix(20)
        #expect(try await story.engine.ingest(Array(pushed)) == 20)
        let events = EventLog(await story.engine.events())
        try await story.catchUp()
        #expect(try story.counts() == "312")
        try await story.end()
        #expect(await events.hugeGaps == [])
    }

    @Test func invisibleHugeGapIsFilledUpToTheBudget() async throws {
        let story = try await story(missing: 2001, .exact, isShown: false)
        let events = EventLog(await story.engine.events())
        try await story.catchUp()
        #expect(try story.counts() == "1 ~ 500")
        // A caller that waits for the channel to be caught up gets all of its messages.
        try await story.engine.caughtUp("general")
        #expect(try story.counts() == "2003")
        try await story.end()
        #expect(await events.hugeGaps == [])
    }
}

/// The huge gaps that an engine reports until it is closed.
private struct EventLog {
    private let task: Task<[ChannelURL], Never>

    init(_ events: AsyncStream<SyncEvent>) {
        task = Task {
            var reported: [ChannelURL] = []
            for await event in events {
                if case .hugeGap(let url) = event { reported.append(url) }
            }
            return reported
        }
    }

    var hugeGaps: [ChannelURL] { get async { await task.value } }
}
