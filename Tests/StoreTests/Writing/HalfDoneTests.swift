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

    /// The engine replaces the cache after such an error.
    @Test func writesThatNeedADamagedRangeThrow() throws {
        let gap = gapKey(Self.bound(1))
        let bound = ByteWriter.key { $0.table(.gap, 1) } + [0x7F]
        let stale = ByteWriter.key { $0.boundKey(.staleRange, 1, Self.bound(4)) }
        let writes: [(key: KeyBytes, write: (Batch) throws -> Void)] = [
            (gap, { try $0.evictOldestMessages(2, in: "general") }),
            (gap, { try $0.cover("general", from: .beginning, through: Self.bound(6)) }),
            (bound, { try $0.open(Gap(in: "general")) }),
            (stale, { try $0.markVerified("general", from: Self.bound(1), through: .end) }),
        ]
        for (key, write) in writes {
            let copy = try StoreDirectory(of: directory)
            try copy.writeToCache([(key, [0xFF])])
            let store = try copy.open()
            #expect(code { try store.write(write) } == .corruption)
            #expect(store.cacheDamage?.code == .corruption)
            #expect(try store.messages(in: "general").ids == "5 4 3 2 1")
        }
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
