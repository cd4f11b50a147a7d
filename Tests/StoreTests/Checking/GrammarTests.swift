import Foundation
import Models
import Testing

@testable import Store

/// Reads every row of a store with a reader that follows only the grammar in Docs/Format.md and
/// uses none of the store's code for keys.
///
/// The store has rows of each table.
@Suite struct GrammarTests {
    private let position = Position(createdAt: 20, messageID: "2")

    @Test(arguments: FileForm.allCases) func everyRowFollowsTheGrammar(files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let store = try directory.open()
        var mention = Message("1", at: 10, in: "a", by: "alice", request: "r1")
        mention.mentionedUserIDs = ["bob"]
        let messages = [
            mention,
            Message("2", at: 20, in: "a", to: "1"),
            // This message is inside the gap. It has the request id of message 1, so the index
            // refers to it.
            Message("3", at: -30, in: "a", request: "r1"),
        ]
        let group = GroupChannel(url: "a", createdAt: 1)
        var open = OpenChannel()
        open.url = "ö"
        var user = User()
        user.userID = "alice"
        let items = ["p", "q"].map { id in
            OutboxItem(
                Message(id: nil, channelURL: "a", text: id, createdAt: 5), requestID: RequestID(id))
        }
        let lower = Gap.Bound.position(Position(createdAt: 15, messageID: ""))
        let gap = Gap(
            in: "a", from: lower, to: .position(position), backfillCursor: "walk",
            changesSince: FeedPoint("cursor", number: 7))
        let stale = StaleRange(in: "a", from: .position(position), to: .end, lossNumber: 3)
        try store.write { batch in
            try batch.save(Message("9", at: 9, in: "gone"))
            try batch.save(group)
            try batch.save(open)
            for message in messages { try batch.save(message) }
            try batch.cover("a", from: .beginning, through: .end)
            try batch.open(Gap(in: "a", to: .position(Position(createdAt: 0, messageID: "0"))))
            try batch.open(gap)
            try batch.markStale(stale)
            try batch.save(Tombstone("4", in: "a", deletedAt: 40))
            try batch.save(
                Tombstone(
                    "5", in: "a", deletedAt: 50,
                    position: Position(createdAt: -5, messageID: "5")))
            try batch.save(user)
            batch.setToken([1, 2], for: "an app's own")
            try batch.recordAccess(to: "a")
            try batch.setKeptInCache(true, for: "a")
            for item in items { try batch.save(item) }
        }
        try store.write { try $0.removeChannel("gone") }
        try store.purgeCleared()
        _ = try store.groupChannels()
        store.close()

        let cache = try raw("cache", directory) { try RawCache($0) }
        #expect(cache.version == 2 && cache.nextNumber == 4 && cache.hasKinds)
        #expect(cache.numbers == ["a": 2, "ö": 3] && cache.urls == [2: "a", 3: "ö"])
        #expect(cache.cleared == [0])
        #expect(cache.users == ["alice": user])
        #expect(cache.tokens == ["an app's own": [1, 2]])
        #expect(cache.lists.map(\.numbers) == [[2]] && cache.lists.allSatisfy(\.isWhole))
        #expect(Set(cache.channels.keys) == [2, 3])
        let a = try #require(cache.channels[2])
        #expect(a.group == group && a.open == nil && cache.channels[3]?.open == open)
        #expect(Set(a.messages.values) == Set(messages))
        #expect(a.messages.allSatisfy { $0.key == $0.value.position })
        #expect(a.places == ["1": 10, "2": 20, "3": -30])
        #expect(a.requests == ["r1": "3"])
        #expect(a.replies == ["1": [position]])
        #expect(a.kinds == ["mention of bob": [Position(createdAt: 10, messageID: "1")]])
        #expect(a.gaps.count == 2)
        #expect(a.gaps.last.map { $0 == (gap.upper, lower, "walk", gap.changesSince) } == true)
        #expect(a.staleRanges.map(\.lossNumber) == [3] && a.staleRanges.map(\.upper) == [.end])
        #expect(a.tombstones["4"].map { $0 == (40, nil) } == true)
        #expect(a.tombstones["5"].map { $0 == (50, -5) } == true)
        #expect(a.state == RawCache.State(count: 3, access: 1))

        let outbox = try raw("outbox", directory) { try RawOutbox($0) }
        #expect(outbox.version == 2 && outbox.nextNumber == 3)
        #expect(outbox.generation == 1 && cache.generation == 1)
        #expect(outbox.outboxItems["a"]?.map(\.item) == items)
        #expect(outbox.outboxItems["a"]?.map(\.sequence) == [1, 2])
        #expect(outbox.pins == ["a"])
        #expect(outbox.requests.mapValues(\.sequence) == ["p": 1, "q": 2])
    }

    @Test func lossRowFollowsTheGrammar() throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        let item = OutboxItem(
            Message(id: nil, channelURL: "a", text: "canary", createdAt: 5), requestID: "p")
        try store.write { try $0.save(item) }
        store.close()
        for log in try directory.files("outbox", ".log") {
            var bytes = try Data(contentsOf: log)
            guard let text = bytes.range(of: Data("canary".utf8)) else { continue }
            bytes[text.lowerBound] ^= 1
            try bytes.write(to: log)
        }
        try directory.open().close()
        let rows = try raw("outbox", directory) { try $0.rows() }
        var value = RawBytes(try #require(rows.first { $0.key == Array("sx".utf8) }).value)
        #expect(try value.integer(1) == 0)
        #expect(try value.name() == "outbox-damaged-1")
        #expect(try value.integer(4) == 0)
        let lost = try OutboxItem(serialized: value.take(Int(value.integer(4))))
        #expect(lost.requestID == "p" && lost.message?.text == "banary")
        try value.end()
    }

    private func raw<Value>(
        _ name: String, _ directory: StoreDirectory, _ read: (LevelDB.Snapshot) throws -> Value
    ) throws -> Value {
        let database = try LevelDB(
            at: directory.url.appending(path: name).path, environment: directory.environment(name))
        defer { database.close() }
        return try read(try database.snapshot())
    }
}
