/// A trace in which the engine once broke a rule.
struct KnownTrace: CustomStringConvertible {
    /// The statement that the trace proves.
    let description: String
    let trace: Trace

    static let all = [
        KnownTrace(
            description: "a page that is older than a page received before hides no truncation",
            trace: Trace(
                seed: 0, config: WorldConfig(),
                steps: [
                    .say("m0", in: "x", by: "alice", to: nil), .connect, .pass(0), .passFeed,
                    .pass(-1), .pass(-1), .pass(-1), .pass(-1), .pass(-1), .pass(-1),
                    // A truncation opens a gap, and the engine reads the changelog.
                    .feedLimit(0), .tick(1), .say("m1", in: "x", by: "alice", to: nil), .passFeed,
                    .pass(-1),
                    // The server answers the request for the newest page: m0 and m1.
                    .perform(-1),
                    .tick(1), .say("m2", in: "x", by: "alice", to: nil),
                    .tick(1), .say("m3", in: "x", by: "alice", to: nil),
                    // A view requests a page with m3, which arrives first.
                    .fetch("x", .time("m3"), older: 0, newer: 1), .perform(-1), .deliver(-1),
                    .deliver(0),
                    // The feed omits m2 and m3.
                    .passFeed,
                ])),
        KnownTrace(
            description: "a part of a batch that is requested again keeps its truncation",
            trace: Trace(
                seed: 11326, config: splitBatches,
                steps: [
                    .connect, .pass(3), .pass(0),
                    .fetch("x", .newest, older: 1, newer: 0), .perform(-1),
                    .say("m11", in: "x", by: "alice", to: nil),
                    .say("m12", in: "x", by: "carol", to: "m11"),
                    .passFeed, .perform(-1), .deliver(2), .write("w0", in: "x", isLong: false),
                    .fail(3, .unanswered), .pass(3), .pass(1),
                    .say("m18", in: "x", by: "alice", to: nil),
                    .write("w2", in: "x", isLong: false),
                ])),
    ]

    private static var splitBatches: WorldConfig {
        var config = WorldConfig()
        config.networkSeed = 751_433_164
        config.feedLimit = 1
        config.pageLimit = 10
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.fillsHugeGaps = true
        return config
    }
}
