/// Reproducible pseudo-random numbers.
public struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a sequence.
    ///
    /// Equal seeds give equal sequences.
    public init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    /// Returns a number from 0 up to, but not including, a limit.
    public mutating func roll(below limit: Int) -> Int { Int(next() >> 1) % limit }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
