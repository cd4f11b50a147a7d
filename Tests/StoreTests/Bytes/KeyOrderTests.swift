import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests that the bytes of a key have the order of the values that they encode, because LevelDB
/// compares keys byte by byte.
@Suite struct KeyOrderTests {
    static let times: [Timestamp] = {
        var times: Set<Int64> = [.min, .min + 1, -1, 0, 1, .max - 1, .max, 1_700_000_000_000]
        for power in 1..<63 {
            for offset: Int64 in [-1, 0, 1] {
                times.insert((1 << power) + offset)
                times.insert(-(1 << power) + offset)
            }
        }
        return times.sorted().map { Timestamp(milliseconds: $0) }
    }()

    static let texts: [String] = [
        "", "\0", "\0\0", "\0a", "a", "a\0", "a\0\0", "a\0b", "aa", "ab", "b", "a\u{1}", "\u{7f}",
        "\u{80}", "é", "e\u{301}", "日本", "\u{ffff}", "\u{10ffff}", "👩‍👩‍👧", "\u{ff}", "zz",
    ]

    static let ids: [MessageID] = {
        let numbers = ["0", "1", "9", "10", "11", "99", "100", "9223372036854775807", "-1", "007"]
        let long = [254, 255, 256, 257, 65_534, 65_535].flatMap { count in
            ["a", "b", "\u{7f}"].map { String(repeating: "a", count: count - 1) + $0 }
        }
        return (texts + numbers + long).map(MessageID.init)
    }()

    static func position(_ random: inout SeededRandom) -> Position {
        Position(createdAt: random.pick(times), messageID: random.pick(ids))
    }

    static func bound(_ random: inout SeededRandom) -> Gap.Bound {
        random.oneIn(5)
            ? random.pick([.beginning, .end]) : .position(position(&random))
    }

    /// Expects that each pair of values has the same order as their bytes.
    func expectSameOrder<Value>(
        _ values: [Value], _ precedes: (Value, Value) -> Bool, _ key: (Value) -> KeyBytes,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let keys = values.map(key)
        for (left, leftKey) in zip(values, keys) {
            for (right, rightKey) in zip(values, keys)
            where leftKey.precedes(rightKey) != precedes(left, right)
                || leftKey.lexicographicallyPrecedes(rightKey) != precedes(left, right)
            {
                Issue.record("\(left) and \(right)", sourceLocation: location)
            }
        }
    }

    /// Expects that reading the bytes of a value returns the value and leaves no byte, and that
    /// truncated bytes are rejected.
    func expectRoundTrip<Value: Equatable>(
        _ value: Value, _ write: (inout ByteWriter) -> Void,
        reading read: (inout ByteReader) throws(ByteReader.Damage) -> Value,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = ByteWriter.key(write)
        func decode(_ bytes: KeyBytes) throws(ByteReader.Damage) -> Value {
            try bytes.withBytes { (bytes) throws(ByteReader.Damage) in
                var reader = ByteReader(bytes)
                let result = try read(&reader)
                try reader.end()
                return result
            }
        }
        let result = try decode(bytes)
        #expect(result == value, sourceLocation: location)
        for count in [0, bytes.count / 2, bytes.count - 1] {
            let part = try? decode(Array(bytes.prefix(count)))
            #expect(part == nil, "\(count) bytes", sourceLocation: location)
        }
    }

    // MARK: Orders

    @Test func timesHaveTheOrderOfTheirKeys() {
        expectSameOrder(Self.times, <) { time in ByteWriter.key { $0.timestamp(time) } }
    }

    @Test func idsHaveTheOrderOfTheirKeys() {
        expectSameOrder(Self.ids, <) { id in ByteWriter.key { $0.measured(id.rawValue) } }
    }

    @Test(arguments: Seeds.count(8, atNight: 1000))
    func positionsHaveTheOrderOfTheirKeys(seed: Int) {
        var random = SeededRandom(seed: seed)
        // There are few different times, so that ids often decide the order.
        let times = (0..<4).map { _ in random.pick(Self.times) }
        let positions = (0..<24).map { _ in
            Position(createdAt: random.pick(times), messageID: random.pick(Self.ids))
        }
        expectSameOrder(positions, <) { position in ByteWriter.key { $0.position(position) } }
        expectSameOrder(positions, >) { position in
            ByteWriter.key { $0.messageKey(7, position) }
        }
        expectSameOrder(positions, >) { position in
            ByteWriter.key { $0.replyKey(7, "parent", position) }
        }
        for kind in KindKey.all(of: [.link, .mention], for: "ann") {
            expectSameOrder(positions, >) { position in
                ByteWriter.key { $0.kindKey(7, kind, position) }
            }
        }
    }

    @Test(arguments: Seeds.few)
    func boundsHaveTheOrderOfTheirKeys(seed: Int) {
        var random = SeededRandom(seed: seed)
        let bounds = (0..<24).map { _ in Self.bound(&random) }
        expectSameOrder(bounds, <) { bound in ByteWriter.key { $0.boundKey(.gap, 7, bound) } }
    }

    @Test func terminatedTextsAreOrderedByTheirBytes() {
        let pairs = Self.texts.flatMap { text in [0, 1, 0xFF].map { (text, $0 as UInt8) } }
        expectSameOrder(
            pairs,
            { left, right in
                if left.0.utf8.elementsEqual(right.0.utf8) { return left.1 < right.1 }
                return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
            },
            { (text, byte) in
                ByteWriter.key {
                    $0.terminated(text)
                    $0.byte(byte)
                }
            })
    }

    @Test func channelsKeepTheirRowsTogether() {
        let numbers: [ChannelNumber] = [0, 1, 255, 256, 65_535, .max - 1, .max]
        expectSameOrder(numbers, <) { number in ByteWriter.key { $0.table(.message, number) } }
        for number in numbers {
            let range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
            for id in Self.ids {
                for time: Timestamp in [.distantPast, 0, .distantFuture] {
                    let position = Position(createdAt: time, messageID: id)
                    let key = ByteWriter.key { $0.messageKey(number, position) }
                    #expect(!key.precedes(range.lower) && key.precedes(range.upper))
                }
            }
            if number < .max {
                let next = ByteWriter.key { $0.table(.message, number + 1) }
                #expect(!next.precedes(range.upper))
            }
        }
    }

    @Test(arguments: [
        ("61", "62"), ("61 ff", "62"), ("6dffffffff", "6e"), ("ff", "ff"), ("", "ff"),
    ])
    func prefixHasItsSuccessor(_ prefix: String, _ successor: String) {
        #expect(prefix.hex.successorOfPrefix == successor.hex)
    }

    // MARK: Channels' orders

    static func channels(_ random: inout SeededRandom) -> [GroupChannel] {
        (0..<24).map { index in
            var channel = GroupChannel(
                url: ChannelURL(random.pick(texts) + "c\(index)"), name: random.pick(texts),
                createdAt: random.pick([.distantPast, -1, 0, 1, 2, .distantFuture]))
            if random.oneIn(2) {
                channel.lastMessage = Message(
                    id: "1", channelURL: channel.url, createdAt: random.pick([-1, 0, 1, 256]))
            }
            if random.oneIn(2) { channel.metadata = ["k": random.pick(texts), "other": "x"] }
            return channel
        }
    }

    @Test(arguments: GroupChannelListOrder.allCases, Seeds.few)
    func channelsHaveTheOrderOfTheirKeys(order: GroupChannelListOrder, seed: Int) {
        var random = SeededRandom(seed: seed)
        var query = GroupChannelListQuery()
        query.order = order
        query.metaDataOrderKeyFilter = random.pick(["k", "other", "missing", nil])
        let sorting = ChannelSorting(query)
        let channels = Self.channels(&random)
        expectSameOrder(channels, query.precedes) { sorting.key(of: $0, 7) }
        for channel in channels {
            let key = sorting.key(of: channel, 0x0102_03FF)
            #expect(ChannelSorting.number(ofKey: key) == 0x0102_03FF)
            // A page continues after this key. It follows the channel's own key, whatever number
            // the channel has by then.
            #expect(key.precedes(sorting.key(of: channel, .max)))
        }
    }

    @Test(arguments: GroupChannelListOrder.allCases, Seeds.few)
    func truncatedRowHasNoSortKey(order: GroupChannelListOrder, seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let sorting = ChannelSorting.group(order, metaDataKey: "k")
        var refused = 0
        let rows = Rows(snapshot: try LevelDB(at: "/rows", environment: .memory()).snapshot())
        for channel in Self.channels(&random) {
            let row = KeyBytes(channel.serialize())
            for count in 0...row.count {
                let key = KeyBytes(row[..<count]).withBytes { sorting.key(ofRow: $0, 9, in: rows) }
                if count == row.count { #expect(key == sorting.key(of: channel, 9)) }
                if key == nil { refused += 1 }
            }
        }
        #expect(refused > 100)
    }

    @Test func openChannelsAreOrderedNewestFirstThenByURL() {
        let channels = [2, 1, 1, 0].enumerated().map { index, time in
            OpenChannel(
                url: ChannelURL("o\(index)"), createdAt: Timestamp(milliseconds: Int64(time)))
        }
        let keys = channels.compactMap { ChannelSorting.open.key(of: .open($0), 1) }
        #expect(keys.count == 4 && keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
    }

    // MARK: Round trips

    @Test func timesAndIDsAreReadBack() throws {
        for time in Self.times {
            try expectRoundTrip(
                time, { $0.timestamp(time) },
                reading: { (reader) throws(ByteReader.Damage) in try reader.timestamp() })
        }
        for id in Self.ids {
            let position = Position(createdAt: -1, messageID: id)
            try expectRoundTrip(
                position, { $0.position(position) },
                reading: { (reader) throws(ByteReader.Damage) in try reader.position() })
            let key = ByteWriter.key { $0.messageKey(.max, position) }
            #expect(try key.withBytes { try ByteReader.position(ofMessageKey: $0) } == position)
        }
    }

    @Test(arguments: Seeds.few)
    func gapsAndStaleRangesAreReadBack(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let bounds = Set((0..<4).map { _ in Self.bound(&random) } + [.beginning, .end]).sorted()
        let gap = Gap(
            in: "c", from: bounds[0], to: random.pick(Array(bounds[1...])),
            backfillCursor: random.pick(Self.texts + [nil]).map { PageCursor($0) },
            changesSince: random.pick(Self.texts + [nil]).map {
                FeedPoint(FeedCursor($0), number: random.pick([.min, -1, 0, .max]))
            })
        let range = StaleRange(
            in: "c", from: bounds[0], to: gap.upper,
            lossNumber: random.pick(Self.times).milliseconds)
        try expectRoundTrip(
            gap, gap.writeValue,
            reading: { (reader) throws(ByteReader.Damage) in
                try Gap("c", upper: gap.upper, value: &reader)
            })
        try expectRoundTrip(
            range, range.writeValue,
            reading: { (reader) throws(ByteReader.Damage) in
                try StaleRange("c", upper: range.upper, value: &reader)
            })
        try expectRoundTrip(
            gap.upper, { $0.bound(gap.upper) },
            reading: { (reader) throws(ByteReader.Damage) in try reader.bound() })
    }

    // MARK: Damage

    /// Tests a damaged row of each table.
    ///
    /// Reading must report the damage or return another value.
    @Test(arguments: [
        Table.message, .creationTime, .request, .reply, .kind, .groupChannel, .openChannel, .name,
        .url, .gap, .staleRange, .tombstone, .user, .state, .token,
    ])
    func damagedRowNeverTraps(of table: Table) throws {
        let cache = try LevelDB(at: "/cache", environment: .memory())
        let outbox = try LevelDB(at: "/outbox", environment: .memory())
        let all = Overlay()
        let golden = try KeyTests.golden().view.committed.cache.rows()
        for row in golden { all.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        try cache.write(all, isDurable: false)
        var tried = 0
        for row in golden where row.key[0] == table.rawValue {
            let damages =
                (1..<row.key.count).map { (row.key.flipped(at: $0), row.value) }
                + (1..<row.key.count).map { (Array(row.key[..<$0]), row.value) }
                + row.value.indices.map { (row.key, row.value.flipped(at: $0)) }
                + row.value.indices.map { (row.key, Array(row.value[..<$0])) }
            for (key, value) in damages {
                let damage = Overlay()
                damage.remove { $0.raw(row.key) }
                damage.put({ $0.raw(key) }, { $0.raw(value) })
                try cache.write(damage, isDurable: false)
                let committed = CommittedState(
                    number: 0, cache: try cache.snapshot(), outbox: try outbox.snapshot())
                readEverything(of: Snapshot(committed: committed))
                let repair = Overlay()
                repair.remove { $0.raw(key) }
                repair.put({ $0.raw(row.key) }, { $0.raw(row.value) })
                try cache.write(repair, isDurable: false)
                tried += 1
            }
        }
        #expect(tried > 5)
    }

    /// Makes every read.
    ///
    /// The only error that it accepts is damage.
    private func readEverything(of reader: Snapshot) {
        func attempt(_ read: () throws -> Void) {
            do {
                try read()
            } catch let error as StoreError {
                #expect(error.code == .corruption)
            } catch {
                Issue.record("\(error)")
            }
        }
        for url: ChannelURL in ["c", "o"] {
            attempt { _ = try reader.messages(in: url) }
            attempt { _ = try reader.messages(in: url, after: .time(0)) }
            attempt { _ = try reader.message("10", in: url) }
            attempt { _ = try reader.message(requestID: "r", in: url) }
            attempt { _ = try reader.replies(to: "9", in: url) }
            attempt { _ = try reader.messageCount(in: url) }
            attempt {
                _ = try reader.messages(of: [.link, .mention], for: "ann", in: url, limit: 9)
            }
            attempt { _ = try reader.gaps(in: url) }
            attempt { _ = try reader.staleRanges(in: url) }
            attempt { _ = try reader.tombstones(in: url) }
            attempt { _ = try reader.tombstone(of: "8", in: url) }
            attempt { _ = try reader.isKeptInCache(url) }
            attempt { _ = try reader.groupChannel(url) }
            attempt { _ = try reader.openChannel(url) }
        }
        attempt { _ = try reader.groupChannels() }
        attempt { _ = try reader.openChannels() }
        attempt { _ = try reader.messageCount() }
        attempt { _ = try reader.messages(of: .link, limit: 9) }
        attempt { _ = try reader.channelURLs() }
        attempt { _ = try reader.channelURLsByAccess() }
        attempt { _ = try reader.user("ann") }
        attempt { _ = try reader.token("feed") }
    }
}

extension [UInt8] {
    fileprivate func flipped(at index: Int) -> [UInt8] {
        var bytes = self
        bytes[index] ^= 0xFF
        return bytes
    }
}
