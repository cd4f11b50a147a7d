import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the local labels of channels, and the lists that depend on them.
@Suite struct ChannelLabelTests {
    static let queries: [GroupChannelListQuery] = {
        let changes: [(inout GroupChannelListQuery) -> Void] = [
            { $0.labelListedFirst = "pinned" },
            { $0.labelsFilter = ["work", "family"] },
            { $0.excludedLabelsFilter = ["archived"] },
            {
                $0.labelsFilter = ["work", "pinned"]
                $0.excludedLabelsFilter = ["archived"]
                $0.labelListedFirst = "pinned"
            },
            {
                $0.labelListedFirst = "pinned"
                $0.channelNameContainsFilter = "a"
            },
        ]
        return GroupChannelListOrder.allCases.flatMap { order in
            changes.map { change in
                var query = GroupChannelListQuery()
                (query.order, query.metaDataOrderKeyFilter) = (order, "k")
                change(&query)
                return query
            }
        }
    }()

    /// Channels and labels, from which the expected lists are computed.
    struct Naive: Equatable {
        var channels: [ChannelURL: GroupChannel] = [:]
        var labels: [ChannelURL: ChannelLabels] = [:]

        func list(_ query: GroupChannelListQuery) -> [GroupChannel] {
            channels.values.filter { channel in
                let labels = labels[channel.url]?.labels ?? []
                return (query.labelsFilter.isEmpty || !labels.isDisjoint(with: query.labelsFilter))
                    && labels.isDisjoint(with: query.excludedLabelsFilter)
                    && query.belongsTo(channel)
            }
            .sorted { precedes($0, $1, query) }
        }

        func precedes(
            _ left: GroupChannel, _ right: GroupChannel, _ query: GroupChannelListQuery
        ) -> Bool {
            func isFirst(_ channel: GroupChannel) -> Bool {
                query.labelListedFirst.map { labels[channel.url]?.labels.contains($0) ?? false }
                    ?? false
            }
            if isFirst(left) != isFirst(right) { return isFirst(left) }
            if isFirst(left) {
                switch (labels[left.url]?.sortKey, labels[right.url]?.sortKey) {
                case (nil, nil): break
                case (nil, _): return false
                case (_, nil): return true
                case (let left?, let right?) where left != right:
                    return left.utf8.lexicographicallyPrecedes(right.utf8)
                default: break
                }
            }
            return query.precedes(left, right)
        }
    }

    private func change(_ naive: inout Naive, _ batch: Batch, _ random: inout SeededRandom) throws {
        let url = ChannelURL("c\(random.number(below: 25))")
        switch random.number(below: 8) {
        case 0:
            try batch.removeChannel(url)
            naive.channels[url] = nil
        case 1, 2, 3:
            var labels = ChannelLabels()
            for label in ["pinned", "archived", "work", "family"] where random.oneIn(3) {
                labels.labels.insert(label)
            }
            labels.sortKey = random.pick([nil, "", "a", "a\0", "b", "é"])
            try batch.setLabels(labels, of: url)
            naive.labels[url] = labels.isEmpty ? nil : labels
        default:
            var channel = GroupChannel(
                url: url, name: random.pick(["", "a", "ab", "b"]),
                createdAt: Timestamp(milliseconds: Int64(random.number(below: 4))))
            if !random.oneIn(3) {
                channel.lastMessage = Message(
                    "m", at: Timestamp(milliseconds: Int64(random.number(below: 4))), in: url)
            }
            channel.metadata = random.oneIn(3) ? [:] : ["k": random.pick(["u", "v"])]
            try batch.save(channel)
            naive.channels[url] = channel
        }
    }

    private func check(
        _ naive: Naive, _ reader: some StoreReader, _ random: inout SeededRandom
    ) throws {
        #expect(try reader.channelLabels() == naive.labels)
        for query in Self.queries where random.oneIn(3) {
            let expected = naive.list(query)
            #expect(try reader.groupChannels(matching: query) == expected)
            var (last, found): (GroupChannel?, [GroupChannel]) = (nil, [])
            let limit = 1 + random.number(below: 5)
            repeat {
                let page = try reader.groupChannels(matching: query, after: last, limit: limit)
                found += page
                last = page.count < limit ? nil : page.last
            } while last != nil
            #expect(found == expected)
        }
    }

    @Test(arguments: Seeds.count(8, atNight: 200))
    func listsEqualANaiveSortAlsoAfterACrash(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let directory = try StoreDirectory(seed % 4 == 0 ? .encrypted : .plain)
        var disks = FailingDisks()
        var store = try disks.open(directory)
        var naive = Naive()
        for _ in 0..<24 {
            try store.write { batch in
                for _ in 0..<random.number(below: 8) { try change(&naive, batch, &random) }
                if random.oneIn(4) { try check(naive, batch, &random) }
            }
            try check(naive, store, &random)
            guard random.oneIn(6) else { continue }
            // The cache loses its last writes, and the labels, whose writes are durable, do not.
            try disks.cutPower(of: store, at: directory.url)
            disks = FailingDisks()
            store = try disks.open(directory)
            naive.channels = Dictionary(
                uniqueKeysWithValues: try store.groupChannels(matching: .all).map { ($0.url, $0) })
            try check(naive, store, &random)
            #expect(try store.check() == [])
        }
        store.close()
    }

    @Test(arguments: [true, false])
    func crashBetweenTheDatabasesLeavesListsThatFollowTheLabels(isClosed: Bool) throws {
        let directory = try StoreDirectory()
        let disks = FailingDisks()
        var store = try disks.open(directory)
        var query = GroupChannelListQuery()
        (query.order, query.labelListedFirst) = (.chronological, "pinned")
        try store.write { batch in
            for (url, time) in [("a", 1), ("b", 2), ("c", 3)] as [(ChannelURL, Timestamp)] {
                try batch.save(GroupChannel(url: url, createdAt: time))
            }
            try batch.setLabels(ChannelLabels(["pinned"]), of: "a")
        }
        #expect(try store.groupChannels(matching: query).urls == "a c b")
        if isClosed {
            // The first channels of the list are now saved in the cache.
            store.close()
            store = try disks.open(directory)
        }
        // The cache is written, and the labels are not.
        disks.outbox.fail(at: 1, with: EIO, once: false)
        #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(GroupChannel(url: "d", createdAt: 4))
                try batch.setLabels(ChannelLabels(["pinned"]), of: "b")
                try batch.setLabels(ChannelLabels(), of: "a")
            }
        }
        #expect(try store.groupChannels(matching: query).urls == "a d c b")
        disks.heal()
        store.close()
        store = try directory.open()
        #expect(try store.groupChannels(matching: query).urls == "a d c b")
        // The labels are written, and the cache is lost.
        try store.write { try $0.setLabels(ChannelLabels(["pinned"]), of: "b") }
        store.close()
        try ChatStore.removeCache(at: directory.url)
        store = try directory.open()
        #expect(try store.groupChannels(matching: query).isEmpty)
        try store.write { batch in
            for (url, time) in [("a", 1), ("b", 2), ("c", 3)] as [(ChannelURL, Timestamp)] {
                try batch.save(GroupChannel(url: url, createdAt: time))
            }
        }
        #expect(try store.groupChannels(matching: query).urls == "b a c")
        store.close()
    }

    @Test func observersReceiveLabelsWithTheStoredChannel() throws {
        let store = try ChatStore.inMemory()
        let list = try store.observe(.channels).changes
        let other = try store.observe(.channel("b")).changes
        try store.write { try $0.setLabels(ChannelLabels(["x", "y"]), of: "a") }
        try store.write { try $0.save(GroupChannel(url: "a", createdAt: 1)) }
        try store.write { try $0.setLabels(ChannelLabels(sortKey: "1"), of: "a") }
        try store.write { try $0.setLabels(ChannelLabels(), of: "a") }
        try store.write { try $0.setLabels(ChannelLabels(), of: "a") }
        #expect(
            list.drain().map(\.picture) == [
                "labels(a x y)", "group(a)", "labels(a  stored)", "labels(a  stored)",
            ])
        #expect(other.drain().isEmpty)
    }

    @Test func labelsAreRowsOfATable() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.setLabels(ChannelLabels(["b", "a"], sortKey: "1"), of: "c") }
        let table = try #require(try store.tables().first { $0.name == "scrollback.labels" })
        let value = try #require(try store.values(in: table).first?.value)
        #expect(String(decoding: value, as: UTF8.self) == #"{"labels":["a","b"],"sortKey":"1"}"#)
        // Any way to change the table is reported as a change of labels.
        let list = try store.observe(.channels).changes
        try store.write { try $0.removeTable(table.name) }
        #expect(list.drain().map(\.picture) == ["labels(c )"])
        #expect(try store.labels(of: "c") == ChannelLabels())
    }

    @Test func unreadableLabelsAreReportedAndReplaced() throws {
        let store = try ChatStore.inMemory()
        let table = StoreTable(
            ChannelLabels.table.name, home: .kept, ChannelLabels.table.rawDefinition)
        try store.write { batch in
            try batch.save(GroupChannel(url: "a", createdAt: 1))
            try batch.put(Data("[".utf8), for: #require(RawKey(["a"], as: [.channel])), in: table)
        }
        #expect(code { _ = try store.labels(of: "a") } == .unreadableValue)
        var query = GroupChannelListQuery()
        query.excludedLabelsFilter = ["archived"]
        #expect(try store.groupChannels(matching: query).urls == "a")
        try store.write { try $0.setLabels(ChannelLabels(["archived"]), of: "a") }
        #expect(try store.groupChannels(matching: query).urls == "")
    }

    @Test func labelsNeedAChannelWhoseURLFits() throws {
        let store = try ChatStore.inMemory()
        for url in ["", ChannelURL(String(repeating: "a", count: 65_536))] {
            #expect(
                code { try store.write { try $0.setLabels(ChannelLabels(["x"]), of: url) } }
                    == .invalid)
        }
    }
}

extension GroupChannelListQuery {
    fileprivate static var all: GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.hiddenStateFilter = .all
        return query
    }
}

extension StoreTable {
    fileprivate var rawDefinition: TableDefinition { TableDefinition(of: self) }
}
