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
                ]))
    ]
}
