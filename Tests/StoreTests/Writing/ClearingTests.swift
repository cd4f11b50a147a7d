import Models
import Testing

@testable import Store

/// Tests that the rows of cleared channels are purged in steps, and that each row is read only
/// once.
@Suite struct ClearingTests {
    private let database: LevelDB

    init() throws { database = try LevelDB(at: "/cleared", environment: .memory()) }

    /// Writes rows of messages and positions under a channel number that no channel has.
    private func clear(_ number: ChannelNumber, rows count: Int) throws {
        let batch = Overlay()
        for index in 0..<count {
            let id = MessageID("\(index)")
            batch.put {
                $0.messageKey(
                    number, Position(createdAt: Timestamp(milliseconds: 1), messageID: id))
            }
            batch.put { $0.creationTimeKey(number, id) }
        }
        batch.release(number)
        try database.write(batch, isDurable: false)
    }

    /// The key of a row that is never removed.
    ///
    /// It ends a scan over removed rows.
    private let stop = "7a 00 00 00 00".hex

    private func keys() throws -> [KeyBytes] { try database.snapshot().rows().map(\.key) }

    @Test func removedRowsAreSkippedOnce() throws {
        try clear(1, rows: 1_000)
        let all = try keys()
        var calls = 0
        var steppedOver = 0
        repeat {
            calls += 1
            // If the next step scanned from here, LevelDB would skip all removed rows up to the
            // first existing one. Count these rows.
            let place = database.purge
            let isListed = try keys().contains(ByteWriter.key { $0.table(.cleared, 1) })
            guard isListed, place.table < Table.purged.count else { continue }
            let prefix = ByteWriter.key { $0.table(Table.purged[place.table], 1) }
            let start = place.key ?? prefix
            let left = try keys().first { $0.starts(with: prefix) }
            steppedOver +=
                all.filter {
                    $0.starts(with: prefix) && !$0.isBefore(start)
                        && (left.map($0.isBefore) ?? true)
                }.count
        } while try database.purgeCleared(atMost: 100)
        // There are a thousand messages with their positions, and seven tables to search.
        #expect(calls == 21)
        // A call skips at most the last row that the previous call removed.
        #expect(steppedOver > 10 && steppedOver <= calls)
        #expect(try keys() == [stop])
    }

    @Test(arguments: 1...25) func allRowsArePurgedInPartsOfAnySize(limit: Int) throws {
        for number: ChannelNumber in [1, 2, 7] { try clear(number, rows: 4) }
        let kept = Overlay()
        kept.put { $0.creationTimeKey(3, "kept") }
        kept.put { $0.tokenKey("kept") }
        try database.write(kept, isDurable: false)
        let before = try keys().count
        var removed = 0
        while try database.purgeCleared(atMost: limit) {
            let now = before - (try keys().count)
            // When the last rows of a number are removed, the number's own row is removed in
            // addition.
            #expect(now - removed <= limit + 3)
            removed = now
        }
        #expect(
            try keys() == [
                ByteWriter.key { $0.creationTimeKey(3, "kept") },
                ByteWriter.key { $0.tokenKey("kept") },
                stop,
            ])
        #expect(database.purge.isDone && database.purge.number == nil)
    }

    @Test(arguments: [1, 5, 9]) func rowsClearedDuringAChangeAreRemoved(number: ChannelNumber)
        throws
    {
        try clear(5, rows: 10)
        #expect(try database.purgeCleared(atMost: 4))
        #expect(database.purge.number == 5)
        if number != 5 { try clear(number, rows: 10) }
        var calls = 0
        while try database.purgeCleared(atMost: 4) { calls += 1 }
        #expect(try keys() == [stop])
        #expect(calls <= 13)
    }

    @Test func clearedNumbersAreReadFromDiskOnce() throws {
        try clear(3, rows: 1)
        #expect(!database.purge.isRead)
        while try database.purgeCleared(atMost: 100) {}
        #expect(database.purge.isDone)
        // This write records channel 2 as cleared without notifying `purge`. Its row stays, because
        // the table was read before.
        let hidden = Overlay()
        hidden.put { $0.table(.cleared, 2) }
        try database.write(hidden, isDurable: false)
        for number: ChannelNumber in [9, 7, 8] { try clear(number, rows: 1) }
        var order: [ChannelNumber] = []
        repeat {
            if let number = database.purge.number, order.last != number { order.append(number) }
        } while try database.purgeCleared(atMost: 1)
        #expect(Set(order).isSubset(of: [7, 8, 9]))
        #expect(try keys() == [stop, ByteWriter.key { $0.table(.cleared, 2) }])
    }

    /// A table without rows of the cleared numbers is scanned once, and not once for each number.
    @Test func costOfATableWithoutRowsDoesNotDependOnTheNumbers() throws {
        func calls(_ count: ChannelNumber) throws -> Int {
            for number in 1...count { try clear(number, rows: 2) }
            var calls = 1
            while try database.purgeCleared(atMost: 10) { calls += 1 }
            return calls
        }
        let few = try calls(10)
        let many = try calls(100)
        // Two messages with their positions of each number, at ten rows a call.
        #expect(many - few <= 36 + 1)
        #expect(try keys() == [stop])
    }

    @Test func rowWithoutANumberIsDamage() throws {
        let batch = Overlay()
        batch.put { $0.raw([Table.cleared.rawValue, 1]) }
        try database.write(batch, isDurable: false)
        #expect(code { _ = try database.purgeCleared(atMost: 100) } == .corruption)
    }
}

extension KeyBytes {
    fileprivate func isBefore(_ other: KeyBytes) -> Bool { lexicographicallyPrecedes(other) }
}
