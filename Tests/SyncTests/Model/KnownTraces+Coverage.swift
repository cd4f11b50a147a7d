/// Traces in which the engine once claimed a range that it did not have, did not fetch a stale one,
/// reverted an edit, or hid the failure of a store.
extension KnownTrace {
    static let ofCoverage = [
        KnownTrace(
            description: "a truncation restarts the backfill of gaps that may have late messages",
            trace: Trace(
                seed: 1_700_572,
                config: config {
                    $0.clockSkew = 2
                    $0.pageLimit = 10
                    $0.feedLimit = 1
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 0
                },
                steps: [
                    .say("m7", in: "x", by: "alice", to: "m3"),
                    .say("m8", in: "y", by: "bob", to: nil),
                    .say("m9", in: "x", by: "carol", to: nil),
                    .say("m10", in: "x", by: "bob", to: nil),
                    .importOld("i11", in: "x", by: "carol", age: 3, isReported: false),
                    .delete("m10"), .connect, .pass(2), .pass(3),
                    .say("m12", in: "x", by: "bob", to: nil),
                    .say("m13", in: "x", by: "carol", to: nil),
                    // The cursor of the gap that remains is at the position of m10.
                    .fetch("x", .message("m10"), older: 0, newer: 3), .perform(-1),
                    .say("m14", in: "x", by: "bob", to: nil),
                    .say("m15", in: "x", by: "alice", to: nil),
                    .fetch("x", .message("m15"), older: 0, newer: 1),
                    // m16 is newer than m10, and the feed omits it.
                    .say("m16", in: "x", by: "alice", to: nil),
                    .say("m17", in: "x", by: "carol", to: nil),
                ])),
        KnownTrace(
            description: "a page requested before a copy became doubtful does not confirm the copy",
            trace: Trace(
                seed: 708_526,
                config: config {
                    $0.pageLimit = 10
                    $0.feedLimit = 2
                    $0.lossSeed = 225_436_406
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .connect, .perform(-1), .say("m12", in: "y", by: "carol", to: nil),
                    .deliver(3), .write("w1", in: "y", isLong: false),
                    .write("w3", in: "x", isLong: true), .tick(2), .perform(2),
                    .fail(0, .serverFailure), .deliver(0), .pass(3), .search("m", limit: 1),
                    .fire(3), .pass(1), .fire(1), .perform(2),
                    .react("w1", key: "+", by: "alice", gives: true),
                    // Changelogs and pages are answered while the answer to w1 is late.
                    .fetch("y", .time("w1"), older: 2, newer: 0),
                    .say("m18", in: "y", by: "carol", to: nil),
                    .fetch("y", .time("m18"), older: 0, newer: 2),
                    .say("m19", in: "y", by: "alice", to: "m18"),
                    .say("m20", in: "y", by: "carol", to: nil), .passFeed,
                ])),
        KnownTrace(
            description: "a deleted message that a restored server has again is fetched",
            trace: Trace(
                seed: 206421,
                config: config {
                    $0.federationDelay = 12
                    $0.pageLimit = 1
                    $0.parallelRequests = 1
                    $0.backgroundPages = 1
                },
                steps: [
                    .connect, .backUp, .pass(2), .say("m3", in: "x", by: "alice", to: nil),
                    .pass(1), .say("m4", in: "x", by: "bob", to: nil), .pass(2), .pass(2),
                    // The gap's upper bound is m4, which is deleted.
                    .say("m6", in: "x", by: "alice", to: nil), .delete("m4"), .pass(3),
                    .perform(3), .restore,
                    // m8 gets the id and the time of m4.
                    .say("m7", in: "y", by: "alice", to: nil),
                    .say("m8", in: "x", by: "carol", to: nil),
                    .say("m12", in: "x", by: "carol", to: nil),
                ])),
        KnownTrace(
            description: "a message that a page of the restored server has again is fetched",
            trace: Trace(
                seed: 71157,
                config: config {
                    $0.pageLimit = 10
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m2", in: "x", by: "bob", to: nil),
                    .say("m3", in: "x", by: "alice", to: nil),
                    .say("m5", in: "x", by: "carol", to: nil),
                    .say("m6", in: "x", by: "bob", to: nil), .connect, .backUp, .pass(1), .pass(2),
                    // The restored server answers this request with m3, m5 and m6.
                    .fetch("x", .newest, older: 3, newer: 0), .delete("m3"), .passFeed,
                    .write("w3", in: "x", isLong: false), .restore,
                ])),
        KnownTrace(
            description: "the feed replaces no newer version in a range that an import changed",
            trace: Trace(
                seed: 61403,
                config: config {
                    $0.pageLimit = 10
                    $0.networkSeed = 265_618_039
                    $0.parallelRequests = 3
                    $0.backgroundChannels = 0
                },
                steps: [
                    .say("m0", in: "x", by: "carol", to: nil),
                    .say("m1", in: "x", by: "carol", to: "m0"),
                    .say("m2", in: "x", by: "carol", to: nil),
                    .say("m3", in: "x", by: "alice", to: nil),
                    .say("m4", in: "x", by: "bob", to: nil),
                    .say("m5", in: "x", by: "carol", to: nil),
                    .say("m6", in: "x", by: "alice", to: nil),
                    .say("m7", in: "y", by: "alice", to: nil),
                    .say("m8", in: "x", by: "alice", to: nil),
                    .say("m9", in: "y", by: "alice", to: nil),
                    .say("m10", in: "x", by: "carol", to: nil), .connect,
                    .show("y", from: .beginning, to: .message("m9"), viewer: 0), .pass(1),
                    .pass(2), .expireCursors, .pass(0),
                    .react("m0", key: "-", by: "bob", gives: true),
                    .write("w0", in: "x", isLong: false), .fail(0, .notConnected),
                    .say("m12", in: "x", by: "bob", to: "w0"), .pass(3), .pass(0), .pass(0),
                    .edit("m5"), .writeFiles("f1", in: "x"), .fail(2, .unanswered), .pass(1),
                    .pass(3), .delete("m7"), .resetHistory("x"), .passFeed,
                    .react("m10", key: "+", by: "carol", gives: false), .delete("m12"), .connect,
                    .say("m14", in: "x", by: "carol", to: nil),
                    .say("m15", in: "x", by: "alice", to: nil), .perform(-1), .delete("m14"),
                    .resetHistory("x"), .deliver(-1), .pass(2),
                    .fetch("y", .gapTop(2), older: 3, newer: 0), .cancel("f1"), .pass(0),
                    .importOld("i16", in: "x", by: "carol", age: 1, isReported: false),
                    .say("m17", in: "x", by: "bob", to: "i16"), .perform(1),
                    // The lookup returns the edited m17, then the feed reports the import and m17.
                    .lookUp(["m17", "m17"]), .edit("m17"),
                ])),
        KnownTrace(
            description: "a stale range that ends inside a gap is fetched, and stalls no channel",
            trace: Trace(
                seed: 44413,
                config: config {
                    $0.pageLimit = 10
                    $0.feedLimit = 0
                    $0.hasSeparateReactions = true
                    $0.returnsEmptyBatches = true
                    $0.backgroundChannels = 1
                    $0.backgroundPages = 1
                    $0.hugeGapThreshold = 2
                },
                steps: [
                    .connect, .pass(1), .pass(1), .writeFiles("f0", in: "x"), .pass(3), .pass(0),
                    .say("m6", in: "x", by: "alice", to: nil), .perform(2), .deliver(1), .pass(3),
                    .connect, .perform(-1), .resetHistory("x"), .deliver(3),
                    .write("w1", in: "x", isLong: false), .pass(3),
                    .say("m8", in: "x", by: "bob", to: nil), .perform(3),
                    .say("m9", in: "x", by: "bob", to: nil),
                    .show("x", from: .message("m6"), to: .message("w1"), viewer: 1),
                    .importOld("i10", in: "x", by: "carol", age: 6, isReported: false),
                    .change("c3", of: "f0", .unreact),
                    .react("m9", key: "+", by: "carol", gives: true),
                ])),
        KnownTrace(
            description: "a search that finds another message with a stale id replaces all of it",
            trace: Trace(
                seed: 205987,
                config: config {
                    $0.pageLimit = 10
                    $0.feedLimit = 0
                    $0.networkSeed = 904_819_110
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .connect, .backUp, .pass(0), .say("m4", in: "y", by: "alice", to: "m0"),
                    .perform(0), .deliver(0), .say("m5", in: "x", by: "bob", to: "m3"), .passFeed,
                    .fetch("x", .time("m5"), older: 3, newer: 1), .pass(2), .readChannelChanges,
                    .tick(3), .restore, .pass(2), .say("m11", in: "x", by: "bob", to: nil),
                    // m12 gets the id of m5, but not its time.
                    .say("m12", in: "x", by: "alice", to: "m11"), .pass(0), .search("m", limit: 5),
                ])),
        KnownTrace(
            description: "a caller that uses the expired cursor of a gap receives a page",
            trace: Trace(
                seed: 207045,
                config: config {
                    $0.pageLimit = 10
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 1
                    $0.hugeGapThreshold = 2
                },
                steps: [
                    .resetHistory("x"), .say("m3", in: "x", by: "carol", to: nil),
                    .say("m7", in: "x", by: "alice", to: nil),
                    .say("m8", in: "x", by: "carol", to: "m7"),
                    .say("m10", in: "x", by: "alice", to: nil),
                    .show("x", from: .beginning, to: .message("m10"), viewer: 0), .connect,
                    .pass(0), .pass(0), .perform(1), .expirePageCursors,
                ])),
        KnownTrace(
            description: "a page in flight does not revert the edit of a pushed message",
            trace: Trace(
                seed: 2_204_539,
                config: config {
                    $0.pageLimit = 1
                    $0.feedBatchSize = 2
                    $0.backgroundPages = 1
                    $0.deduplicates = false
                    $0.stopsAtFailure = true
                },
                steps: [
                    .write("w1", in: "x", isLong: false), .connect,
                    .say("m16", in: "x", by: "alice", to: nil), .pass(0), .pass(2), .pass(1),
                    // The server answers the request for a page with m16, which is edited then.
                    .perform(1), .say("m17", in: "x", by: "alice", to: "m16"), .edit("m16"),
                    .push("m16", version: 2),
                ])),
        KnownTrace(
            description: "an engine that cannot read the unread items reports a failure",
            trace: Trace(
                seed: 2_060_065,
                config: config {
                    $0.pageLimit = 10
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 1
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .write("w5", in: "x", isLong: false), .write("w6", in: "y", isLong: false),
                    .connect, .pass(2), .pass(3), .fillOutbox(2),
                    .write("w8", in: "x", isLong: false), .pass(1), .kill, .disconnect,
                ]),
            isOnDisk: true),
        KnownTrace(
            description: "a page of threads that is older than a reply does not cover its parent",
            trace: Trace(
                seed: 706_260,
                config: config {
                    $0.pageLimit = 10
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 0
                },
                steps: [
                    .say("m8", in: "x", by: "bob", to: nil), .connect, .perform(3), .deliver(-1),
                    .passFeed, .fetchKind("x", ofThreads: true, limit: 3), .perform(-1),
                    .say("m10", in: "x", by: "alice", to: "m8"), .passFeed,
                ])),
        KnownTrace(
            description: "an empty page of newer messages does not reach its bound",
            trace: Trace(
                seed: 302_914,
                config: config {
                    $0.pageLimit = 10
                    $0.networkSeed = 25_124_732
                    $0.parallelRequests = 1
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m4", in: "x", by: "alice", to: nil),
                    .say("m5", in: "x", by: "bob", to: nil),
                    .say("m6", in: "x", by: "alice", to: nil),
                    .say("m7", in: "x", by: "bob", to: nil),
                    .say("m8", in: "y", by: "carol", to: nil), .connect, .perform(1), .deliver(3),
                    .pass(2), .pass(1), .expirePageCursors, .write("w0", in: "x", isLong: false),
                    .perform(3), .perform(3), .perform(2),
                    .fetch("x", .gapTop(2), older: 0, newer: 3), .perform(-1),
                    .say("m12", in: "x", by: "bob", to: nil),
                    .fetch("x", .message("m12"), older: 0, newer: 4), .perform(-1), .deliver(2),
                    .perform(1),
                ])),
        KnownTrace(
            description: "an edit adds a message that the cursor of its kind has passed",
            trace: Trace(
                seed: 303_357,
                config: config {
                    $0.federationDelay = 12
                    $0.pageLimit = 10
                    $0.feedBatchSize = 1
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m0", in: "y", by: "alice", to: nil),
                    .say("m2", in: "y", by: "bob", to: nil), .connect,
                    .react("m2", key: "-", by: "bob", gives: true), .perform(0), .deliver(3),
                    .pass(1), .fetchKind("y", ofThreads: false, limit: 1), .perform(-1),
                    .say("m3", in: "x", by: "alice", to: "m1"), .deliver(2), .edit("m2"),
                    .pass(1), .passFeed, .passFeed,
                    .fetchKind("y", ofThreads: false, limit: 1),
                ])),
        KnownTrace(
            description: "a lookup does not confirm a message that was sent since its request",
            trace: Trace(
                seed: 310_969,
                config: config {
                    $0.pageLimit = 10
                    $0.feedBatchSize = 2
                    $0.parallelRequests = 3
                    $0.backgroundChannels = 1
                },
                steps: [
                    .say("m6", in: "x", by: "alice", to: "m4"),
                    .write("w3", in: "x", isLong: false), .connect, .pass(0), .pass(0),
                    .fail(2, .unanswered), .lookUp(["w3", "m6"]), .perform(-1), .deliver(-1),
                    .perform(0), .fire(3), .resetHistory("x"), .pass(2), .pass(1),
                ])),
        KnownTrace(
            description: "a backfill that begins again at a newer cursor returns to an earlier one",
            trace: Trace(
                seed: 18_310,
                config: config {
                    $0.clockSkew = 2
                    $0.federationDelay = 12
                    $0.pageLimit = 2
                    $0.feedLimit = 1
                    $0.hasInvitations = true
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 1
                },
                steps: [
                    .say("m1", in: "x", by: "alice", to: nil),
                    .say("m2", in: "x", by: "carol", to: nil),
                    .say("m3", in: "x", by: "carol", to: nil),
                    .say("m4", in: "x", by: "carol", to: nil),
                    .say("m5", in: "x", by: "bob", to: nil),
                    .show("x", from: .message("m4"), to: .end, viewer: 1), .connect, .pass(1),
                    .pass(0), .pass(3), .fetch("x", .newest, older: 2, newer: 0), .perform(-1),
                    .say("m19", in: "x", by: "carol", to: nil),
                    .say("m20", in: "x", by: "carol", to: nil), .passFeed,
                ])),
        KnownTrace(
            description: "a message that was evicted above the cursor of its gap is fetched again",
            trace: Trace(
                seed: 4_000_638,
                config: config {
                    $0.pageLimit = 10
                    $0.returnsEmptyBatches = true
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 1
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m2", in: "y", by: "carol", to: nil), .connect, .tick(2), .perform(-1),
                    .say("m13", in: "x", by: "alice", to: nil), .deliver(-1), .perform(2),
                    // An empty page at the newest end moves the cursor of the gap.
                    .deliver(3), .fetch("y", .time("m13"), older: 0, newer: 4), .perform(-1),
                    .say("m14", in: "y", by: "alice", to: nil), .deliver(-1), .perform(-1),
                    .deliver(3), .evict("y", count: 6),
                ])),
        KnownTrace(
            description: "the deleted anchor of a page may have been late",
            trace: Trace(
                seed: 60_034_084,
                config: config {
                    $0.federationDelay = 12
                    $0.pageLimit = 10
                    $0.feedBatchSize = 1
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m0", in: "y", by: "alice", to: nil),
                    .say("m1", in: "y", by: "alice", to: nil),
                    .say("m2", in: "x", by: "carol", to: nil),
                    .say("m3", in: "x", by: "alice", to: nil),
                    .say("m4", in: "x", by: "alice", to: "m3"),
                    .say("m5", in: "x", by: "bob", to: "m4"),
                    .say("m6", in: "x", by: "bob", to: nil),
                    .say("m7", in: "x", by: "carol", to: "m6"),
                    .say("m8", in: "x", by: "carol", to: nil),
                    .say("m9", in: "x", by: "alice", to: "m8"),
                    .say("m10", in: "x", by: "bob", to: nil), .connect, .pass(-1),
                    .fetch("x", .message("m4"), older: 3, newer: 0),
                    .say("m11", in: "y", by: "bob", to: nil),
                    .say("m12", in: "y", by: "carol", to: "m11"),
                    .fetch("y", .time("m12"), older: 1, newer: 0), .perform(-1),
                    .say("m13", in: "y", by: "carol", to: nil),
                    .fetch("x", .message("m10"), older: 2, newer: 1), .perform(-1),
                    .write("w0", in: "x", isLong: false),
                    .say("m15", in: "x", by: "carol", to: nil), .perform(2),
                    .write("w1", in: "y", isLong: false), .perform(-1),
                    .say("m18", in: "x", by: "bob", to: nil),
                    .fetch("x", .message("m15"), older: 3, newer: 3), .perform(-1),
                    // m18 is late, and is the anchor of a request when it is deleted.
                    .fetch("x", .message("m18"), older: 2, newer: 2), .delete("m18"),
                ])),
        KnownTrace(
            description: "a message that is older than a deleted one is late",
            trace: Trace(
                seed: 112_247,
                config: config {
                    $0.clockSkew = 2
                    $0.federationDelay = 12
                    $0.pageLimit = 10
                    $0.feedBatchSize = 2
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .say("m0", in: "y", by: "bob", to: nil),
                    .say("m1", in: "x", by: "carol", to: nil),
                    .say("m2", in: "x", by: "carol", to: nil), .connect, .perform(-1),
                    .deliver(-1), .fail(1, .notConnected), .write("w0", in: "x", isLong: false),
                    .say("m4", in: "x", by: "carol", to: "w0"), .perform(1),
                    .say("m5", in: "y", by: "bob", to: nil), .deliver(0), .tick(2),
                    .say("m6", in: "y", by: "carol", to: nil), .perform(-1),
                    // m8 arrives late, and the page that ends with m6 does not contain it.
                    .say("m7", in: "y", by: "alice", to: "m6"),
                    .say("m8", in: "y", by: "bob", to: nil), .writeFiles("f1", in: "y"), .passFeed,
                    .fetch("y", .time("m0"), older: 0, newer: 3), .perform(-1),
                    .delete("m6"), .delete("m7"),
                    // m12 is older than m6.
                    .say("m11", in: "y", by: "bob", to: nil),
                    .say("m12", in: "y", by: "carol", to: nil),
                ])),
        KnownTrace(
            description: "a page closes a gap below a message that the feed has not reported",
            trace: Trace(
                seed: 1_796_009_860,
                config: config {
                    $0.pageLimit = 10
                    $0.feedBatchSize = 1
                    $0.parallelRequests = 1
                    $0.backgroundChannels = 0
                    $0.backgroundPages = 0
                    $0.fillsHugeGaps = true
                },
                steps: [
                    .connect, .pass(-1), .passFeed, .say("m2", in: "x", by: "alice", to: "i1"),
                    .pass(2), .edit("m2"), .feedLimit(0), .connect, .pass(-1), .pass(3),
                    .fetch("x", .newest, older: 1, newer: 0), .perform(-1),
                    // m9 is neither on that page nor on the one that has m10.
                    .say("m9", in: "x", by: "alice", to: nil),
                    .fetch("x", .message("m9"), older: 0, newer: 1), .perform(-1),
                    .say("m10", in: "x", by: "carol", to: nil),
                    .say("m11", in: "x", by: "carol", to: nil), .passFeed,
                    .fetch("x", .message("m11"), older: 1, newer: 0), .perform(-1), .deliver(2),
                    .deliver(2), .passFeed,
                ])),
    ]

    private static func config(_ change: (inout WorldConfig) -> Void) -> WorldConfig {
        var config = WorldConfig()
        change(&config)
        return config
    }
}
