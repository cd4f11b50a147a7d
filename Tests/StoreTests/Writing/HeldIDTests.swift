import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests for which messages a write makes no lookup, because their ids cannot be in the store.
@Suite struct HeldIDTests {
    private let directory: StoreDirectory
    private var store: ChatStore

    /// Saves m10 to m19, and opens the store again, so that it has read no message yet.
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

    /// Returns those of the given ids that the next write would look up.
    private func lookedFor(_ ids: MessageID..., in number: ChannelNumber = 1) -> String {
        store.writer.withLock { writer in
            var held = writer.known.ids
            held.beginBatch()
            return ids.filter { held.mayHold($0, in: number) }
                .map(\.rawValue).joined(separator: " ")
        }
    }

    @Test func allIDsOfAnUnknownChannelAreLookedUp() throws {
        #expect(lookedFor("a", "m15", "z") == "a m15 z")
        try save("m15", at: 2)
        #expect(lookedFor("a", "m15", "z") == "a m15 z")
    }

    @Test func afterANewMessageIDsOutsideTheRangeAreNotLookedUp() throws {
        try save(20..<28)
        #expect(lookedFor("a", "m09", "m10", "m15", "m2", "m27", "m28", "z") == "m10 m15 m2 m27")
    }

    @Test func newChannelNeedsNoLookup() throws {
        try store.write { try $0.save(GroupChannel(url: "new", createdAt: 1)) }
        #expect(lookedFor("a", in: 2) == "")
        try store.write { try $0.save(Message("m5", at: 1, in: "new")) }
        #expect(lookedFor("m4", "m5", "m6", in: 2) == "m5")
    }

    @Test func clearedChannelNeedsNoLookup() throws {
        try save(20..<28)
        try store.write { try $0.clearMessages(in: "general") }
        #expect(lookedFor("m15", in: 2) == "")
        try save("m15")
        #expect(lookedFor("m14", "m15", in: 2) == "m15")
        #expect(try store.messages(in: "general").ids == "m15")
    }

    @Test func committedBatchUpdatesTheChannelsExtent() throws {
        try save(20..<28)
        try store.write { batch in
            try batch.save(Message("m40", at: 2))
            // A page is saved from the newest message to the oldest. Before this batch, the channel
            // had no ids in the range of the page, so none of them can be in the store.
            #expect(!batch.mayHold("m39", in: 1))
            #expect(!batch.mayHold("m40", in: 1))
        }
        #expect(lookedFor("m39", "m40", "m41") == "m39 m40")
    }

    @Test func lookupOfARemovedIDReadsTheDatabase() throws {
        try save(20..<28)
        try store.write { try $0.removeMessage("m27", in: "general") }
        #expect(lookedFor("m27") == "m27")
        try save("m27")
        #expect(try store.messageCount(in: "general") == 18)
    }

    @Test func batchFindsItsUncommittedMessages() throws {
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

    @Test func idWithOneMoreDigitIsLookedUp() throws {
        try store.write { try $0.save(GroupChannel(url: "new", createdAt: 1)) }
        for number in 8...10 {
            try store.write { batch in
                try batch.save(Message(MessageID("\(number)"), at: 1, in: "new"))
            }
        }
        #expect(lookedFor("1", "10", "11", "8", "9", "91", in: 2) == "10 11 8 9")
    }

    @Test func rangesAreDiscardedAboveTheChannelLimit() throws {
        let urls = (0...HeldIDs.limit).map { ChannelURL("c\($0)") }
        try store.write { batch in
            for url in urls { try batch.save(Message("m", at: 1, in: url)) }
        }
        #expect(lookedFor("a", "m", "z", in: 2) == "a m z")
    }

    @Test(arguments: [true, false])
    mutating func unreadableRangeMakesAllIDsBeLookedUp(isDamaged: Bool) throws {
        store.close()
        let id: [UInt8] = isDamaged ? [0xFF] : Array("m99".utf8)
        try directory.writeToCache([
            (ByteWriter.key { $0.table(.creationTime, 1) } + id, [UInt8](repeating: 0x80, count: 8))
        ])
        store = try directory.open()
        try save(20..<28)
        #expect(lookedFor("a", "m99", "z") == (isDamaged ? "a m99 z" : "m99"))
    }

    @Test(arguments: ["cache", "outbox"])
    mutating func messagesOfAFailedWriteAreLookedUp(name: String) throws {
        store.close()
        let disks = FailingDisks()
        store = try disks.open(directory.url)
        try save(20..<28)
        (name == "cache" ? disks.cache : disks.outbox).fail(at: 1, with: EIO, once: true)
        #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.save(Message("m50", at: 1))
                if name == "outbox" { try batch.save(OutboxItem("hi", request: "r")) }
            }
        }
        #expect(lookedFor("m50") == "m50")
        try save("m50", at: 2)
        #expect(try store.messageCount(in: "general") == 19)
        #expect(try store.contradictions() == [])
    }

    @Test mutating func numberOfAFailedBatchIsAssignedAgain() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { batch in
                try batch.save(Message("m5", at: 1, in: "failed"))
                throw Stop()
            }
        }
        try store.write { try $0.save(Message("m3", at: 1, in: "second")) }
        #expect(lookedFor("m3", "m5", in: 2) == "m3")
        #expect(try store.contradictions() == [])
    }

    @Test func rowsWrittenDuringASuspensionAreFound() throws {
        try save(20..<28)
        try store.suspend()
        let other = try directory.open()
        try other.write { try $0.save(Message("m50", at: 1)) }
        other.close()
        try store.resume()
        #expect(lookedFor("m50") == "m50")
        try save("m50", at: 2)
        #expect(try store.messageCount(in: "general") == 19)
    }
}
