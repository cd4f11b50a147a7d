/// A random number generator (SplitMix64) that depends only on its seed.
struct SplitMix64: RandomNumberGenerator {
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Creates a generator that has already returned `count` numbers.
    init(seed: UInt64, after count: UInt64) { state = seed &+ count &* SplitMix64.step }

    /// Creates a generator for a call with some names.
    init(seed: UInt64, _ names: String...) {
        var hash = StableHash()
        hash.combine(seed)
        for name in names { hash.combine(name) }
        state = hash.value
    }

    mutating func next() -> UInt64 {
        state &+= SplitMix64.step
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns `true` with a given probability.
    ///
    /// For 0 and 1, no number is drawn, so that a condition that is off does not affect others.
    mutating func happens(_ share: Double) -> Bool {
        guard share > 0 else { return false }
        return share >= 1 || Double(next() >> 11) * 0x1p-53 < share
    }
}

/// The 64-bit FNV-1a hash, which is the same in every process.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func combine(_ number: UInt64) {
        combine((0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// Adds a text and its length, so that ("a", "bc") and ("ab", "c") differ.
    mutating func combine(_ text: String) {
        combine(UInt64(text.utf8.count))
        combine(text.utf8)
    }
}
