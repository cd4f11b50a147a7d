import Collections
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync

/// A source of numbers, durations and times.
///
/// It returns each of the extreme ones first, and random ones after that.
struct Numbers {
    /// The number of rounds in which all returned numbers are extreme ones.
    ///
    /// In later rounds, they are random.
    static let extremeRounds = Numbers.integers.count

    private static let integers: [Int64] = [
        .min, .min + 1, -5, -1, 0, 1, 2, 20, 10_001, .max - 1, .max,
    ]
    private static let fractions: [Double] = [
        .nan, -.infinity, .infinity, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, -1, -0.0,
        0, .leastNonzeroMagnitude, 0.5, 1, 1.5,
    ]
    private static let durations: [Duration] = [
        .seconds(Int64.min), .seconds(Int64.max), Duration.seconds(Int64.max) * 18,
        Duration.seconds(Int64.min) * 18, .milliseconds(Int64.max), .milliseconds(Int64.min),
        .nanoseconds(-1), .zero, .nanoseconds(1), .milliseconds(999),
        .seconds(86_401),
    ]

    private let round: Int
    private var random: SeededRandom
    private var drawn = 0

    init(round: Int) {
        self.round = round
        random = SeededRandom(seed: round)
    }

    /// Returns an element of a list.
    ///
    /// In the first rounds, the choice depends on the round and on the number of the call; in later
    /// rounds, it is random.
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        defer { drawn += 1 }
        let index =
            round < Numbers.extremeRounds
            // The step between two calls depends on the round, so that the numbers in a round are
            // not always combined in the same way.
            ? round + drawn * (1 + round / 3) : random.number(below: .max)
        return values[index % values.count]
    }

    private var isAny: Bool { round >= Numbers.extremeRounds }

    mutating func int64() -> Int64 {
        if isAny, random.oneIn(2) {
            // The shift makes numbers of any magnitude.
            return Int64(truncatingIfNeeded: random.next()) >> Int64(random.number(below: 64))
        }
        return pick(Numbers.integers)
    }

    mutating func int() -> Int { Int(int64()) }

    /// Returns a number or `nil`.
    mutating func intOrNil() -> Int? { random.oneIn(8) ? nil : int() }

    mutating func uint64() -> UInt64 { UInt64(bitPattern: int64()) }

    mutating func time() -> Timestamp { Timestamp(milliseconds: int64()) }

    mutating func double() -> Double {
        if isAny, random.oneIn(2) { return Double(bitPattern: random.next()) }
        return pick(Numbers.fractions)
    }

    mutating func duration() -> Duration {
        if isAny, random.oneIn(2) { return .milliseconds(int64()) }
        return pick(Numbers.durations)
    }

    mutating func durationOrNil() -> Duration? { random.oneIn(8) ? nil : duration() }

    mutating func bound() -> Gap.Bound {
        switch random.number(below: 6) {
        case 0: .beginning
        case 1: .end
        default: .position(Position(createdAt: time(), messageID: "m"))
        }
    }
}
