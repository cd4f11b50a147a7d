import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

@Suite struct ChannelListTests {
    /// All group channels of a store.
    ///
    /// The expected lists are computed from them.
    private struct Naive {
        var channels: [ChannelURL: GroupChannel] = [:]

        func list(
            _ query: GroupChannelListQuery, after last: GroupChannel? = nil, limit: Int? = nil
        ) -> [GroupChannel] {
            let all = channels.values.filter { query.belongsTo($0, currentUserID: "me") }
                .sorted { query.precedes($0, $1) }
            let rest = last.map { last in all.filter { query.precedes(last, $0) } } ?? all
            return limit.map { Array(rest.prefix($0)) } ?? rest
        }
    }

    private static let queries: [GroupChannelListQuery] = {
        let changes: [(inout GroupChannelListQuery) -> Void] = [
            { _ in }, { $0.hiddenStateFilter = .all }, { $0.hiddenStateFilter = .hiddenOnly },
            { $0.includesEmptyChannel = false }, { $0.channelNameContainsFilter = "a" },
            { $0.memberStateFilter = .invitedOnly }, { $0.customTypesFilter = ["x"] },
            { $0.metaDataKeyFilter = "k" }, { $0.unreadChannelFilter = .unreadMessage },
        ]
        return GroupChannelListOrder.allCases.flatMap { order in
            changes.map { change in
                var query = GroupChannelListQuery()
                query.order = order
                query.metaDataOrderKeyFilter = "k"
                change(&query)
                return query
            }
        }
    }()

    /// Returns a channel.
    ///
    /// Each of its properties has one of few values, so that many channels are equal in a property.
    private func channel(_ number: Int, _ random: inout SeededRandom) -> GroupChannel {
        var channel = GroupChannel(
            url: ChannelURL("c\(number)"),
            name: ["", "a", "ab", "b\0", "b", "Ä"][random.number(below: 6)],
            createdAt: Timestamp(milliseconds: [0, 1, 1, -5, .max, .min][random.number(below: 6)]))
        if !random.oneIn(3) {
            channel.lastMessage = Message(
                "m", at: Timestamp(milliseconds: Int64(random.number(below: 4)) - 1),
                in: channel.url)
        }
        if !random.oneIn(3) {
            channel.metadata = ["k": ["", "u", "v\u{1}", "v"][random.number(below: 4)]]
        }
        if random.oneIn(4) { channel.hiddenState = .hiddenAllowAutoUnhide }
        if random.oneIn(4) { channel.myMemberState = .invited }
        if random.oneIn(2) { channel.customType = "x" }
        channel.unreadMessageCount = random.number(below: 2)
        return channel
    }

    private func change(_ naive: inout Naive, _ batch: Batch, _ random: inout SeededRandom) throws {
        let channel = channel(random.number(below: 40), &random)
        switch random.number(below: 8) {
        case 0:
            try batch.removeChannel(channel.url)
            naive.channels[channel.url] = nil
        case 1:
            try batch.clearMessages(in: channel.url)
        case 2:
            try batch.save(OpenChannel(url: channel.url, createdAt: 1))
            naive.channels[channel.url] = nil
        default:
            try batch.save(channel)
            naive.channels[channel.url] = channel
        }
    }

    // MARK: Lists

    @Test(arguments: 0..<4) func listsEqualASortOfAllChannels(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var naive = Naive()
        let store = try ChatStore.inMemory()
        for round in 0..<20 {
            try store.write { batch in
                for _ in 0..<random.number(below: 15) { try change(&naive, batch, &random) }
                if round % 5 == 0 {
                    let query = Self.queries[random.number(below: Self.queries.count)]
                    let list = try batch.groupChannels(matching: query, currentUserID: "me")
                    #expect(list == naive.list(query))
                }
            }
            // Not every query is read after each step, so that the first read for an order happens
            // in various states of the store.
            for query in Self.queries where random.oneIn(3) {
                let list = try store.groupChannels(matching: query, currentUserID: "me")
                #expect(list == naive.list(query))
            }
            #expect(try store.groupChannelCount() == naive.channels.count)
        }
        for query in Self.queries {
            #expect(
                try store.groupChannels(matching: query, currentUserID: "me") == naive.list(query))
        }
    }

    @Test(arguments: 0..<4) func pagesFollowEachOtherWhileChannelsMove(seed: Int) throws {
        var random = SeededRandom(seed: 100 + seed)
        var naive = Naive()
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for _ in 0..<60 { try change(&naive, batch, &random) }
        }
        for query in Self.queries {
            var last: GroupChannel?
            while true {
                let limit = 1 + random.number(below: 6)
                let page = try store.groupChannels(
                    matching: query, after: last, limit: limit, currentUserID: "me")
                #expect(page == naive.list(query, after: last, limit: limit))
                if page.count < limit { break }
                last = page.last
                try store.write { batch in
                    for _ in 0..<random.number(below: 3) { try change(&naive, batch, &random) }
                }
            }
        }
    }

    @Test func unchangedChannelsAreOnExactlyOnePage() throws {
        let store = try ChatStore.inMemory()
        var random = SeededRandom(seed: 3)
        try store.write { batch in
            // These channels differ only in their URLs.
            for number in 0..<50 {
                try batch.save(GroupChannel(url: ChannelURL("still\(number)"), createdAt: 7))
            }
        }
        var query = GroupChannelListQuery()
        query.order = .latestLastMessage
        var seen: [ChannelURL] = []
        var last: GroupChannel?
        while true {
            let page = try store.groupChannels(matching: query, after: last, limit: 7)
            seen += page.map(\.url).filter { $0.rawValue.hasPrefix("still") }
            guard let end = page.last else { break }
            last = end
            try store.write { batch in
                var moving = GroupChannel(
                    url: ChannelURL("moving\(random.number(below: 9))"),
                    createdAt: Timestamp(milliseconds: Int64(random.number(below: 15))))
                moving.lastMessage = random.oneIn(2) ? nil : Message("m", at: 5)
                try batch.save(moving)
                try batch.removeChannel(ChannelURL("moving\(random.number(below: 9))"))
            }
        }
        #expect(seen == (0..<50).map { ChannelURL("still\($0)") }.sorted())
    }

    @Test func listContainsTheChannelsOfItsCommit() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.save(GroupChannel(url: "a", createdAt: 1)) }
        let one = try store.snapshot()
        try store.write { try $0.save(GroupChannel(url: "b", createdAt: 2)) }
        let two = try store.snapshot()
        #expect(try two.groupChannels().urls == "b a")
        try store.write { try $0.removeChannel("a") }
        try store.write { try $0.clearMessages(in: "b") }
        // Only now, this older snapshot reads its list for the first time.
        #expect(try one.groupChannels().urls == "a")
        #expect(try two.groupChannels().urls == "b a")
        #expect(try store.groupChannels().urls == "b")
        #expect(try one.groupChannelCount() == 1 && two.groupChannelCount() == 2)
        #expect(try one.groupChannel("b") == nil)
        #expect(try two.groupChannel("a")?.createdAt == 1)
    }

    @Test func batchListsItsOwnChanges() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.save(GroupChannel(url: "a", createdAt: 1)) }
        try store.write { batch in
            #expect(try batch.groupChannels().urls == "a")
            try batch.save(GroupChannel(url: "b", createdAt: 2))
            #expect(try batch.groupChannels().urls == "b a")
            #expect(try batch.groupChannelCount() == 2)
            try batch.removeChannel("a")
            #expect(try batch.groupChannels().urls == "b")
            try batch.save(OpenChannel(url: "o", createdAt: 1))
            #expect(try batch.openChannels().urls == "o")
            #expect(try store.groupChannels().urls == "a")
        }
        #expect(try store.groupChannels().urls == "b")
    }

    @Test func openChannelsAreListedNewestFirst() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for (url, time) in [("a", 5), ("b", 9), ("c", 5), ("d", -1)]
                as [(ChannelURL, Timestamp)]
            {
                try batch.save(OpenChannel(url: url, createdAt: time))
            }
            try batch.save(GroupChannel(url: "g", createdAt: 7))
        }
        let all = try store.openChannels()
        #expect(all.urls == "b a c d")
        #expect(try store.openChannels(limit: 2).urls == "b a")
        #expect(try store.openChannels(after: all[1], limit: 2).urls == "c d")
        #expect(try store.openChannels(after: all[3]).urls == "")
        #expect(try store.openChannels(limit: 0).urls == "")
        #expect(try store.openChannelCount() == 4)
        try store.write { try $0.save(OpenChannel(url: "d", createdAt: 6)) }
        #expect(try store.openChannels(after: all[0]).urls == "d a c")
        #expect(try store.openChannel("d")?.createdAt == 6)
        #expect(try store.groupChannel("d") == nil)
    }

    // MARK: Recipes

    @Test func savingAChannelTwiceIsAnUpsert() throws {
        let store = try ChatStore.inMemory()
        let (_, first) = try store.commit { try $0.save(GroupChannel(url: "a", createdAt: 1)) }
        #expect(first.picture == "gap(-∞ +∞) group(a)")
        try store.write { try $0.save(Message("m", at: 1, in: "a")) }
        let (_, second) = try store.commit {
            try $0.save(GroupChannel(url: "a", name: "new", createdAt: 1))
        }
        #expect(second.picture == "group(a)")
        #expect(try store.groupChannels().map(\.name) == ["new"])
        #expect(try store.messages(in: "a").ids == "m")
    }

    @Test func recreatedChannelHasNoOldData() throws {
        let store = try ChatStore.inMemory()
        func fill(_ batch: Batch) throws {
            try batch.save(GroupChannel(url: "a", name: "old", createdAt: 1))
            try batch.save(Message("p", at: 1, in: "a", request: "r"))
            try batch.save(Message("q", at: 2, in: "a", to: "p"))
            try batch.cover("a", from: .beginning, through: .end)
            try batch.markStale(StaleRange(in: "a", epoch: 1))
            try batch.save(Tombstone("x", in: "a", deletedAt: 5))
            try batch.recordAccess(to: "a")
        }
        func expectNothing(_ reader: some StoreReader) throws {
            #expect(try reader.groupChannel("a") == nil)
            #expect(try reader.groupChannels().isEmpty)
            #expect(try reader.messages(in: "a").isEmpty)
            #expect(try reader.messages(in: "a", after: .oldest).isEmpty)
            #expect(try reader.message("p", in: "a") == nil)
            #expect(try reader.message(requestID: "r", in: "a") == nil)
            #expect(try reader.replies(to: "p", in: "a").isEmpty)
            #expect(try reader.messageCount(in: "a") == 0)
            #expect(try reader.messageCount() == 0)
            #expect(try reader.gaps(in: "a").picture == "-∞ ~ +∞")
            #expect(try reader.staleRanges(in: "a").isEmpty)
            #expect(try reader.tombstones(in: "a").isEmpty)
        }
        try store.write(fill)
        let before = try store.snapshot()
        let (_, change) = try store.commit { (batch) throws in
            #expect(try batch.removeChannel("a"))
            try expectNothing(batch)
            #expect(try !batch.removeChannel("a"))
        }
        #expect(change.picture == "removed(a)")
        try expectNothing(store)
        #expect(try store.channelURLs().isEmpty)
        #expect(try store.channelURLsByAccess().isEmpty)

        // Another channel with the same URL must not have old data, whether it is created in a
        // later batch or in the batch that removes the first channel.
        try store.write { try $0.recordAccess(to: "a") }
        try expectNothing(store)
        try store.write { batch in
            try batch.removeChannel("a")
            try fill(batch)
            try batch.removeChannel("a")
            try batch.recordAccess(to: "a")
        }
        try expectNothing(store)
        #expect(try store.channelURLs() == ["a"])

        try store.purgeCleared()
        try expectNothing(store)
        #expect(try before.messages(in: "a").ids == "q p")
        #expect(try before.groupChannels().map(\.name) == ["old"])
        #expect(try before.gaps(in: "a").isEmpty)
    }

    @Test func anOpenChannelMayBecomeAGroupChannel() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(OpenChannel(url: "a", createdAt: 1))
            try batch.save(Message("m", at: 1, in: "a"))
        }
        #expect(try store.openChannels().urls == "a" && store.groupChannels().urls == "")
        try store.write { try $0.save(GroupChannel(url: "a", createdAt: 2)) }
        #expect(try store.openChannels().urls == "" && store.groupChannels().urls == "a")
        #expect(try store.openChannel("a") == nil)
        #expect(try store.messages(in: "a").ids == "m")
        try store.write { batch in
            try batch.save(OpenChannel(url: "a", createdAt: 3))
            #expect(try batch.groupChannel("a") == nil)
            #expect(try batch.groupChannels().isEmpty)
        }
        #expect(try store.openChannels().urls == "a" && store.groupChannels().urls == "")
    }

    // MARK: Access and pins

    @Test func leastRecentlyOpenedChannelIsEvictedFirst() throws {
        let directory = ScratchDirectory()
        do {
            let store = try ChatStore(at: directory.url)
            try store.write { batch in
                for url in ["a", "b", "c", "d"] as [ChannelURL] {
                    try batch.save(GroupChannel(url: url, createdAt: 1))
                }
            }
            #expect(try store.channelURLsByAccess() == ["a", "b", "c", "d"])
            try store.write { batch in
                try batch.recordAccess(to: "c")
                try batch.recordAccess(to: "a")
                try batch.recordAccess(to: "new")
            }
            #expect(try store.channelURLsByAccess() == ["b", "d", "c", "a", "new"])
            try store.write { try $0.recordAccess(to: "c") }
            #expect(try store.channelURLsByAccess() == ["b", "d", "a", "new", "c"])
            try store.write { try $0.clearMessages(in: "a") }
            #expect(try store.channelURLsByAccess() == ["b", "d", "a", "new", "c"])
            store.close()
        }
        // The counter of channel accesses continues after the store is opened again.
        let store = try ChatStore(at: directory.url)
        try store.write { try $0.recordAccess(to: "d") }
        #expect(try store.channelURLsByAccess() == ["b", "a", "new", "c", "d"])
    }

    @Test func pinStaysUntilItIsRemoved() throws {
        let store = try ChatStore.inMemory()
        #expect(try !store.isPinned("a"))
        try store.write { try $0.setPinned(true, for: "a") }
        try store.write { try $0.save(Message("m", at: 1, in: "a")) }
        try store.write { try $0.clearMessages(in: "a") }
        #expect(try store.isPinned("a"))
        #expect(try store.messageCount(in: "a") == 0)
        try store.write { try $0.removeChannel("a") }
        try store.clearCachedData()
        #expect(try store.isPinned("a") && store.channelURLs() == [])
        try store.write { try $0.setPinned(false, for: "a") }
        #expect(try !store.isPinned("a"))
    }
}
