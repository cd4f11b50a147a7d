import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Compares lists of two devices with a naive filter of the server's messages, after each step of
/// random histories.
@Suite(.timeLimit(.minutes(10))) @MainActor struct MessageListModelTests {
    private static let urls: [ChannelURL] = ["general", "ships"]

    /// A device of bob, with a list of links.
    @MainActor private final class Device {
        let engine: SyncEngine
        let list: MessageList
        private let changes: AsyncStream<CollectionChange<MessageList.Row>>

        init(_ engine: SyncEngine, in url: ChannelURL?) {
            self.engine = engine
            list = MessageList(of: .link, in: url, userID: "bob", pageSize: 3, engine: engine)
            changes = list.allChanges()
        }

        /// Describes how the complete part of the list differs from the server's messages; `nil` if
        /// it does not.
        func difference(from server: [Message]) throws -> String? {
            let snapshot = try engine.store.snapshot()
            var unsure: [ChannelURL] = []
            var stale: [StaleRange] = []
            for url in MessageListModelTests.urls {
                let gaps = try snapshot.gaps(in: url)
                if gaps.contains(where: { $0.changesSince != nil }) { unsure.append(url) }
                stale += try snapshot.staleRanges(in: url)
                    .filter { $0.lossNumber == StaleRange.singleMessage }
            }
            // Pages of stored messages that are not loaded are not listed.
            let isRead = !list.hasPrevious || list.gapIndex != nil
            let last = isRead ? nil : list.rows.last?.message.position
            func isComplete(_ message: Message) -> Bool {
                guard let position = message.position, last.map({ $0 <= position }) ?? true,
                    isRead || last != nil
                else { return false }
                let bound = Gap.Bound.position(position)
                return (list.gap.map { $0.upper <= bound } ?? true)
                    && !unsure.contains(message.channelURL)
                    && !stale.contains {
                        $0.channelURL == message.channelURL && $0.lower < bound && bound < $0.upper
                    }
            }
            let expected = server.filter(isComplete).map(\.text)
            let listed = list.rows.map(\.message).filter(isComplete).map(\.text)
            return listed == expected
                ? nil : "\(listed) is listed for \(expected), gap \(list.gap as Any)"
        }

        /// Checks that the reported changes give the list.
        func checkChanges() async {
            list.dispose()
            var copy: [MessageList.Row] = []
            for await change in changes { copy = change.applied(to: copy) }
            #expect(copy == list.rows)
        }
    }

    /// Returns the server's messages with links, newest first.
    private func links(_ story: Story, in url: ChannelURL?) async throws -> [Message] {
        var messages: [Message] = []
        for channel in Self.urls where url == nil || url == channel {
            messages += try await story.alice.history(of: channel)
        }
        // No two messages have the same time.
        return messages.filter { $0.kinds.contains(.link) }.sorted { $0.createdAt > $1.createdAt }
    }

    private func expectAgreement(
        _ devices: [Device], _ story: Story, in url: ChannelURL?, _ step: String
    ) async throws {
        let server = try await links(story, in: url)
        for (number, device) in devices.enumerated() {
            // The device receives the last events in the background.
            while try device.difference(from: server) != nil, !Task.isCancelled {
                await Task.yield()
            }
            let difference = try device.difference(from: server)
            #expect(difference == nil, "device \(number) after \(step)")
        }
    }

    @Test(arguments: Seeds.count(3, atNight: 200), [true, false])
    func listsAgreeWithAFilterOfTheServersMessages(seed: Int, canFilter: Bool) async throws {
        var random = SeededRandom(seed: seed)
        let url: ChannelURL? = random.oneIn(3) ? nil : "general"
        var conditions = ServerConditions()
        conditions.pageLimit = [2, 3, 10][random.number(below: 3)]
        if !canFilter { conditions.missingCapabilities = [.kindFilter] }
        let story = try await Story(.exact, conditions)
        try story.createChannel("ships")
        var number = 0
        func say(_ count: Int) async throws {
            for _ in 0..<count {
                number += 1
                let text = random.oneIn(3) ? "www.a.de/\(number)" : "\(number)"
                try await story.say(text, in: Self.urls[random.number(below: 2)])
            }
        }
        try await say(30)
        let phone = SyncEngine(
            store: try ChatStore.inMemory(), backend: story.server.client(), options: .exact)
        let devices = [Device(story.engine, in: url), Device(phone, in: url)]
        for device in devices {
            _ = try await device.engine.connect(as: Credentials("bob"))
            try await device.engine.caughtUp()
            try await device.list.start()
        }
        var backup = try story.server.backup()
        for _ in 0..<40 {
            let device = devices[random.number(below: 2)]
            let channel = Self.urls[random.number(below: 2)]
            let old = try await story.alice.history(of: channel).randomElement(using: &random)
            let step = Int.random(in: 0..<24, using: &random)
            switch step {
            case 0..<4: try await say(1)
            case 4..<7:
                guard let old else { continue }
                number += 1
                try await story.edit(old, to: random.oneIn(2) ? "http://b.de/\(number)" : "plain")
            case 7, 8: if let old { try await story.delete(old) }
            case 9:
                _ = try device.engine.store.write {
                    try $0.evictOldestMessages(Int.random(in: 1...9, using: &random), in: channel)
                }
            case 10, 11:
                await device.engine.disconnect()
                try await say(Int.random(in: 0...6, using: &random))
                if let old { try await story.edit(old, to: "www.c.de/\(number)") }
                story.limitFeed([nil, 0, 1][random.number(below: 3)])
                _ = try await device.engine.connect(as: Credentials("bob"))
                try await device.engine.caughtUp()
                story.limitFeed(nil)
            case 12:
                // Messages that the server adds to its past.
                guard let time = old?.createdAt.milliseconds else { continue }
                number += 1
                let late = Message(
                    id: MessageID("late-\(number)"), channelURL: channel,
                    sender: Sender(id: "alice"), text: "www.late.de/\(number)",
                    createdAt: Timestamp(milliseconds: time - 1))
                try story.server.importMessages([late], isReported: random.oneIn(2))
            case 13:
                if random.oneIn(2) {
                    backup = try story.server.backup()
                } else {
                    try story.server.restore(backup)
                    for device in devices { try await refresh(device) }
                }
            default:
                let before = device.list.gap
                let rows = try await device.list.loadPrevious()
                #expect(!rows.isEmpty || device.list.gap != before || !device.list.hasPrevious)
            }
            try await expectAgreement(devices, story, in: url, "step \(step) in \(channel)")
        }
        for device in devices {
            try await refresh(device)
            while device.list.hasPrevious { try await device.list.loadPrevious() }
        }
        try await expectAgreement(devices, story, in: url, "all loads")
        for device in devices { await device.checkChanges() }
    }

    /// Waits until a device has what it missed, and has verified what it had before.
    private func refresh(_ device: Device) async throws {
        for url in Self.urls {
            try await device.engine.caughtUp(url)
            try await device.engine.fetchStaleMessages(in: url)
        }
    }

    // MARK: Fetching only messages of the kinds

    /// A device with an empty cache, for a channel in which every twentieth of 200 messages has a
    /// link.
    private func sparse(canFilter: Bool = true) async throws -> Story {
        var conditions = ServerConditions()
        if !canFilter { conditions.missingCapabilities = [.kindFilter] }
        let story = try await Story(.exact, conditions)
        let texts = (1...200).map { $0.isMultiple(of: 20) ? "www.a.de/\($0)" : "\($0)" }
        try await story.say(texts.joined(separator: " "))
        try await story.sync()
        try story.store.write { try $0.clearMessages(in: "general") }
        return story
    }

    @Test func serverReturnsOnlyTheMessagesOfTheKinds() async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 4, engine: story.engine)
        try await list.start()
        #expect(list.rows.isEmpty && list.gap?.upper == .end && list.gapIndex == 0)
        #expect(try await list.loadPrevious().count == 4 && list.gapIndex == 4)
        #expect(list.gap?.upper == list.rows.last?.message.position.map { .position($0) })
        #expect(try await list.loadPrevious().count == 4)
        #expect(try await list.loadPrevious().count == 2)
        #expect(!list.hasPrevious && list.gap == nil && list.rows.count == 10)
        // The history stays as it was: one gap, in which the messages are stored.
        #expect(try story.store.gaps(in: "general") == [Gap(in: "general")])
        #expect(try story.store.messageCount(in: "general") == 10)
        // The next list knows that it is complete.
        let again = MessageList(of: .link, in: "general", pageSize: 10, engine: story.engine)
        #expect(try await again.start().count == 10 && !again.hasPrevious)
        let images = MessageList(of: [.image, .link], in: "general", engine: story.engine)
        try await images.start()
        #expect(images.gap?.upper == .end)
        #expect(try await images.loadPrevious().isEmpty && !images.hasPrevious)
    }

    @Test func truncationEndsTheCoverage() async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 20, engine: story.engine)
        try await list.start()
        try await list.loadPrevious()
        #expect(!list.hasPrevious)
        story.limitFeed(0)
        try await story.sendWhileOffline("www.b.de 201")
        while list.gap == nil { await Task.yield() }
        #expect(list.gap?.upper == .end)
        while list.hasPrevious { try await list.loadPrevious() }
        #expect(list.rows.first?.message.text == "www.b.de" && list.rows.count == 11)
    }

    @Test(arguments: [true, false])
    func staleHistoryIsLookedThroughAgain(canFilter: Bool) async throws {
        let story = try await sparse(canFilter: canFilter)
        while let gap = try story.store.gaps(in: "general").last {
            _ = try await story.engine.fetchMessages(
                in: "general", at: gap.backfillCursor.map { .cursor($0) } ?? .newest, older: 200,
                newer: 0, bound: gap.upper == .end ? nil : gap.upper)
        }
        let list = MessageList(of: .link, in: "general", pageSize: 20, engine: story.engine)
        try await list.start()
        #expect(list.rows.count == 10 && !list.hasPrevious)
        let old = try await story.alice.history(of: "general")[30]
        let late = Message(
            id: "late", channelURL: "general", sender: Sender(id: "alice"), text: "www.late.de",
            createdAt: Timestamp(milliseconds: old.createdAt.milliseconds + 1))
        try story.server.importMessages([late], isReported: false)
        // The engine might fetch the whole stale range in the background.
        if canFilter { story.network.hold([.messages]) }
        try story.store.write { try $0.markStale(StaleRange(in: "general", lossNumber: 0)) }
        while list.gap == nil { await Task.yield() }
        #expect(list.hasPrevious && list.gapIndex == 0)
        while list.hasPrevious { try await list.loadPrevious() }
        #expect(list.rows.count == 11 && list.rows.contains { $0.message.text == "www.late.de" })
        // Only the links were looked up, unless the whole history was.
        #expect(try story.store.staleRanges(in: "general").isEmpty == !canFilter)
        story.network.stopHolding()
    }

    @Test(arguments: [true, false])
    func pageThatNoLongerContinuesTheCoverageExtendsNone(hasCursor: Bool) async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 4, engine: story.engine)
        try await list.start()
        try await list.loadPrevious()
        let coverage = try #require(try story.store.kindCoverage(in: "general").first)
        if !hasCursor {
            try story.store.write {
                try $0.save(KindCoverage(.link, in: "general", downTo: coverage.lower))
            }
        }
        story.network.hold([.messagesOfKinds])
        async let page = list.loadPrevious()
        try await story.held(1)
        try story.store.write { try $0.open(Gap(in: "general")) }
        story.network.stopHolding()
        _ = try await page
        #expect(try story.store.kindCoverage(in: "general") == [])
        #expect(list.gap?.upper == .end)
    }

    @Test func editOfAMissingMessageIsStoredIfItsKindIsCovered() async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 20, engine: story.engine)
        try await list.start()
        try await list.loadPrevious()
        let old = try await story.alice.history(of: "general")[4]
        try await story.edit(old, to: "now with www.c.de")
        while list.rows.count < 11 { await Task.yield() }
        #expect(list.rows.last?.message.text == "now with www.c.de" && !list.hasPrevious)
        try await story.edit(old, to: "without")
        while list.rows.count > 10 { await Task.yield() }
    }

    @Test func evictionEndsTheCoverageBelowTheRemainingMessages() async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 20, engine: story.engine)
        try await list.start()
        try await list.loadPrevious()
        try story.store.write { try $0.evictOldestMessages(4, in: "general") }
        while list.rows.count > 6 { await Task.yield() }
        #expect(list.gap?.upper == list.rows.last?.message.position.map { .position($0) })
        #expect(list.gapIndex == 6)
        #expect(try await list.loadPrevious().count == 4 && !list.hasPrevious)
    }

    @Test func deletedMessagesOfACoveredRangeAreRemoved() async throws {
        let story = try await sparse()
        let list = MessageList(of: .link, in: "general", pageSize: 20, engine: story.engine)
        try await list.start()
        try await list.loadPrevious()
        let old = try await story.alice.history(of: "general").filter { $0.kinds == .link }
        await story.engine.disconnect()
        try await story.delete(old[3])
        story.limitFeed(0)
        try await story.say("more")
        try await story.connect()
        while list.gap == nil { await Task.yield() }
        while list.hasPrevious { try await list.loadPrevious() }
        while list.rows.count > 9 { await Task.yield() }
        #expect(!list.rows.contains { $0.message.messageID == old[3].messageID })
    }

    @Test func allChannelsAreFetchedFromTheNewestGapOn() async throws {
        let story = try await sparse()
        try story.createChannel("ships")
        try await story.say("www.s.de/1 2 www.s.de/3", in: "ships")
        try await story.waitUntilNotified()
        try story.store.write { try $0.clearMessages(in: "ships") }
        let list = MessageList(of: .link, pageSize: 5, engine: story.engine)
        try await list.start()
        var pages = 0
        while list.hasPrevious {
            try await list.loadPrevious()
            pages += 1
        }
        #expect(list.rows.count == 12 && pages < 6)
        #expect(list.rows.prefix(2).map(\.message.channelURL) == ["ships", "ships"])
    }

    // MARK: Galleries

    @Test func galleryIsScrolledFromEndToEndWhileMessagesArrive() async throws {
        let count = 10_000
        let store = try ChatStore.inMemory()
        var picture = FileInfo()
        picture.mimeType = "image/png"
        func save(_ number: Int) throws {
            try store.write { try $0.save(message(number, picture)) }
        }
        for start in stride(from: 1, through: count, by: 1_000) {
            try store.write { batch in
                for number in start..<start + 1_000 { try batch.save(message(number, picture)) }
                try batch.cover("general", from: .beginning, through: .end)
            }
        }
        let engine = SyncEngine(
            store: store, backend: try EmbeddedServer.inMemory().client(), options: .exact)
        let list = MessageList(of: .image, in: "general", pageSize: 400, engine: engine)
        let changes = list.allChanges()
        try await list.start()
        var next = count
        while list.hasPrevious {
            next += 1
            try save(next)
            try await list.loadPrevious()
        }
        while list.rows.count < next { await Task.yield() }
        // Positions differ, and the newest comes first.
        #expect(list.rows.map(\.message.createdAt.milliseconds) == (1...Int64(next)).reversed())
        list.dispose()
        var rows = 0
        for await change in changes {
            if let reset = change.reset {
                rows = reset.count
            } else {
                rows += change.insertions.count - change.deletions.count
            }
        }
        #expect(rows == next)
    }

    private func message(_ number: Int, _ file: FileInfo) -> Message {
        var message = Message(
            type: .file, id: MessageID("\(number)"), channelURL: "general",
            createdAt: Timestamp(milliseconds: Int64(number)))
        message.file = file
        return message
    }

    // MARK: Threads

    @Test func threadsAreOrderedByTheirLastReply() async throws {
        let story = try await Story()
        let parents = try await story.say("a b c")
        try await story.reply("x y", to: parents[0])
        try await story.reply("z", to: parents[1])
        try await story.open()
        let list = MessageList(
            of: .thread, in: "general", order: .lastReplyFirst, userID: "bob", pageSize: 1,
            engine: story.engine)
        #expect(try await list.start().map(\.message.text) == ["b"] && list.hasPrevious)
        #expect(try await list.loadPrevious().map(\.message.text) == ["a"] && !list.hasPrevious)
        let thread = try #require(list.rows[1].thread)
        #expect(thread.lastReply?.text == "y" && thread.unreadCount == 2)
        #expect(thread.participants.map(\.userID) == ["alice"])
        try await story.reply("w", to: parents[0])
        while list.rows.map(\.message.text) != ["a", "b"] { await Task.yield() }
        while list.rows[0].thread?.lastReply?.text != "w" { await Task.yield() }
        #expect(list.rows[0].thread?.unreadCount == 3)
        // The user has read the channel.
        try await story.engine.perform(MarkAsRead("general"))
        while list.rows[0].thread?.unreadCount != 0 { await Task.yield() }
        #expect(list.rows[1].thread?.unreadCount == 0)
        // A new thread comes first, and the thread of a deleted message goes.
        try await story.reply("v", to: parents[2])
        while list.rows.map(\.message.text) != ["c", "a", "b"] { await Task.yield() }
        try await story.delete(parents[0])
        while list.rows.map(\.message.text) != ["c", "b"] { await Task.yield() }
        #expect(list.gapIndex == nil)
    }

    @Test func missingThreadsAreFetched() async throws {
        let story = try await Story()
        let parents = try await story.say("a b c d e f")
        try await story.reply("x", to: parents[0])
        try await story.reply("y", to: parents[3])
        try await story.sync()
        try story.store.write { try $0.clearMessages(in: "general") }
        let list = MessageList(
            of: .thread, order: .lastReplyFirst, userID: "bob", engine: story.engine)
        try await list.start()
        #expect(list.rows.isEmpty && list.gapIndex == 0)
        #expect(try await list.loadPrevious().map(\.message.text) == ["d", "a"])
        #expect(!list.hasPrevious && list.rows[0].thread?.lastReply == nil)
        #expect(try story.store.messageCount(in: "general") == 2)
    }
}
