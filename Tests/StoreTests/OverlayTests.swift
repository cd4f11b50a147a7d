import Models
import ScrollbackTesting
import Testing

@testable import Store

/// Tests that the rows of a batch are found by key and in order, even if reads and writes
/// alternate.
@Suite struct OverlayTests {
    @Test(arguments: 0..<8) func scanAgreesWithADictionary(seed: Int) {
        var random = SeededRandom(seed: seed)
        let overlay = Overlay()
        var model: [[UInt8]: [UInt8]?] = [:]
        for step in 0..<4_000 {
            let number = random.number(below: [10, 300, 3_000][seed % 3])
            let key = [UInt8(number >> 8), UInt8(number & 0xFF)] + (number % 3 == 0 ? [7] : [])
            if random.oneIn(4) {
                overlay.remove { $0.raw(key) }
                model[key] = .some(nil)
            } else {
                let value = [UInt8(step & 0xFF), UInt8(step >> 8)]
                overlay.put({ $0.raw(key) }, { $0.raw(value) })
                model[key] = value
            }
            guard random.oneIn(20) else { continue }
            let bounds = [random.number(below: 3_000), random.number(below: 3_000)].sorted()
                .map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let range = random.oneIn(3) ? KeyRange.all : KeyRange(bounds[0], bounds[1])
            let expected = model.keys
                .filter { !$0.precedes(range.lower) && $0.precedes(range.upper) }
                .sorted { $0.precedes($1) }
            let rows = overlay.rows(in: range)
            #expect(rows.map(\.key) == expected)
            #expect(rows.map(\.value) == expected.map { model[$0] ?? nil })
        }
    }

    /// After every two rows, the batch is scanned.
    ///
    /// A batch that updates one channel after another does the same.
    @Test func aBatchOfManyScansMovesFewRowsForEach() {
        let overlay = Overlay()
        var random = SeededRandom(seed: 1)
        for index in 0..<8_000 {
            overlay.put { $0.table(.gap, ChannelNumber(index)) }
            overlay.put { $0.table(.state, ChannelNumber(random.number(below: 1 << 30))) }
            _ = overlay.rows(in: KeyRange(prefix: [Table.tombstone.rawValue]))
        }
        // If each insertion moved all later rows, there would be 64 million moves.
        #expect(overlay.movedCount < 16_000 * 256)
        #expect(overlay.rows(in: KeyRange.all).count == 16_000)
    }

    @Test func aBatchOfManyChannelsMovesFewRowsForEach() throws {
        let store = try ChatStore.inMemory()
        let urls = (0..<2_000).map { ChannelURL("c\($0)") }
        try store.write { batch in
            for url in urls { try batch.save(GroupChannel(url: url, createdAt: 1)) }
        }
        try store.write { batch in
            for url in urls { try batch.clearMessages(in: url) }
            // Clearing a channel writes about a dozen rows.
            #expect(batch.rows.cache.movedCount < 12 * 2_000 * 256)
        }
    }
}
