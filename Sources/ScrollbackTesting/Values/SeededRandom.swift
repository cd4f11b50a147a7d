/// Random numbers that are the same in every run with the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: Two generators with the same seed give the same numbers.
    public init(seed: Int) {
        state = UInt64(truncatingIfNeeded: seed)
    }

    /// Returns the next number, any of 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 up to, but not including, another one.
    public mutating func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &self) }

    /// Returns whether something happens that happens once in so many cases.
    public mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }
}
