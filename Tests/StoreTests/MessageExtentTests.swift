import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// The range in which readers search a channel after messages were removed from it.
@Suite struct MessageExtentTests {
    private let store: ChatStore

    /// Saves a to e at 1 to 5.
    init() throws {
        store = try ChatStore.inMemory()
        try store.write { batch in
            for (id, time) in [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)]
                as [(MessageID, Timestamp)]
            {
                try batch.save(Message(id, at: time))
            }
        }
    }

    private func save(_ id: MessageID, at time: Timestamp) throws {
        try store.write { batch in try batch.save(Message(id, at: time)) }
    }

    private func remove(_ ids: MessageID...) throws {
        try store.write { batch in
            for id in ids { try batch.removeMessage(id, in: "general") }
        }
    }

    /// The messages at the bounds of the recorded range, as a new reader gets it; "all" for the
    /// whole table, and "-" if nothing is recorded.
    private func extent(asOf snapshot: Snapshot? = nil) throws -> String {
        let version = try snapshot?.version ?? store.view.version
        guard version.hasExtents, let range = version.extents.range(of: 1, asOf: version.number)
        else { return "-" }
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, 1) })
        if range == table { return "all" }
        func id(_ key: KeyBytes) -> String {
            let position = try? key.withBytes { try ByteReader.position(ofMessageKey: $0) }
            return position?.messageID.rawValue ?? "?"
        }
        let newest = range.lower == table.lower ? "…" : id(range.lower)
        // The upper bound is the key of the oldest message, followed by a zero.
        let oldest = range.upper == table.upper ? "…" : id(range.upper.dropLast())
        return range.lower == range.upper ? "none" : "\(newest) to \(oldest)"
    }

    // MARK: Learned extents

    @Test func channelWithoutRemovalsHasNoExtent() throws {
        _ = try store.messages(in: "general")
        #expect(try extent() == "-")
    }

    @Test func pageReadRecordsTheNewestPosition() throws {
        try remove("e", "d")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general", limit: 1).ids == "c")
        #expect(try extent() == "c to …")
        #expect(try store.messages(in: "general", limit: 2).ids == "c b")
    }

    @Test func pageToTheEndRecordsTheOldestMessage() throws {
        try remove("a")
        #expect(try store.messages(in: "general", before: .time(4), limit: 2).ids == "c b")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general", before: .time(4), limit: 3).ids == "c b")
        #expect(try extent() == "… to b")
        #expect(try store.messages(in: "general").ids == "e d c b")
        #expect(try extent() == "e to b")
    }

    @Test func soDoesAPageTowardsTheNewest() throws {
        try remove("a", "e")
        #expect(try store.messages(in: "general", after: .oldest, limit: 1).ids == "b")
        #expect(try extent() == "… to b")
        #expect(try store.messages(in: "general", after: .time(3), limit: 3).ids == "d")
        #expect(try extent() == "d to b")
    }

    @Test func positionReadsRecordTheOutermostPositions() throws {
        try remove("a", "e")
        #expect(try store.newestPosition(in: "general")?.messageID == "d")
        #expect(try store.oldestPosition(in: "general")?.messageID == "b")
        #expect(try extent() == "d to b")
    }

    @Test func idsOfAnyLengthAreLearnt() throws {
        let ids = [10, 100, 200, 50].map { MessageID(String(repeating: "x", count: $0)) }
        for (id, time) in zip(ids, [-4, -3, -2, -1] as [Timestamp]) { try save(id, at: time) }
        try remove("a", ids[0])
        _ = try store.messages(in: "general")
        #expect(try extent() == "e to \(ids[1])")
        try remove(ids[1])
        _ = try store.messages(in: "general", after: .oldest, limit: 1)
        #expect(try extent() == "e to \(ids[2])")
    }

    @Test func pageAfterRemovalsAtTheEndShrinksTheExtent() throws {
        try remove("e")
        _ = try store.messages(in: "general")
        try remove("c", "d")
        #expect(try extent() == "d to a")
        #expect(try store.messages(in: "general", limit: 1).ids == "b")
        #expect(try extent() == "b to a")
    }

    @Test func emptyChannelIsRecorded() throws {
        try remove("a", "b", "c", "d", "e")
        #expect(try store.messages(in: "general").ids == "")
        #expect(try extent() == "none")
        try save("c", at: 3)
        #expect(try store.messages(in: "general").ids == "c")
        #expect(try store.messages(in: "general", after: .oldest).ids == "c")
    }

    // MARK: Invalidation

    @Test func newMessageIsVisibleImmediately() throws {
        try remove("e", "a")
        _ = try store.messages(in: "general")
        try save("f", at: 6)
        #expect(try extent() == "f to b")
        #expect(try store.messages(in: "general", limit: 1).ids == "f")
        try save("0", at: 0)
        #expect(try extent() == "f to 0")
        #expect(try store.messages(in: "general", after: .oldest, limit: 1).ids == "0")
    }

    @Test func olderSnapshotSeesItsMessages() throws {
        let before = try store.snapshot()
        try remove("e")
        let between = try store.snapshot()
        _ = try store.messages(in: "general")
        try remove("d", "a")
        _ = try store.messages(in: "general")
        #expect(try extent() == "c to b")
        #expect(try extent(asOf: between) == "-")
        #expect(try before.messages(in: "general").ids == "e d c b a")
        #expect(try between.messages(in: "general").ids == "d c b a")
        #expect(try extent() == "c to b")
    }

    @Test func idMissingInAnOlderSnapshotMayExistNow() throws {
        try remove("e", "a")
        let before = try store.snapshot()
        try save("f", at: 6)
        #expect(try before.messages(in: "general").ids == "d c b")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general").ids == "f d c b")
    }

    @Test func batchSeesItsOwnMessages() throws {
        try remove("e", "a")
        _ = try store.messages(in: "general")
        try store.write { batch in
            try batch.save(Message("f", at: 6))
            #expect(try batch.messages(in: "general").ids == "f d c b")
        }
    }

    @Test func failedBatchChangesNoExtent() throws {
        struct Undo: Error {}
        try remove("e")
        _ = try store.messages(in: "general")
        #expect(throws: Undo.self) {
            try store.write { batch in
                try batch.save(Message("f", at: 6))
                try batch.removeMessage("d", in: "general")
                throw Undo()
            }
        }
        #expect(try extent() == "d to a")
        #expect(try store.messages(in: "general").ids == "d c b a")
    }

    @Test func ephemeralEventsChangeNoExtents() throws {
        try remove("e")
        try store.emit(.typing([], in: "general"))
        _ = try store.messages(in: "general", limit: 1)
        #expect(try extent() == "d to …")
        try save("f", at: 6)
        #expect(try store.messages(in: "general", limit: 1).ids == "f")
    }

    @Test func clearedChannelHasNewExtents() throws {
        try remove("e")
        _ = try store.messages(in: "general")
        let before = try store.snapshot()
        try store.write { batch in
            try batch.clearMessages(in: "general")
            try batch.save(Message("z", at: 9))
        }
        #expect(try store.messages(in: "general").ids == "z")
        #expect(try before.messages(in: "general").ids == "d c b a")
        try store.purgeCleared()
        #expect(try store.messages(in: "general").ids == "z")
        #expect(try before.messages(in: "general").ids == "d c b a")
    }

    @Test func thereAreAFewOfThem() throws {
        let count = MessageExtents.limit + 10
        let urls = (0..<count).map { ChannelURL("channel \($0)") }
        try store.write { batch in
            for url in urls {
                try batch.save(Message("a", at: 1, in: url))
                try batch.save(Message("b", at: 2, in: url))
            }
        }
        for url in urls {
            try store.write { batch in try batch.removeMessage("b", in: url) }
            #expect(try store.messages(in: url).ids == "a")
        }
        let extents = try store.view.version.extents
        #expect((1...count + 1).count { extents.range(of: UInt32($0), asOf: .max) != nil } == 10)
        for url in urls { #expect(try store.messages(in: url).ids == "a") }
    }

    // MARK: Any history

    private typealias Model = [ChannelURL: [MessageID: Timestamp]]

    @Test(arguments: Seeds.few)
    func everyReaderSeesTheMessagesOfItsCommit(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let store = try ChatStore.inMemory()
        let urls = ["x", "y"] as [ChannelURL]
        var model: Model = [:]
        var kept: [(reader: Snapshot, model: Model)] = []
        for _ in 0..<60 {
            try store.write { batch in
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    try Self.change(batch, &model, random.pick(urls), &random)
                    if random.oneIn(6) { try Self.check(batch, model, random.pick(urls), &random) }
                }
            }
            if random.oneIn(10) { try store.emit(.typing([], in: "x")) }
            if random.oneIn(10) { try store.purgeCleared() }
            if random.oneIn(3) { kept.append((try store.snapshot(), model)) }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                try Self.check(store, model, random.pick(urls), &random)
                // Read the snapshots in random order, so that older ones are read between newer
                // ones.
                guard let old = kept.randomElement(using: &random) else { continue }
                try Self.check(old.reader, old.model, random.pick(urls), &random)
            }
            if kept.count > 4 { kept.remove(at: Int.random(in: 0..<5, using: &random)) }
        }
    }

    private static func change(
        _ batch: Batch, _ model: inout Model, _ url: ChannelURL, _ random: inout SeededRandom
    ) throws {
        let time = Timestamp(milliseconds: Int64.random(in: 1...20, using: &random))
        // Three consecutive times have the same ID, so saving a message again may change its time.
        let id: MessageID = "\(time.milliseconds / 3)"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            try batch.save(Message(id, at: time, in: url))
            model[url, default: [:]][id] = time
        case 4..<7:
            try batch.removeMessage(id, in: url)
            model[url]?[id] = nil
        case 7..<9:
            // Remove all messages between a random position and one end of the history.
            let position = Position(createdAt: time, messageID: id)
            if random.oneIn(2) {
                try batch.removeMessages(in: url, from: .position(position))
                model[url] = model[url]?.filter {
                    Position(createdAt: $0.value, messageID: $0.key) < position
                }
            } else {
                try batch.removeMessages(in: url, through: .position(position))
                model[url] = model[url]?.filter {
                    position < Position(createdAt: $0.value, messageID: $0.key)
                }
            }
        default:
            if random.oneIn(3) {
                try batch.clearMessages(in: url)
                model[url] = nil
            }
        }
    }

    private static func check(
        _ reader: some StoreReader, _ model: Model, _ url: ChannelURL,
        _ random: inout SeededRandom
    ) throws {
        let sorted = (model[url] ?? [:])
            .map { Position(createdAt: $0.value, messageID: $0.key) }.sorted()
        func texts(_ positions: some Sequence<Position>) -> String {
            positions.map(\.messageID.rawValue).joined(separator: " ")
        }
        let limit = random.pick([nil, 1, 2, 5])
        let time = Timestamp(milliseconds: Int64.random(in: 0...21, using: &random))
        let (older, newer) = (
            sorted.filter { $0.createdAt < time }, sorted.filter { $0.createdAt > time }
        )
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            #expect(
                try reader.messages(in: url, limit: limit).ids
                    == texts(sorted.reversed().prefix(limit ?? .max)))
        case 1:
            #expect(
                try reader.messages(in: url, after: .oldest, limit: limit).ids
                    == texts(sorted.prefix(limit ?? .max)))
        case 2:
            #expect(
                try reader.messages(in: url, before: .time(time), limit: limit).ids
                    == texts(older.reversed().prefix(limit ?? .max)))
        case 3:
            #expect(
                try reader.messages(in: url, after: .time(time), limit: limit).ids
                    == texts(newer.prefix(limit ?? .max)))
        case 4:
            #expect(try reader.newestPosition(in: url) == sorted.last)
            #expect(try reader.oldestPosition(in: url) == sorted.first)
        default:
            let position = Position(createdAt: time, messageID: "0")
            #expect(
                try reader.positions(in: url, from: .position(position), to: .end)
                    == sorted.filter { position < $0 }.reversed())
            #expect(
                try reader.messageCount(in: url, from: .beginning, to: .position(position))
                    == sorted.count { $0 < position })
        }
    }

    @Test func readersOnSeveralThreadsSeeEachCommitWhole() throws {
        let store = store
        onThreads(4) { thread in
            if thread == 0 {
                // The newest and the oldest messages are saved and removed.
                for round in 0..<200 {
                    _ = try? store.write { batch in
                        try batch.removeMessages(in: "general")
                        try batch.save(
                            Message("n", at: Timestamp(milliseconds: Int64(100 + round % 7))))
                        try batch.save(
                            Message("o", at: Timestamp(milliseconds: Int64(50 - round % 7))))
                    }
                }
            } else {
                for _ in 0..<400 {
                    // The channel keeps its number, so each commit has both messages.
                    let page = try? store.messages(in: "general", limit: thread == 1 ? nil : 5)
                    let ids = page?.ids
                    if ids != "n o" && ids != "e d c b a" {
                        Issue.record("\(ids ?? "nothing") was read")
                    }
                    _ = try? store.oldestPosition(in: "general")
                }
            }
        }
        #expect(try store.messages(in: "general").ids == "n o")
    }
}
