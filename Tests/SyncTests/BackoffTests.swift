import Sync
import Testing

@Suite struct BackoffTests {
    let backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    @Test func delaysDoubleUpToTheMaximum() {
        let delays = (1...7).map { backoff.delay(beforeAttempt: $0, jitter: 0) }
        #expect(delays == [0, 3, 6, 12, 24, 24, 24].map { .seconds($0) })
    }

    @Test func jitterShortensADelayByUpToHalf() {
        let delays = [0, 0.5, 1].map { backoff.delay(beforeAttempt: 4, jitter: $0) }
        #expect(delays == [12, 9, 6].map { .seconds($0) })
    }

    @Test(arguments: [64, 1_000, 1 << 31, .max])
    func highAttemptNumbersHaveADelay(attempt: Int) {
        #expect(backoff.delay(beforeAttempt: attempt, jitter: 0) == .seconds(24))
        #expect(backoff.delay(beforeAttempt: attempt, jitter: 1) == .seconds(12))
    }

    @Test func noDelayFollowsTheLastRetry() {
        let backoff = Backoff(
            interval: .seconds(1), multiplier: 2, maximum: .seconds(9), maximumAttempts: 2
        )
        let delays = (1...4).map { backoff.delay(beforeAttempt: $0, jitter: 0) }
        #expect(delays == [.zero, .seconds(1), nil, nil])
    }

    @Test func negativeRetriesMeanNoLimit() {
        let backoff = Backoff(
            interval: .seconds(1), multiplier: 1, maximum: .seconds(1), maximumAttempts: -1
        )
        #expect(backoff.maximumAttempts == nil)
    }

    @Test(arguments: [0, 0.5, -1, .nan, -.infinity])
    func multiplierBelow1CountsAs1(multiplier: Double) {
        let backoff = Backoff(interval: .seconds(3), multiplier: multiplier, maximum: .seconds(9))
        #expect(backoff.delay(beforeAttempt: 50, jitter: 0) == .seconds(3))
    }

    @Test(arguments: [Int.min, -1, 0, 1], [-Double.infinity, -1, .nan, 0])
    func valuesOutOfRangeAreReplacedByTheNearest(attempt: Int, jitter: Double) {
        #expect(backoff.delay(beforeAttempt: attempt, jitter: jitter) == .zero)
        #expect(backoff.delay(beforeAttempt: 2, jitter: jitter) == .seconds(3))
        #expect(backoff.delay(beforeAttempt: 2, jitter: 7) == .seconds(1.5))
    }

    @Test func extremeSettingsHaveValidDelays() {
        let longest = Duration.seconds(Int64.max)
        let endless = Backoff(interval: longest, multiplier: .infinity, maximum: longest)
        #expect(endless.delay(beforeAttempt: 2, jitter: 0) == .seconds(24 * 60 * 60))
        #expect(endless.delay(beforeAttempt: 3, jitter: 0) == .seconds(24 * 60 * 60))
        let none = Backoff(interval: .seconds(-3), multiplier: .infinity, maximum: .seconds(-1))
        #expect(none.delay(beforeAttempt: .max, jitter: 1) == .zero)
        let never = Backoff(interval: .seconds(3), multiplier: 2, maximum: .zero)
        #expect(never.delay(beforeAttempt: 2, jitter: 0) == .zero)
    }
}
