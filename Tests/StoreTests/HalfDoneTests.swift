import Models
import Testing

@testable import Store

/// Tests what an operation that throws has changed, and whether the rest of its batch applies.
@Suite struct HalfDoneTests {
    /// The store has channel general with messages 1 to 5, a gap before the first message, and a
    /// gap after the last.
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            for time in 1...5 {
                try batch.save(Message(MessageID("\(time)"), at: Self.time(time)))
            }
            try batch.cover("general", from: Self.bound(1), through: Self.bound(5))
        }
        store.close()
    }

    private static func time(_ time: Int) -> Timestamp { Timestamp(milliseconds: Int64(time)) }

    private static func bound(_ index: Int) -> Gap.Bound {
        .position(Position(createdAt: time(index), messageID: MessageID("\(index)")))
    }

    private func gapKey(_ upper: Gap.Bound) -> KeyBytes {
        ByteWriter.key { $0.boundKey(.gap, 1, upper) }
    }

    @Test func evictionStoresAGapNextToADamagedOne() throws {
        try directory.writeToCache([(gapKey(Self.bound(1)), [0xFF])])
        let store = try directory.open()
        #expect(code { _ = try store.gaps(in: "general") } == .corruption)
        try store.write { try $0.evictOldestMessages(2, in: "general") }
        #expect(try store.messages(in: "general").ids == "5 4 3")
        // The bounds of the damaged gap are lost, so the whole history counts as missing.
        #expect(try store.gaps(in: "general").picture == "-∞ ~ +∞")
        #expect(try store.contradictions() == [])
    }

    @Test(arguments: 0..<3) func unreadableGapIsReplacedByOneGapForTheWholeHistory(index: Int)
        throws
    {
        let upper = [HalfDoneTests.bound(1), HalfDoneTests.bound(3), .end][index]
        try directory.writeToCache([(gapKey(upper), [0xFF])])
        let store = try directory.open()
        let (_, change) = try store.commit { batch in
            try batch.cover("general", from: .beginning, through: Self.bound(6))
        }
        #expect(try store.gaps(in: "general").picture == "6/6 ~ +∞")
        // Observers may still have the gaps that can be read, so they are notified of the removal
        // of these gaps.
        let known = [
            "nogap(5/5 +∞)", "nogap(-∞ 1/1) nogap(5/5 +∞)", "nogap(-∞ 1/1)",
        ][index]
        #expect(
            change.picture
                == known + " gap(-∞ +∞) nogap(-∞ +∞) gap(6/6 +∞)")
    }

    @Test func unreadableBoundIsRepaired() throws {
        let key = ByteWriter.key { $0.table(.gap, 1) } + [0x7F]
        try directory.writeToCache([(key, [0])])
        let store = try directory.open()
        #expect(code { _ = try store.gaps(in: "general") } == .corruption)
        try store.write { try $0.open(Gap(in: "general")) }
        #expect(try store.gaps(in: "general").picture == "-∞ ~ +∞")
    }

    @Test func unreadableStaleRangeMakesTheHistoryOneGap() throws {
        let key = ByteWriter.key { $0.boundKey(.staleRange, 1, Self.bound(4)) }
        try directory.writeToCache([(key, [0])])
        let store = try directory.open()
        #expect(code { _ = try store.staleRanges(in: "general") } == .corruption)
        try store.write { batch in
            try batch.markVerified("general", from: Self.bound(1), through: Self.bound(2))
        }
        #expect(try store.staleRanges(in: "general") == [])
        #expect(try store.gaps(in: "general").picture == "-∞ ~ +∞")
    }

    @Test func batchWithAPartialOperationIsNotWritten() throws {
        var store = try directory.open()
        try store.write { batch in
            for url: ChannelURL in ["a", "b"] {
                try batch.save(GroupChannel(url: url, createdAt: 1))
            }
        }
        store.close()
        // Channel a can be removed. Channel b cannot, because its name row is damaged.
        try directory.writeToCache([(ByteWriter.key { $0.nameKey("b") }, [0xFF])])
        store = try directory.open()
        let failure = code {
            try store.write { batch in
                // The closure ignores the error of `whole`. Nothing of this call may remain.
                let failed = code {
                    try batch.whole { () throws(StoreError) in
                        try batch.removeChannel("a")
                        try batch.removeChannel("b")
                    }
                }
                #expect(failed == .corruption)
                #expect(try batch.groupChannel("a") == nil)
                try batch.save(Message("6", at: 6))
            }
        }
        #expect(failure == .corruption)
        #expect(try store.groupChannel("a") != nil)
        #expect(try store.messages(in: "general").ids == "5 4 3 2 1")
        // The failed batch does not affect the next one.
        try store.write { try $0.save(Message("6", at: 6)) }
        #expect(try store.messages(in: "general").ids == "6 5 4 3 2 1")
    }

    @Test func batchContinuesAfterAnOperationWithoutEffect() throws {
        let store = try directory.open()
        try store.write { batch in
            #expect(code { try batch.save(GroupChannel(url: "", createdAt: 1)) } == .invalid)
            let item = Message(id: nil, channelURL: "a", createdAt: 1)
            #expect(code { try batch.save(item) } == .invalid)
            try batch.save(Message("6", at: 6))
        }
        #expect(try store.messages(in: "general", limit: 1).ids == "6")
    }
}
