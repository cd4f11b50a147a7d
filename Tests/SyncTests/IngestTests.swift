import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests `Ingest`, which stores all data of the server, without an engine.
@Suite(.timeLimit(.minutes(10))) struct IngestTests {
    /// A store, and the requests that are in flight.
    private final class Device {
        let store: ChatStore
        var flights = Flights()

        init() throws { store = try ChatStore.inMemory() }

        @discardableResult
        func apply(_ body: (inout Ingest) throws -> Void) throws -> Change {
            var after = flights
            let (_, change) = try store.commit { batch in
                var ingest = Ingest(batch, .exact, of: "bob", flights)
                try body(&ingest)
                after = ingest.flights
            }
            flights = after
            return change
        }

        @discardableResult
        func apply(_ batch: FeedBatch) throws -> Change {
            try apply { _ = try $0.applyFeed(batch, after: nil) }
        }

        func apply(_ event: FeedEvent) throws {
            try apply(FeedBatch(events: [event], cursor: "c", epoch: "e", isLive: true))
        }

        /// Returns the changes since a request that is answered immediately.
        func interim() throws -> Flights.Interim {
            let flight = flights.begin(in: "general", feedHadBegun: true)
            let interim = flights.end(flight)
            return try #require(interim)
        }

        /// Returns all data that a reader can return.
        func rows() throws -> [AnyHashable] {
            try store.read { reader in
                try reader.groupChannels().flatMap { channel -> [AnyHashable] in
                    [
                        channel, try reader.messages(in: channel.url),
                        try reader.gaps(in: channel.url), try reader.staleRanges(in: channel.url),
                        try reader.tombstones(in: channel.url),
                    ]
                }
            }
        }
    }

    // MARK: Repeated deliveries

    /// Returns the batches of bob's feed over some minutes with many events.
    private func batches(seed: Int) async throws -> [FeedBatch] {
        var random = SeededRandom(seed: seed)
        let clock = ManualClock(at: 1000)
        let server = try EmbeddedServer.inMemory { clock.now }
        server.conditions.feedBatchSize = 2
        let bob = server.client(waits: false)
        _ = try await bob.connect(as: Credentials("bob"))
        let alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
        for url in ["c", "d"] as [ChannelURL] {
            try server.createChannel(
                GroupChannelCreateParams("c", userIDs: ["bob"], url: url), by: "alice")
        }
        var batches = [try await bob.feed(since: nil)]
        let requestIDs = RequestIDs()
        var live: [Message] = []
        for _ in 0..<25 {
            clock.advance(by: .seconds(1))
            let request = requestIDs.next()
            let some = live.isEmpty ? nil : live[random.number(below: live.count)]
            switch (random.number(below: 8), some) {
            case (0, let message?):
                try await alice.delete(
                    message.messageID!, in: message.channelURL, requestID: request)
                live.removeAll { $0.messageID == message.messageID }
            case (1...2, let message?):
                _ = try await alice.update(
                    message.messageID!, in: message.channelURL, with: .text("edited by \(request)"),
                    requestID: request)
            case (3, let message?):
                _ = try await alice.react(
                    random.oneIn(3) ? .delete : .add, with: "👍", to: message.messageID!,
                    in: message.channelURL, requestID: request)
            case (4, _): try await bob.perform(MarkAsRead("c"))
            default:
                let url: ChannelURL = random.oneIn(2) ? "c" : "d"
                live.append(
                    try await alice.send(.sample("\(request)", in: url, requestID: request)))
            }
            if random.oneIn(3) {
                batches.append(try await bob.feed(since: batches.last!.cursor))
            }
        }
        while !batches.last!.isLive || !batches.last!.events.isEmpty {
            batches.append(try await bob.feed(since: batches.last!.cursor))
        }
        return batches
    }

    @Test(arguments: 0..<15) func repeatedEventHasNoFurtherEffect(seed: Int) async throws {
        let batches = try await batches(seed: seed)
        let once = try Device()
        let twice = try Device()
        for batch in batches {
            try once.apply(batch)
            try twice.apply(batch)
            let again = try twice.apply(batch)
            #expect(again.isEmpty, "\(again.entries)")
        }
        #expect(try once.rows() == twice.rows())
    }

    @Test(arguments: 0..<15) func repeatingABatchAfterAPartGivesTheSameState(seed: Int) async throws
    {
        let batches = try await batches(seed: seed)
        let once = try Device()
        for batch in batches { try once.apply(batch) }
        let rows = try once.rows()
        for count in stride(from: 1, to: batches.count, by: 3) {
            let device = try Device()
            for batch in batches.prefix(count) { try device.apply(batch) }
            for batch in batches { try device.apply(batch) }
            #expect(try device.rows() == rows)
        }
    }

    // MARK: Order of arrival

    /// The successive states of a message on the server, and the event by which the feed reports
    /// each state.
    private static let states: [(message: Message?, event: FeedEvent)] = {
        var message = Message.sample(1, at: 1000)
        message.requestID = "r1"
        var states: [(Message?, FeedEvent)] = [(message, .messageReceived(message))]
        message.text = "edited"
        message.updatedAt = 2000
        states.append((message, .messageUpdated(message)))
        var reaction = ReactionEvent()
        reaction.messageID = "1"
        reaction.channelURL = "general"
        reaction.key = "👍"
        reaction.userID = "alice"
        reaction.updatedAt = 3000
        message.apply(reaction)
        states.append((message, .reaction(reaction)))
        states.append((nil, .messageDeleted("1", in: "general", at: 4000)))
        return states
    }()

    private enum Answer: CaseIterable {
        case page, lookup, changelog, reply
    }

    /// Tests all combinations of three moments: when a request is sent (`requested`), when the
    /// server reads the state that the answer contains (`answered`), and when the answer arrives
    /// (`arrived`).
    ///
    /// A second answer arrives at the same time, once of each kind.
    @Test(arguments: [true, false], 1...states.count)
    func orderOfArrivalLeavesOneRow(startsCovered: Bool, stateCount: Int) throws {
        let states = Array(Self.states.prefix(stateCount))
        let last = states.count
        for requested in 0...last {
            for answered in max(requested, 1)...last {
                for arrived in requested...last {
                    for second in Answer.allCases {
                        let device = try Device()
                        try device.apply { ingest in
                            try ingest.batch.save(GroupChannel.sample())
                            guard startsCovered else { return }
                            try ingest.batch.cover("general", from: .beginning, through: .end)
                        }
                        try run(
                            device, states, requested: requested, answered: answered,
                            arrived: arrived, second)
                        let path = "\(requested) \(answered) \(arrived) \(second)"
                        let held = try device.store.read { try $0.messages(in: "general") }
                        #expect(
                            held.map(\.text) == [states.last!.message?.text].compactMap { $0 },
                            "\(path)")
                        #expect(held.first?.reactions == states.last!.message?.reactions, "\(path)")
                        #expect(held.first?.requestID == states.last!.message?.requestID, "\(path)")
                        #expect(
                            try device.store.read { try $0.gaps(in: "general") } == [], "\(path)")
                    }
                }
            }
        }
    }

    /// Delivers all events in their order, and at the given moments a page and a second answer.
    private func run(
        _ device: Device, _ states: [(message: Message?, event: FeedEvent)], requested: Int,
        answered: Int,
        arrived: Int, _ second: Answer
    ) throws {
        var flights: [Flights.Flight] = []
        for reportedCount in 0...states.count {
            if reportedCount > 0 { try device.apply(states[reportedCount - 1].event) }
            if reportedCount == requested {
                flights = [true, true].map {
                    device.flights.begin(in: "general", feedHadBegun: $0)
                }
            }
            guard reportedCount == arrived else { continue }
            let message = states[answered - 1].message
            try answer(device, .page, message, flights[0])
            try answer(device, second, message, flights[1])
        }
    }

    private func answer(
        _ device: Device, _ kind: Answer, _ message: Message?, _ flight: Flights.Flight
    ) throws {
        guard let interim = device.flights.end(flight) else { return }
        try device.apply { ingest in
            switch kind {
            case .page:
                let page = MessagePage(
                    messages: message.map { [$0] } ?? [], older: nil, newer: nil)
                let report = try ingest.applyPage(
                    page, of: PageRequest(in: "general", at: .newest, older: 10), since: interim,
                    .messageFill)
                for id in report.unconfirmed {
                    // The lookup returns the server's state at that moment or a later one.
                    let lookup = MessageLookup(
                        found: message.map { [$0] } ?? [], gone: message == nil ? [id] : [])
                    try ingest.applyLookup(lookup, in: "general", since: interim, .messageFill)
                }
            case .lookup:
                let lookup = MessageLookup(
                    found: message.map { [$0] } ?? [], gone: message == nil ? ["1"] : [])
                try ingest.applyLookup(lookup, in: "general", since: interim, .messageFill)
            case .changelog:
                var changes = MessageChangelog()
                changes.updated = message.map { [$0] } ?? []
                if message == nil {
                    var deleted = DeletedMessage()
                    deleted.messageID = "1"
                    deleted.deletedAt = 4000
                    changes.deleted = [deleted]
                }
                try ingest.applyChangelog(changes, in: "general", since: interim, .messageChangelog)
            case .reply:
                if let message {
                    try ingest.applyAnswer(
                        message, since: interim, .eventMessageSent, opensGap: false)
                }
            }
        }
    }

    /// The stored message may contain the deleted edit.
    @Test func deletionOfAPossibleEditMakesTheEditedMessageStale() throws {
        let device = try Device()
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            var message = Message.sample(1, at: 1000)
            message.updatedAt = 2000
            try ingest.applyMessage(message, nil, .fresh)
            try ingest.applyMessage(Message.sample(2, at: 1500), nil, .fresh)
        }
        let interim = try device.interim()
        try device.apply { ingest in
            var changes = MessageChangelog()
            var deleted = DeletedMessage()
            (deleted.messageID, deleted.deletedAt, deleted.createdAt) = ("e", 3000, 2000)
            changes.deleted = [deleted]
            try ingest.applyChangelog(changes, in: "general", since: interim, .messageChangelog)
        }
        let stale = try device.store.read { reader in
            let ranges = try reader.staleRanges(in: "general")
            return try reader.messages(in: "general")
                .filter { message in ranges.contains { $0.contains(message.position) } }
                .compactMap(\.messageID)
        }
        #expect(stale == ["1"])
    }

    // MARK: Messages that are not stored

    @Test func messageOlderThanTheChannelsOffsetIsNotStored() throws {
        let device = try Device()
        var channel = GroupChannel.sample()
        channel.messageOffset = 2000
        try device.apply { ingest in
            try ingest.batch.save(channel)
            for (number, time) in [(1, 1999), (2, 2000), (3, 2001)] as [(Int, Int64)] {
                let message = Message.sample(number, at: Timestamp(milliseconds: time))
                try ingest.applyMessage(message, nil, .fresh)
            }
        }
        let ids = try device.store.read { try $0.messages(in: "general").map(\.messageID) }
        #expect(ids == ["3", "2"])
    }

    @Test func unstorableMessageDoesNotBlockTheOthers() throws {
        let device = try Device()
        let long = String(repeating: "9", count: 70_000)
        var message = Message.sample(1)
        message.messageID = MessageID(long)
        var homeless = Message.sample(2)
        homeless.channelURL = ""
        try device.apply(
            FeedBatch(
                events: [
                    .messageReceived(message), .messageReceived(homeless),
                    .channel(ChannelUpdate("", Patch())),
                    .truncation(in: ChannelURL(long)),
                    .messageDeleted(MessageID(long), in: "general", at: nil),
                    .messageReceived(.sample(3)),
                ], cursor: "c", epoch: "e", isLive: true))
        let ids = try device.store.read { try $0.messages(in: "general").map(\.messageID) }
        #expect(ids == ["3"])
    }

    @Test func idOfAnEarlierEpochCanBeReused() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .end)
            try ingest.applyMessage(.sample(1, text: "old", at: 1000), nil, .fresh)
        }
        try device.apply { ingest in
            ingest.batch.setLastEpoch("former")
            try ingest.recordLoss(.newEpoch, "restored")
        }
        let interim = try device.interim()
        let flight = device.flights.begin(in: url, feedHadBegun: true)
        try device.apply { ingest in
            try ingest.applyLookup(
                MessageLookup(found: [], gone: ["1"]), in: url, since: interim, .messageFill)
        }
        #expect(try device.store.read { try $0.messages(in: url).isEmpty })
        // The answer in flight may contain the new message.
        #expect(device.flights.end(flight)?.deleted.isEmpty ?? false)
        try device.apply(.messageReceived(.sample(1, text: "new", at: 1000)))
        #expect(try device.store.read { try $0.messages(in: url).map(\.text) } == ["new"])
    }

    /// The feed reports a message that the server has lost, and a page has the message of the user
    /// that received its ID.
    @Test func sentMessageReplacesAnotherOneThatWasStoredSinceTheRequest() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        var sent = Message.sample(1, from: "bob", text: "sent", at: 1000)
        sent.requestID = "r"
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            let unsent = Message(NewMessage("sent"), in: url, by: nil, at: 900)
            try ingest.batch.save(OutboxItem(unsent, requestID: "r"))
        }
        let flight = device.flights.begin(in: url, feedHadBegun: true)
        try device.apply(.messageReceived(.sample(1, text: "lost", at: 1000)))
        let interim = device.flights.end(flight)
        var report = Ingest.PageReport()
        try device.apply { ingest in
            let page = MessagePage(messages: [sent], older: nil, newer: nil)
            report = try ingest.applyPage(
                page, of: PageRequest(in: url, at: .newest, older: 10),
                since: #require(interim), .messageFill)
        }
        #expect(try device.store.outboxItems().isEmpty)
        #expect(try device.store.read { try $0.messages(in: url).map(\.text) } == ["sent"])
        // A lookup has to find out which of the two messages the server has.
        #expect(report.unconfirmed == ["1"])
    }

    /// A stored message is untrusted, and therefore stale.
    ///
    /// The message next to it has the same time.
    @Test func staleMessageDoesNotMakeOthersOfItsTimeStale() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        let answered = Message.sample(3, text: "answered", at: 1000)
        var edited = Message.sample(3, text: "edited", at: 1000)
        edited.updatedAt = 2000
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.applyAlone(.sample(2, at: 1000), nil, .untrusted)
        }
        let interim = try device.interim()
        try device.apply { ingest in
            let page = MessagePage(
                messages: [.sample(1, at: 1000), edited], older: nil, newer: nil)
            let report = try ingest.applyPage(
                page, of: PageRequest(in: url, at: .newest, older: 10), since: interim, .messageFill
            )
            #expect(report.unconfirmed == ["2"])
        }
        // This event describes an earlier state of the message than the page.
        try device.apply(.messageReceived(answered))
        let texts = try device.store.read { try $0.messages(in: url).map(\.text) }
        #expect(texts == ["edited", "message 2", "message 1"])
    }

    /// No gap contains the message, so no page would find out whether it still exists.
    @Test func untrustedNewestMessageIsStaleUntilTheFeedReportsIt() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .end)
            try ingest.applyAlone(.sample(1), nil, .untrusted)
        }
        let stale = try device.store.read { try $0.staleRanges(in: url) }
        #expect(stale.map { $0.contains(Message.sample(1).position) } == [true])
        #expect(stale.map(\.lossNumber) == [StaleRange.singleMessage])
        try device.apply(.messageReceived(.sample(1)))
        #expect(try device.store.read { try $0.staleRanges(in: url).isEmpty })
    }

    /// A push may have false parts, with later times than the true ones.
    @Test func feedDoesNotConfirmPartsThatOnlyTheStoredMessageHas() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        var forged = Message.sample(1)
        forged.threadInfo = ThreadInfo(
            replyCount: 1_000, lastRepliedAt: .distantFuture, updatedAt: .distantFuture)
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .end)
            try ingest.applyAlone(forged, nil, .untrusted)
        }
        try device.apply(.messageReceived(.sample(1)))
        let stale = try device.store.read { try $0.staleRanges(in: url) }
        #expect(stale.map { $0.contains(forged.position) } == [true])
    }

    /// Only a request for the reactions would replace them.
    @Test func untrustedMessageHasNoReactionsIfTheServerReturnsThemSeparately() throws {
        let store = try ChatStore.inMemory()
        var forged = Message.sample(1)
        forged.reactionHistory = [
            Reaction(key: "smile", userIDs: ["carol"], updatedAt: .distantFuture)
        ]
        try store.write { batch in
            var ingest = Ingest(batch, .exact, of: "bob", Flights(), hasSeparateReactions: true)
            try ingest.applyAlone(forged, nil, .untrusted)
        }
        let stored = try store.read { try $0.message("1", in: "general") }
        #expect(stored?.reactionHistory == [])
    }

    /// Both messages have the same time, so their stale ranges are merged.
    @Test func verifiedMessageLeavesItsStaleNeighborStale() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        let (older, newer) = (Message.sample(1, at: 1000), Message.sample(2, at: 1000))
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .end)
            try ingest.applyAlone(older, nil, .untrusted)
            try ingest.applyAlone(newer, nil, .untrusted)
        }
        try device.apply(.messageReceived(newer))
        let stale = try device.store.read { try $0.staleRanges(in: url) }
        #expect(stale.contains { $0.contains(older.position) })
        #expect(!stale.contains { $0.contains(newer.position) })
    }

    /// The feed may not have delivered all events of the history that the answer describes.
    @Test func deletedStaleMessageDoesNotReturn() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.applyAlone(.sample(2), nil, .untrusted)
        }
        let interim = try device.interim()
        try device.apply { ingest in
            let page = MessagePage(messages: [.sample(1), .sample(3)], older: nil, newer: nil)
            let report = try ingest.applyPage(
                page, of: PageRequest(in: url, at: .newest, older: 10), since: interim, .messageFill
            )
            let lookup = MessageLookup(found: [], gone: report.unconfirmed)
            try ingest.applyLookup(lookup, in: url, since: interim, .messageFill)
        }
        try device.apply(.messageReceived(.sample(2)))
        let ids = try device.store.read { try $0.messages(in: url).map(\.messageID) }
        #expect(ids == ["3", "1"])
    }

    /// The user has left the channel of one of the messages since the search began.
    @Test func foundMessageOfALeftChannelIsNotStored() throws {
        let device = try Device()
        let interim = try device.interim()
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            ingest.batch.setHasAllChannels(true)
            let messages = [Message.sample(1), .sample(2, in: "left")]
            let found = try ingest.applyFound(messages, since: interim)
            #expect(found.map(\.messageID) == ["1"])
        }
        #expect(try device.store.messageCount() == 1)
    }

    /// The server gives the ID of a false push to a later message.
    @Test func deletedPushDoesNotHideAnotherMessageWithItsID() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        let pushed = Message.sample(2, text: "pushed", at: 1000)
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.applyAlone(pushed, nil, .untrusted)
        }
        let interim = try device.interim()
        try device.apply { ingest in
            let lookup = MessageLookup(found: [], gone: ["2"])
            try ingest.applyLookup(lookup, in: url, since: interim, .messageFill)
        }
        func texts() throws -> [String] {
            try device.store.read { try $0.messages(in: url).map(\.text) }
        }
        try device.apply(.messageReceived(pushed))
        #expect(try texts() == [])
        try device.apply(.messageReceived(.sample(2, text: "sent", at: 2000)))
        #expect(try texts() == ["sent"])
    }

    /// Message 2, the user's own, was stored with the answer to its send request.
    ///
    /// Message 3 was stored from a push. The feed has not delivered either of them.
    @Test func truncationStartsOlderThanTheUndeliveredMessages() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .end)
            ingest.isAlone = true
            try ingest.applyMessage(.sample(2), nil, .fresh)
            try ingest.applyAlone(.sample(3), nil, .untrusted)
        }
        try device.apply(.truncation(in: url))
        let missed = try #require(Message.sample(1).position)
        #expect(try device.store.read { try $0.gap(around: missed, in: url) } != nil)
    }

    /// A page from the cursor would not contain the messages that the truncation omitted, because
    /// they are newer than the cursor.
    @Test func truncationRemovesTheCursorOfTheNewestGap() throws {
        let device = try Device()
        let url: ChannelURL = "general"
        let known = try #require(Message.sample(1).position)
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            try ingest.batch.cover(url, from: .beginning, through: .position(known))
            ingest.isFeed = true
            try ingest.applyMessage(.sample(1), nil, .fresh)
            try ingest.batch.open(
                Gap(in: url, from: .position(known), to: .end, backfillCursor: "w"))
        }
        try device.apply(.truncation(in: url))
        let gap = try #require(try device.store.gaps(in: url).first)
        #expect(gap.lower == .position(known) && gap.upper == .end)
        #expect(gap.backfillCursor == nil)
    }

    @Test(arguments: [
        (nil, nil, "a? b? c? ~"), (2000, nil, "a b? c? ~"), (nil, 2000, "a? b? c"),
        (2000, 2000, "a b? c"), (3000, 3000, "a b c? ~"), (9000, nil, "a b c ~"),
        (Timestamp.distantPast, Timestamp.distantFuture, "a? b? c? ~"),
        // If the bounds are reversed, any message may have changed.
        (3000, 1000, "a? b? c? ~"), (.distantFuture, .distantPast, "a? b? c? ~"),
    ])
    func changedRangeIsStaleAndOpensAGapAboveTheNewestMessage(
        from: Timestamp?, through: Timestamp?, picture: String
    ) throws {
        let device = try Device()
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            for (text, time) in [("a", 1000), ("b", 2000), ("c", 3000)] as [(String, Timestamp)] {
                let message = Message(
                    id: MessageID(text), channelURL: "general", text: text, createdAt: time)
                try ingest.applyMessage(message, nil, .fresh)
                ingest.batch.setUnreported(nil, of: "general")
            }
            try ingest.batch.cover("general", from: .beginning, through: .end)
        }
        try device.apply(.historyChanged(in: "general", from: from, through: through))
        #expect(try device.store.read { try $0.picture(of: "general") } == picture)
    }

    @Test func purgeWithoutAChannelConcernsAllChannels() throws {
        let device = try Device()
        let urls: [ChannelURL] = ["cats", "general"]
        try device.apply { ingest in
            for url in urls {
                var channel = GroupChannel.sample()
                channel.url = url
                for (sender, time) in [("alice", 1000), ("carol", 2000)] as [(UserID, Timestamp)] {
                    let message = Message(
                        id: MessageID("\(url) of \(sender)"), channelURL: url,
                        sender: Sender(id: sender, nickname: ""), text: sender.rawValue,
                        createdAt: time)
                    try ingest.applyMessage(message, nil, .fresh)
                    channel.lastMessage = message
                }
                try ingest.batch.save(channel)
            }
        }
        try device.apply(.messagesDeleted(ofSender: "carol", in: nil, at: nil))
        let reader = try device.store.snapshot()
        for url in urls {
            #expect(try reader.messages(in: url).map(\.text) == ["alice"])
            #expect(try reader.groupChannel(url)?.lastMessage?.text == "alice")
            #expect(try reader.tombstones(in: url).map(\.messageID) == ["\(url) of carol"])
        }
    }

    /// Pages without messages have moved the gap's backfill cursor to an older point than the gap's
    /// upper bound.
    @Test(arguments: [(1500, nil), (500, nil), (3500, "w")] as [(Timestamp, PageCursor?)])
    func changedRangeWithinAGapRemovesItsWalkCursor(time: Timestamp, cursor: PageCursor?) throws {
        let device = try Device()
        let url: ChannelURL = "general"
        let (lower, upper) = (Message.sample(1, at: 1000), Message.sample(3, at: 3000))
        try device.apply { ingest in
            try ingest.batch.save(GroupChannel.sample())
            for message in [lower, upper] { try ingest.applyMessage(message, nil, .fresh) }
            ingest.batch.setUnreported(nil, of: url)
            try ingest.batch.cover(url, from: .beginning, through: .end)
            try ingest.batch.open(
                Gap(
                    in: url, from: .position(lower.position!), to: .position(upper.position!),
                    backfillCursor: "w"))
        }
        try device.apply(.historyChanged(in: url, from: time, through: time < 1000 ? 1000 : time))
        let gap = try device.store.read { try $0.gaps(in: url) }.first
        #expect(gap?.lower == .position(lower.position!) && gap?.backfillCursor == cursor)
    }

    @Test func messageOfAnEarlierEpochCanReturn() throws {
        let device = try Device()
        try device.apply { ingest in
            var channel = GroupChannel.sample()
            channel.messageOffset = 2000
            try ingest.save(channel, over: nil, .channelBackgroundSync)
        }
        let old = Message.sample(1, at: 1000)
        try device.apply(.messageReceived(old))
        #expect(try device.store.read { try $0.messages(in: "general").isEmpty })
        try device.apply { try $0.recordLoss(.newEpoch, "restored") }
        #expect(try device.store.read { try $0.gap(around: old.position!, in: "general") } != nil)
        try device.apply(.messageReceived(old))
        #expect(try device.store.read { try $0.messages(in: "general").count } == 1)
    }

    @Test func tombstoneIsNeverDropped() throws {
        let device = try Device()
        let count = 1200
        try device.apply { ingest in
            for number in 1...count {
                let time = Timestamp(milliseconds: Int64(number))
                try ingest.applyMessage(.sample(number, at: time), nil, .fresh)
                try ingest.delete(MessageID("\(number)"), in: "general", at: time, nil)
            }
        }
        #expect(try device.store.tombstoneCount(in: "general") == count)
        try device.apply { ingest in
            for number in 1...count {
                let old = Message.sample(number, at: Timestamp(milliseconds: Int64(number)))
                _ = try ingest.applyAlone(old, nil, .untrusted)
            }
        }
        #expect(try device.store.messageCount() == 0)
    }

    @Test func pushFromBeforeAReplacementIsStoredOnlyWhenTheServerReturnsIt() throws {
        let device = try Device()
        let (old, new) = (Message.sample(1, at: 1000), Message.sample(2, at: 86_430_001))
        try device.apply { ingest in
            ingest.batch.setReplacedAt(30_000)
            let before = try [old, new].map { try ingest.mayBeDeleted($0) }
            // The server returns the message.
            _ = try ingest.applyMessage(old, nil, .fresh)
            let isUncertain = try ingest.mayBeDeleted(old)
            #expect(before == [true, false] && !isUncertain)
        }
    }

    @Test func readReceiptKeepsTheLatestTime() throws {
        let device = try Device()
        try device.apply { try $0.batch.save(GroupChannel.sample()) }
        for time in [3000, 1000, 2000] as [Int64] {
            try device.apply(.read(by: "alice", in: "general", at: Timestamp(milliseconds: time)))
        }
        let channel = try device.store.read { try $0.groupChannel("general") }
        #expect(channel?.readReceipts["alice"] == 3000)
    }

    /// Another homeserver can send receipts of any number of invented users.
    @Test func receiptsOfAChannelAreLimited() throws {
        let device = try Device()
        try device.apply { try $0.batch.save(GroupChannel.sample()) }
        for part in 0..<6 {
            let events = (0..<1_000).map { number in
                FeedEvent.read(by: UserID("u\(part)-\(number)"), in: "general", at: 1000)
            }
            try device.apply(FeedBatch(events: events, cursor: "c", epoch: "e", isLive: true))
        }
        try device.apply(.read(by: "bob", in: "general", at: 2000))
        try device.apply(.read(by: "u0-0", in: "general", at: 3000))
        let channel = try #require(try device.store.read { try $0.groupChannel("general") })
        #expect(channel.readReceipts.count == 5_001)
        #expect(channel.readReceipts["bob"] == 2000 && channel.readReceipts["u0-0"] == 3000)
        #expect(channel.myLastRead == 2000)
    }
}
