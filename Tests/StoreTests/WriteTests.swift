import Foundation
import Models
import Testing

@testable import Store

@Suite struct WriteTests {
    @Test func whatThrowsHasDoneNothing() throws {
        let store = try ChatStore.inMemory()
        let tooLong = Gap.Bound.position(
            Position(createdAt: 1, messageID: MessageID(String(repeating: "x", count: 65_536))))
        let known = Gap.Bound.position(Position(createdAt: 1, messageID: "m"))
        let change = try store.write { batch in
            #expect(code { try batch.open(Gap(in: "a", to: tooLong)) } == .invalid)
            #expect(
                code { try batch.markStale(StaleRange(in: "b", to: tooLong, epoch: 1)) } == .invalid
            )
            #expect(code { try batch.cover("c", from: tooLong, through: .end) } == .invalid)
            #expect(code { try batch.cover("d", from: .end, through: .beginning) } == .invalid)
            #expect(code { try batch.update(Gap(in: "e", from: known)) } == .invalid)
            #expect(code { try batch.save(Message("", at: 1, in: "f")) } == .invalid)
            #expect(code { try batch.save(Draft("hi", request: "", in: "g")) } == .invalid)
        }
        #expect(change.isEmpty && change.number == 0)
        #expect(try store.channelURLs().isEmpty)
    }

    @Test func theGapThatAnUnknownChannelIsCanBeUpdated() throws {
        let store = try ChatStore.inMemory()
        var gap = try #require(try store.gaps(in: "a").first)
        gap.walkCursor = "w"
        try store.write { try $0.update(gap) }
        #expect(try store.gaps(in: "a") == [gap])
    }

    @Test func aWriteStandsWhereOnlyTheCleaningBehindItFails() throws {
        let directory = ScratchDirectory()
        try ChatStore(at: directory.url).close()
        do {
            // A row that cannot be read, among those that say what is to be cleaned.
            let rows = Overlay()
            rows.put { $0.raw([Table.cleared.rawValue, 0xFF]) }
            let cache = try LevelDB(at: directory.url.appending(path: "cache").path)
            try cache.write(rows, isDurable: true)
        }
        let store = try ChatStore(at: directory.url)
        let (_, changes) = try store.observe(.everything)
        let change = try store.write { try $0.save(Message("a", at: 1)) }
        #expect(change.number == 1)
        #expect(changes.drain() == [change])
        #expect(try store.messages(in: "general").ids == "a")
        // Who asks for the cleaning itself is told.
        #expect(code { try store.purgeCleared() } == .corruption)
    }
}
