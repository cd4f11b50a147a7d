/// Traces in which a disk fails.
extension KnownTrace {
    static let ofDisks = [
        KnownTrace(
            description: "a write that leaves out a failed outbox does not end its failure",
            trace: Trace(
                seed: 2_300_393, config: forgetful,
                steps: [
                    .connect, .pass(3), .write("w1", in: "x", isLong: true), .pass(0), .pass(0),
                    .write("w3", in: "y", isLong: false), .fire(2), .passFeed,
                    // The sent message is stored, and its item cannot be removed.
                    .fillOutbox(2), .pass(0),
                ]),
            isOnDisk: true)
    ]

    /// An engine that removes old failed items.
    private static var forgetful: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.networkSeed = 290_511_808
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.backgroundPages = 0
        config.fillsHugeGaps = true
        config.forgetsFailed = true
        return config
    }
}
