import Models
import ScrollbackTesting
import TestSupport
import Testing

@testable import Store

/// Which messages a write does not look for, since nothing can be held under their ids.
@Suite struct HeldIDTests {
    private let directory: StoreDirectory
    private var store: ChatStore

    /// m10 to m19, read by nobody since.
    init() throws {
        directory = try StoreDirectory()
        store = try directory.open()
        try save(10..<20)
        try reopen()
    }

    private mutating func reopen() throws {
        store.close()
        store = try directory.open()
    }

    private func save(_ numbers: some Sequence<Int>) throws {
        for number in numbers { try save(MessageID("m\(number)")) }
    }

    private func save(_ ids: MessageID..., at time: Timestamp = 1) throws {
        try store.write { batch in
            for id in ids { try batch.save(Message(id, at: time)) }
        }
    }

    /// Those of some ids that the next write would look for.
    private func lookedFor(_ ids: MessageID..., in number: ChannelNumber = 1) -> String {
        store.writer.withLock { writer in
            var held = writer.known.ids
            held.beginBatch()
            return ids.filter { held.mayHold($0, in: number) }
                .map(\.rawValue).joined(separator: " ")
        }
    }

    @Test func allAreLookedForInAChannelOfWhichNothingIsKnown() throws {
        #expect(lookedFor("a", "m15", "z") == "a m15 z")
        try save(20..<27)
        #expect(lookedFor("a", "m15", "z") == "a m15 z")
    }

    @Test func afterEightNewOnesThoseBeyondTheEndsAreNot() throws {
        try save(20..<28)
        #expect(lookedFor("a", "m09", "m10", "m15", "m2", "m27", "m28", "z") == "m10 m15 m2 m27")
    }

    @Test func thatCountsThoseWhichHadToBeLookedForAlone() throws {
        try save("m15", "m16", at: 2)
        try save(20..<27)
        #expect(lookedFor("z") == "z")
        try save("m27")
        #expect(lookedFor("m27", "z") == "m27")
        try save("m28", "m30", "k")
        #expect(lookedFor("j", "k", "m30", "m31") == "k m30")
    }

    @Test func ofANewChannelItIsKnownThatNothingIsHeld() throws {
        try store.write { try $0.save(GroupChannel(url: "new", createdAt: 1)) }
        #expect(lookedFor("a", in: 2) == "")
        try store.write { try $0.save(Message("m5", at: 1, in: "new")) }
        #expect(lookedFor("m4", "m5", "m6", in: 2) == "m5")
    }

    @Test func aChannelThatWasClearedIsNew() throws {
        try save(20..<28)
        try store.write { try $0.clearMessages(in: "general") }
        #expect(lookedFor("m15", in: 2) == "")
        try save("m15")
        #expect(lookedFor("m14", "m15", in: 2) == "m15")
        #expect(try store.messages(in: "general").ids == "m15")
    }

    @Test func aBatchFindsWhatItHasPut() throws {
        try save(20..<28)
        let change = try store.write { batch in
            for (id, time) in [("m30", 3), ("m29", 2), ("m30", 3), ("m29", 4)]
                as [(MessageID, Timestamp)]
            {
                try batch.save(Message(id, at: time))
            }
            #expect(try batch.removeMessage("m30", in: "general"))
            try batch.save(Message("m30", at: 5))
        }
        #expect(change.entries.count == 5)
        #expect(try store.messages(in: "general", limit: 3).ids == "m30 m29 m27")
        #expect(try store.messageCount(in: "general") == 20)
    }

    @Test func thePutsOfABatchAreBetweenNoEndsWithinIt() throws {
        try save(20..<28)
        try store.write { batch in
            try batch.save(Message("m40", at: 2))
            // A page comes with the newest first, and none of it is held.
            #expect(!batch.mayHold("m39", in: 1))
            #expect(!batch.mayHold("m40", in: 1))
        }
        #expect(lookedFor("m39", "m40", "m41") == "m39 m40")
    }

    @Test func whatWasRemovedIsLookedFor() throws {
        try save(20..<28)
        try store.write { try $0.removeMessage("m27", in: "general") }
        #expect(lookedFor("m27") == "m27")
        try save("m27")
        #expect(try store.messageCount(in: "general") == 18)
    }

    @Test func whatABatchHasPutThatIsNotWrittenIsLookedFor() throws {
        try save(20..<28)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { batch in
                try batch.save(Message("m50", at: 1))
                throw Stop()
            }
        }
        #expect(lookedFor("m50", "m51") == "m50")
    }

    @Test func anIDWithOneMoreDigitLiesAmongTheOthers() throws {
        try store.write { try $0.save(GroupChannel(url: "new", createdAt: 1)) }
        for number in 8...10 {
            try store.write { batch in
                try batch.save(Message(MessageID("\(number)"), at: 1, in: "new"))
            }
        }
        #expect(lookedFor("1", "10", "11", "8", "9", "91", in: 2) == "10 11 8 9")
    }

    @Test func aMessageThatMovesStaysHeldOnce() throws {
        try save(20..<28)
        try save("m27", at: 9)
        try save("m28", at: 3)
        try save("m28", at: 8)
        #expect(try store.messages(in: "general", limit: 2).ids == "m27 m28")
        #expect(try store.messageCount(in: "general") == 19)
    }

    @Test func ofManyChannelsItBeginsAnew() throws {
        let urls = (0...HeldIDs.limit).map { ChannelURL("c\($0)") }
        try store.write { batch in
            for url in urls { try batch.save(Message("m", at: 1, in: url)) }
        }
        #expect(lookedFor("a", "m", "z", in: 2) == "a m z")
    }

    @Test func endsThatCannotBeReadAreNowhere() throws {
        store.close()
        try directory.writeToCache([
            (ByteWriter.key { $0.table(.place, 1) } + [0xFF], [UInt8](repeating: 0x80, count: 8))
        ])
        let store = try directory.open()
        try store.write { batch in
            for number in 20..<28 { try batch.save(Message(MessageID("m\(number)"), at: 1)) }
        }
        let mayHold = store.writer.withLock { writer in
            var ids = writer.known.ids
            ids.beginBatch()
            return ids.mayHold("z", in: 1)
        }
        #expect(mayHold)
    }
}
