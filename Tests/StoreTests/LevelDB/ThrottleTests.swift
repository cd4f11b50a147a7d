import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ThrottleTests {
    private static let batch = 32 << 10

    /// Returns a throttle after enough writes that it has checked the number of tables once.
    private func throttle(tables: Int) -> Throttle {
        var throttle = Throttle()
        for _ in 0..<8 { _ = throttle.delay(afterWriting: Self.batch) { tables } }
        return throttle
    }

    @Test func delayDoublesWithEachExcessTable() {
        let delays = (4...14).map { tables in
            var throttle = throttle(tables: tables)
            return throttle.delay(afterWriting: Self.batch) { tables } / .milliseconds(1)
        }
        #expect(delays == [0, 0, 1, 2, 4, 8, 16, 32, 32, 32, 32])
    }

    @Test func delayGrowsWithTheBatchSize() {
        var throttle = throttle(tables: 7)
        let delays = [3 << 10, 16 << 10, 64 << 10, 8 << 20].map { size in
            throttle.delay(afterWriting: size) { 7 } / .milliseconds(1)
        }
        #expect(delays == [0, 1, 4, 32])
    }

    @Test func mergedItemDoesNotBlockTheQueue() {
        var throttle = throttle(tables: 9)
        for _ in 0..<8 { _ = throttle.delay(afterWriting: Self.batch) { 4 } }
        #expect(throttle.delay(afterWriting: Self.batch) { 4 } == .zero)
    }

    @Test func numberOfTablesIsCheckedEveryEighthWrite() {
        var throttle = Throttle()
        var looks = 0
        for _ in 0..<64 {
            _ = throttle.delay(afterWriting: Self.batch) {
                looks += 1
                return 0
            }
        }
        #expect(looks == 8)
    }
}
