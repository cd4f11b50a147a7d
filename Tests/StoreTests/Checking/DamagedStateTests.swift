import Foundation
import Models
import Testing

@testable import Store

/// Tests damage to the counters and the state of a channel whose messages are intact.
@Suite struct DamagedStateTests {
    /// The directory of a closed store.
    ///
    /// Channel a has two messages, and channel b has one.
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(GroupChannel(url: "a", createdAt: 1))
            try batch.save(GroupChannel(url: "b", createdAt: 2))
            try batch.save(Message("1", at: 1, in: "a"))
            try batch.save(Message("2", at: 2, in: "a"))
            try batch.save(Message("3", at: 3, in: "b"))
            for id: MessageID in ["4", "5", "6"] {
                try batch.save(Tombstone(id, in: "a", deletedAt: 1))
            }
            try batch.setKeptInCache(true, for: "b")
        }
        store.close()
    }

    /// Opens the store after rows were written directly to its database.
    private func open(_ rows: [(key: KeyBytes, value: [UInt8])]) throws -> ChatStore {
        try directory.writeToCache(rows)
        return try directory.open()
    }

    /// Returns the key of a channel's state row.
    ///
    /// By default, the channel is channel a.
    private func state(_ number: ChannelNumber = 1) -> KeyBytes {
        ByteWriter.key { $0.table(.state, number) }
    }

    private func counting(_ count: Int64, access: UInt64 = 0) -> [UInt8] {
        ByteWriter.key {
            $0.integer(count)
            $0.integer(access)
        }
    }

    private static let damage: [[UInt8]] = [[], [0xFF], Array(repeating: 0xFF, count: 16)]

    @Test(arguments: [.max, .min, -1, 1 << 40 + 1] as [Int64])
    func implausibleCountIsDamage(count: Int64) throws {
        let store = try open([(state(1), counting(count)), (state(2), counting(count))])
        #expect(code { _ = try store.messageCount() } == .corruption)
        #expect(code { _ = try store.messageCount(in: "a") } == .corruption)
    }

    @Test func largePlausibleCountsAreAdded() throws {
        let store = try open([(state(1), counting(1 << 40)), (state(2), counting(1 << 40))])
        #expect(try store.messageCount() == 1 << 41)
        try store.write { try $0.removeMessages(in: "a") }
        #expect(try store.messageCount() == 1 << 41 - 2)
    }

    @Test func maximalAccessNumberIsDamage() throws {
        let store = try open([(state(1), counting(2, access: .max))])
        #expect(code { _ = try store.messageCount(in: "a") } == .corruption)
        #expect(code { _ = try store.channelURLsByAccess() } == .corruption)
    }

    /// The engine replaces the cache after such an error.
    @Test(arguments: damage) func writesThatNeedADamagedStateThrow(value: [UInt8]) throws {
        for write: (Batch) throws -> Void in [
            { _ = try $0.removeChannel("a") }, { try $0.clearMessages(in: "a") },
            { try $0.save(Message("9", at: 9, in: "a")) },
            { try $0.removeMessage("1", in: "a") }, { try $0.recordAccess(to: "a") },
        ] {
            let copy = try StoreDirectory(of: directory)
            try copy.writeToCache([(state(), value)])
            let store = try copy.open()
            #expect(code { try store.write(write) } == .corruption)
            #expect(store.cacheDamage?.code == .corruption)
            #expect(try store.messages(in: "a").count == 2)
        }
    }

    @Test func damagedStateDoesNotPreventOpeningOtherChannels() throws {
        let store = try open([(state(), [0xFF])])
        try store.write { try $0.recordAccess(to: "b") }
        #expect(try store.messages(in: "b").count == 1)
    }

    @Test func clearingNeedsIntactTombstones() throws {
        let tombstone = ByteWriter.key { $0.tombstoneKey(1, "5") }
        for value in [[], [0xFF], Array(repeating: 0, count: 9)] as [[UInt8]] {
            let copy = try StoreDirectory(of: directory)
            try copy.writeToCache([(tombstone, value)])
            let store = try copy.open()
            #expect(code { _ = try store.tombstones(in: "a") } == .corruption)
            #expect(code { try store.write { try $0.clearMessages(in: "a") } } == .corruption)
        }
    }
}
