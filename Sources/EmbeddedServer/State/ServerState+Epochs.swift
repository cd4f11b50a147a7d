import Models

extension ServerState {
    /// Throws for another epoch, in which an ID may name another message.
    func checkEpoch(_ named: ServerEpoch?) throws(BackendError) {
        guard let named, named != epoch else { return }
        throw BackendError(
            .notFound,
            "the message of the request belongs to the epoch \(named), and the server has \(epoch)",
            detail: .messageNotFound)
    }

    /// Returns an epoch that no server has had before.
    ///
    /// The upper half is a counter. The lower half depends on the seed, the time and the server's
    /// data, so that it differs from other servers.
    func newEpoch(_ restorations: UInt64, of likeness: [UInt64] = []) -> UInt64 {
        var hash = StableHash()
        for number in [seed, UInt64(bitPattern: now().milliseconds)] + likeness {
            hash.combine(number)
        }
        var random = SplitMix64(seed: hash.value)
        return restorations << 32 | max(random.next() >> 32, 1)
    }
}
