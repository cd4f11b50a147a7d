import Models

extension ServerState {
    /// An epoch that no server has had.
    ///
    /// The upper half counts, so that it was not among those that are known; the lower half is of the seed
    /// and the time, and of what the server is like, so that two servers do not share it.
    func newEpoch(_ restorations: UInt64, of likeness: [UInt64] = []) -> UInt64 {
        var hash = StableHash()
        for number in [seed, UInt64(bitPattern: now().milliseconds)] + likeness {
            hash.combine(number)
        }
        var random = SplitMix64(seed: hash.value)
        return restorations << 32 | max(random.next() >> 32, 1)
    }
}
