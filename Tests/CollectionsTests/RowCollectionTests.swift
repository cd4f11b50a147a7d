import Collections
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests the live rows of a table of the app.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RowCollectionTests {
    private let notes = StoreTable<Pair<ChannelURL, Int>, String>("notes")
    private let cached = StoreTable<String, Int>("cached", home: .cached)

    private func picture<Value>(
        _ rows: RowCollection<Pair<ChannelURL, Int>, Value>
    ) -> String {
        rows.rows.map { "\($0.key.first)\($0.key.second) \($0.value)" }.joined(separator: ", ")
    }

    @Test func rowsFollowTheirTable() async throws {
        let story = try await ClientStory()
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let all = try client.table(notes)
        let ofA = try client.table(
            notes, within: .beginning(with: "a"), isDescending: true, limit: 2)
        #expect(all.rows.isEmpty)
        for number in 1...3 { try await all.put("n\(number)", for: Pair("a", number)) }
        try await all.put("other", for: Pair("b", 0))
        await shows { picture(all) == "a1 n1, a2 n2, a3 n3, b0 other" }
        await shows { picture(ofA) == "a3 n3, a2 n2" }
        // The row after the last one appears again when there is room.
        try await all.removeValue(for: Pair("a", 3))
        await shows { picture(ofA) == "a2 n2, a1 n1" }
        try await all.put("new", for: Pair("a", 2))
        await shows { picture(ofA) == "a2 new, a1 n1" && picture(all).hasPrefix("a1 n1, a2 new") }
        #expect(picture(try client.table(notes)) == picture(all))
        ofA.dispose()
        try await all.removeValue(for: Pair("a", 2))
        await shows { picture(all) == "a1 n1, b0 other" }
        #expect(picture(ofA) == "a2 new, a1 n1")
        await client.close()
    }

    @Test func manyRandomChangesLeaveTheRowsOfARead() async throws {
        let story = try await ClientStory()
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let store = try client.engine.store
        var random = SeededRandom(seed: 1)
        let part = StoreKeyRange(from: Pair(ChannelURL("b"), 1), to: Pair("c", 3))
        let collections = try [false, true].flatMap { isDescending in
            try [nil, 3].map { limit in
                (
                    try client.table(notes, within: part, isDescending: isDescending, limit: limit),
                    isDescending, limit
                )
            }
        }
        for step in 0..<60 {
            try store.write { batch in
                for _ in 0..<random.number(below: 4) {
                    let url: ChannelURL = ["a", "b", "c"][random.number(below: 3)]
                    let key = Pair(url, random.number(below: 5))
                    if random.oneIn(2) {
                        try batch.removeValue(for: key, in: notes)
                    } else {
                        try batch.put("\(step)", for: key, in: notes)
                    }
                }
            }
            for (collection, isDescending, limit) in collections {
                let rows = try store.values(
                    in: notes, within: part, isDescending: isDescending, limit: limit)
                await shows {
                    collection.rows.map(\.key) == rows.map(\.key)
                        && collection.rows.map(\.value) == rows.map(\.value)
                }
            }
        }
        await client.close()
    }

    @Test func textsWithOtherBytesAreOtherRows() async throws {
        let story = try await ClientStory()
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let rows = try client.table(cached)
        try await rows.put(1, for: "\u{E9}")
        await shows { rows.rows.map(\.value) == [1] }
        try await rows.put(2, for: "e\u{301}")
        await shows { rows.rows.map(\.value) == [2, 1] }
        try await rows.removeValue(for: "e\u{301}")
        await shows { rows.rows.map(\.value) == [1] }
        await client.close()
    }

    @Test func valueThatCannotBeDecodedIsReported() async throws {
        struct Tag: Codable, Sendable {
            let name: String

            init(_ name: String) { self.name = name }

            init(from decoder: any Decoder) throws {
                name = try String(from: decoder)
                if name.isEmpty { throw CancellationError() }
            }

            func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
        }
        let story = try await ClientStory()
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let rows = try client.table(StoreTable<String, Tag>("tags"))
        try await rows.put(Tag("a"), for: "a")
        await shows { rows.rows.map(\.key) == ["a"] }
        try await rows.put(Tag(""), for: "a")
        await shows { rows.rows.isEmpty && rows.unreadableKeys == ["a"] }
        try await rows.put(Tag("b"), for: "a")
        await shows { rows.rows.map(\.key) == ["a"] && rows.unreadableKeys.isEmpty }
        await client.close()
    }

    @Test func clearingAndLoggingOutRemoveTheRowsThatTheySay() async throws {
        let story = try await ClientStory()
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let (kept, gone) = (try client.table(notes), try client.table(cached))
        try await kept.put("note", for: Pair("general", 1))
        try await gone.put(1, for: "a")
        await shows { kept.rows.count == 1 && gone.rows.count == 1 }
        try await client.clearCachedData()
        await shows { gone.rows.isEmpty }
        #expect(kept.rows.count == 1)

        // After a log-out that keeps the outbox, kept rows are still there.
        try await client.logOut(wiping: .cachedData)
        #expect(kept.rows.isEmpty)
        try await client.connect(as: Credentials("bob"))
        #expect(try client.table(notes).rows.map(\.value) == ["note"])
        try await client.logOut(wiping: .everything)
        try await client.connect(as: Credentials("bob"))
        #expect(try client.table(notes).rows.isEmpty)
        await client.close()
    }

    @Test func openingATableConvertsItsValues() async throws {
        let story = try await ClientStory()
        var client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        try await client.table(notes).put("7", for: Pair("a", 1))
        await client.close()
        client = try await story.open()
        let new = StoreTable<Pair<ChannelURL, Int>, Int>("notes", version: 2) { _, _, value in
            Int(try JSONDecoder().decode(String.self, from: value)) ?? 0
        }
        try await client.open(new)
        #expect(try client.table(new).rows.map(\.value) == [7])
        #expect(throws: SyncError.self) { try client.table(notes) }
        await client.close()
    }

    /// Waits until a condition holds.
    private func shows(_ condition: () -> Bool) async {
        var turns = 0
        while !condition(), turns < 100_000 {
            await Task.yield()
            turns += 1
        }
        #expect(condition())
    }
}
