/// A random number generator (SplitMix64) that depends only on its seed.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    public init(seed: Int) {
        state = UInt64(truncatingIfNeeded: seed)
    }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns a random number from 0 up to, but not including, `end`; 0 if `end` is less than 1.
    public mutating func number(below end: Int) -> Int {
        Int.random(in: 0..<max(end, 1), using: &self)
    }

    /// Returns `true` with the probability 1 / `count`; always if `count` is less than 2.
    public mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }
}
