import Models
import ScrollbackStorySupport
import Store
import Testing

@testable import Sync

/// Tests that a batch of the feed that is older than the answer to a call does not replace it.
///
/// The feed's request is in flight when the call is answered. The server may have answered it
/// earlier.
@Suite struct OlderStateTests {
    private let session = BackendSession(user: User(id: "bob"), epoch: "1")

    /// An engine's core with the calls that it has made and that have no answer.
    private struct Device {
        let store: ChatStore
        var core: SyncCore
        private var calls: [(number: Int, request: any BackendCall)] = []
        private var lastTicket = 1
        private(set) var waits: [SyncCore.Wait] = []

        init() throws {
            store = try ChatStore.inMemory()
            core = SyncCore(store, .exact, [])
        }

        mutating func step(_ input: SyncCore.Input) {
            for action in core.step(input) {
                switch action {
                case .call(let request, let number): calls.append((number, request))
                case .wait(let wait, _, _): waits.append(wait)
                default: break
                }
            }
        }

        /// Answers the oldest call of a type.
        mutating func answer<Call: BackendCall>(_ type: Call.Type, _ answer: Call.Answer) throws {
            let index = try #require(calls.firstIndex { $0.request is Call })
            step(.answer(.success(answer), call: calls.remove(at: index).number))
        }

        mutating func make(_ call: some CallerCall) {
            lastTicket += 1
            step(.make(call, ticket: lastTicket))
        }

        /// The names of the stored channels.
        var names: [String] {
            get throws { try store.read { try $0.groupChannels() }.map(\.name).sorted() }
        }
    }

    private func channel(_ name: String, _ url: ChannelURL = "general") -> GroupChannel {
        var channel = GroupChannel(url: url, createdAt: 1)
        channel.name = name
        channel.myMemberState = .joined
        return channel
    }

    private func changed(_ channel: GroupChannel) -> FeedEvent {
        .channel(
            ChannelUpdate(
                channel.url, Patch(whole: channel, except: [\.lastSyncedChangelogAt])))
    }

    private func batch(_ cursor: FeedCursor, _ events: FeedEvent...) -> FeedBatch {
        FeedBatch(events: events, cursor: cursor, epoch: "1", isLive: true)
    }

    /// Returns a device that waits for the next batch of the feed, and has one channel.
    private func device() throws -> Device {
        var device = try Device()
        device.step(.connect(Credentials("bob"), ticket: 1))
        try device.answer(CoreCall.Connect.self, session)
        try device.answer(CoreCall.Feed.self, batch("1", changed(channel("zero"))))
        #expect(try device.names == ["zero"])
        return device
    }

    @Test func olderChangeOfAChannelIsRequestedAgain() throws {
        var device = try device()
        device.make(FetchChannel("general"))
        try device.answer(CoreCall.Channel.self, channel("two"))
        #expect(try device.names == ["two"])
        try device.answer(CoreCall.Feed.self, batch("2", changed(channel("one"))))
        #expect(try device.names == ["two"])
        #expect(device.core.calls.values.contains { ($0.value as? CoreCall.Feed)?.since == "1" })
        try device.answer(CoreCall.Feed.self, batch("3", changed(channel("three"))))
        #expect(try device.names == ["three"])
        try device.answer(CoreCall.Feed.self, batch("4", changed(channel("four"))))
        #expect(try device.names == ["four"])
    }

    @Test func batchOfOtherChannelsIsStored() throws {
        var device = try device()
        device.make(FetchChannel("general"))
        try device.answer(CoreCall.Channel.self, channel("two"))
        try device.answer(CoreCall.Feed.self, batch("2", changed(channel("other", "other"))))
        #expect(try device.names == ["other", "two"])
    }

    @Test func olderRemovalKeepsAChannelThatTheUserHasJoinedAgain() throws {
        var device = try device()
        device.make(FetchChannel("general"))
        try device.answer(CoreCall.Channel.self, channel("two"))
        try device.answer(
            CoreCall.Feed.self, batch("2", .channelRemoved("general", ChannelRemoval(.left))))
        #expect(try device.names == ["two"])
        try device.answer(
            CoreCall.Feed.self,
            batch("3", .channelRemoved("general", ChannelRemoval(.left)), changed(channel("two"))))
        #expect(try device.names == ["two"])
    }

    @Test func olderListKeepsANewChannel() throws {
        var device = try device()
        device.make(AppRequest(call: CreateChannel(GroupChannelCreateParams(url: "new"))))
        try device.answer(CreateChannel.self, channel("new", "new"))
        try device.answer(CoreCall.Feed.self, batch("2", .channels(["general"])))
        #expect(try device.names == ["new", "zero"])
        try device.answer(CoreCall.Feed.self, batch("3", .channels(["general", "new"])))
        #expect(try device.names == ["new", "zero"])
    }

    @Test func olderMessageIsNotTheLastOneOfItsChannelAgain() throws {
        var device = try device()
        let deleted = Message(id: "m", channelURL: "general", text: "m", createdAt: 10)
        device.make(FetchChannel("general"))
        // The message was sent and deleted.
        try device.answer(CoreCall.Channel.self, channel("zero"))
        try device.answer(CoreCall.Feed.self, batch("2", .messageReceived(deleted)))
        #expect(try device.store.groupChannel("general")?.lastMessage == nil)
    }

    /// The messages of an event without its content have no version to compare.
    @Test func olderVersionAfterARemovedEditIsRequestedAgain() throws {
        func message(_ text: String, _ updatedAt: Timestamp? = nil) -> Message {
            Message(
                id: "m", channelURL: "general", text: text, createdAt: 10, updatedAt: updatedAt)
        }
        var device = try device()
        try device.answer(CoreCall.Feed.self, batch("2", .messageReceived(message("a"))))
        device.make(LookUp(call: CoreCall.Lookup(messageIDs: ["m"], channelURL: "general")))
        try device.answer(
            CoreCall.Lookup.self, MessageLookup(found: [message("c", 30)], gone: []))
        func text() throws -> String? { try device.store.message("m", in: "general")?.text }
        #expect(try text() == "c")
        // An edit to "b" was removed, before the edit to "c".
        try device.answer(
            CoreCall.Feed.self,
            batch("3", .messageChanged("m", in: "general"), .messageUpdated(message("a"))))
        #expect(try text() == "c")
    }

    @Test func eventsThatAreNotRepeatedAreKept() throws {
        var device = try device()
        device.make(FetchChannel("general"))
        try device.answer(CoreCall.Channel.self, channel("two"))
        try device.answer(
            CoreCall.Feed.self,
            batch("2", changed(channel("one")), .typing([User(id: "alice")], in: "general")))
        #expect(try device.names == ["two"])
        #expect(
            device.waits.contains { if case .typing("general", _) = $0 { true } else { false } })
    }

    /// The server may have nothing to report when the batch is requested again.
    @Test func discardedBatchMakesTheFeedLive() throws {
        var device = try Device()
        device.step(.connect(Credentials("bob"), ticket: 1))
        try device.answer(CoreCall.Connect.self, session)
        var missed = batch("1", changed(channel("zero")))
        missed.isLive = false
        try device.answer(CoreCall.Feed.self, missed)
        device.make(FetchChannel("general"))
        try device.answer(CoreCall.Channel.self, channel("two"))
        #expect(!device.core.state.isLive)
        try device.answer(CoreCall.Feed.self, batch("2", changed(channel("one"))))
        #expect(device.core.state.isLive && device.core.polling.isAwaited)
        device.step(.waited(.poll(generation: device.core.connector.generation)))
        #expect(!device.core.polling.isAwaited)
        #expect(try device.names == ["two"])
    }

    /// If calls were answered during each request of the feed, nothing else would be stored.
    @Test func feedMakesProgressAfterSomeAttempts() throws {
        var device = try device()
        var count = 0
        while try device.names != ["old"] {
            device.make(FetchChannel("general"))
            try device.answer(CoreCall.Channel.self, channel("new"))
            try device.answer(CoreCall.Feed.self, batch("2", changed(channel("old"))))
            count += 1
            try #require(count < 10)
        }
        #expect(count == 6)
    }
}
