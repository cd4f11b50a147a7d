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

    /// A batch may change a large row thousands of times.
    @Test func replacedValuesDoNotFillTheMemory() {
        let overlay = Overlay()
        var expected: [[UInt8]: [UInt8]?] = [:]
        for step in 0..<2_000 {
            let key = [UInt8(step % 40)]
            if step % 40 == 7 {
                overlay.remove { $0.raw(key) }
                expected[key] = .some(nil)
            } else {
                let value = [UInt8](repeating: UInt8(step % 251), count: 30_000)
                overlay.put({ $0.raw(key) }, { $0.raw(value) })
                expected[key] = value
            }
            #expect(overlay.size < 12 << 20)
        }
        #expect(overlay.writeCount == 2_000)
        let rows = overlay.rows(in: .all)
        #expect(rows.map(\.key) == (0..<40).map { [UInt8($0)] })
        #expect(rows.map(\.value) == rows.map { expected[$0.key] ?? nil })
    }
}
