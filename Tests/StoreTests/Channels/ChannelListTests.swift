import Models
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
}
