/// A trace in which the engine once broke a rule.
struct KnownTrace: CustomStringConvertible {
    /// The statement that the trace proves.
    let description: String
    let trace: Trace
    /// True if the store is on a disk, which may be full or lose power.
    var isOnDisk = false

    static let all = ofEarlierRuns + ofCoverage + ofRestores + ofDisks

    private static let ofEarlierRuns = [
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
        KnownTrace(
            description: "the rest of a stale range may contain messages that arrived late",
            trace: Trace(
                seed: 6809, config: skewedClocks,
                steps: [
                    .say("m0", in: "x", by: "carol", to: nil),
                    .say("m1", in: "y", by: "bob", to: nil),
                    .say("m2", in: "x", by: "carol", to: nil),
                    .say("m3", in: "x", by: "bob", to: nil),
                    .say("m4", in: "x", by: "carol", to: nil),
                    .say("m5", in: "x", by: "carol", to: nil),
                    .say("m6", in: "x", by: "bob", to: nil),
                    .connect,
                    .say("m7", in: "x", by: "bob", to: nil),
                    .say("m8", in: "x", by: "carol", to: "m7"),
                    .say("m9", in: "x", by: "alice", to: nil),
                    .say("m10", in: "x", by: "carol", to: nil),
                    .say("m11", in: "x", by: "alice", to: nil),
                    .perform(0),
                    .say("m12", in: "x", by: "carol", to: nil),
                    .deliver(0), .tick(2),
                    .say("m15", in: "x", by: "carol", to: nil),
                    .perform(0),
                    .say("m16", in: "x", by: "carol", to: "m15"),
                    .passFeed,
                    .fetch("x", .message("m16"), older: 4, newer: 0),
                    .say("m17", in: "x", by: "carol", to: nil),
                    .say("m18", in: "x", by: "bob", to: nil),
                    .fetch("x", .message("m18"), older: 0, newer: 2), .perform(-1),
                    .say("m19", in: "x", by: "alice", to: nil),
                    .feedLimit(0), .write("w1", in: "x", isLong: false),
                ])),
        KnownTrace(
            description: "a shown channel that a list of channels adds again is fetched",
            trace: Trace(
                seed: 69, config: rejoining,
                steps: [
                    .connect, .pass(0), .passFeed, .passFeed, .passFeed,
                    .say("m0", in: "y", by: "alice", to: nil), .passFeed,
                    .show("y", from: .beginning, to: .end, viewer: 1), .pass(-1), .pass(-1),
                    // The server reports the loss of the channel before the invitation.
                    .leave("y"), .invite("y"), .passFeed, .listChannels, .pass(-1),
                ])),
        KnownTrace(
            description: "the gap below a message that was sent before the feed began is filled",
            trace: Trace(
                seed: 1_000_000, config: oneRequest,
                steps: [
                    .connect, .write("w0", in: "y", isLong: false), .pass(1), .leave("x"),
                    .passFeed, .perform(2), .show("y", from: .beginning, to: .end, viewer: 1),
                ])),
        KnownTrace(
            description: "a late answer to a send stores nothing of a channel that the user lost",
            trace: Trace(
                seed: 3763, config: oneRequest,
                steps: [
                    .show("x", from: .beginning, to: .end, viewer: 0), .connect, .pass(3),
                    .write("w4", in: "x", isLong: false), .perform(-1), .leave("x"), .passFeed,
                ])),
        KnownTrace(
            description: "a page in flight is newer than a message as it was created",
            trace: Trace(
                seed: 3416, config: withoutDeduplication,
                steps: [
                    .write("w0", in: "x", isLong: false), .write("w1", in: "x", isLong: false),
                    .connect, .pass(2), .resetHistory("x"), .pass(3), .perform(-1),
                    .react("w1", key: "+", by: "carol", gives: true), .passFeed,
                ])),
        KnownTrace(
            description: "the engine retries the store after a failed write of the user",
            trace: Trace(
                seed: 2_001_063, config: oneRequest,
                steps: [
                    .connect, .pass(2), .pass(2), .fillDisk(1),
                    .write("w7", in: "x", isLong: false),
                ]),
            isOnDisk: true),
        KnownTrace(
            description: "the engine retries the store after a message could not be written",
            trace: Trace(
                seed: 2_000_275, config: withoutDeduplication,
                steps: [
                    .connect, .pass(2), .passFeed, .fillDisk(2),
                    .write("w9", in: "x", isLong: false),
                ]),
            isOnDisk: true),
        KnownTrace(
            description: "an item that fails and is removed at once was not lost",
            trace: Trace(
                seed: 2_001_289, config: oneFailedItem,
                steps: [
                    .write("w1", in: "x", isLong: false), .write("w2", in: "x", isLong: false),
                    .moveClock(300_000),
                ]),
            isOnDisk: true),
        KnownTrace(
            description: "a message that was deleted before its send was answered is not kept",
            trace: Trace(
                seed: 6629, config: oneRequest,
                steps: [
                    .write("w1", in: "x", isLong: false), .connect, .pass(1), .perform(-1),
                    .passFeed, .fetch("x", .newest, older: 3, newer: 0), .delete("w1"), .passFeed,
                ])),
        KnownTrace(
            description: "a page with a message that was deleted since does not keep it",
            trace: Trace(
                seed: 6629, config: oneRequest,
                steps: [
                    .write("w1", in: "x", isLong: false), .connect, .pass(1), .perform(-1),
                    .passFeed, .fetch("x", .newest, older: 3, newer: 0), .perform(-1),
                    .delete("w1"), .passFeed,
                ])),
        KnownTrace(
            description: "a void answer to a send keeps no deleted message of a known range",
            trace: Trace(
                seed: 6629, config: oneRequest,
                steps: [
                    .write("w1", in: "x", isLong: false), .connect, .pass(1), .perform(-1),
                    .passFeed, .fetch("x", .newest, older: 3, newer: 0), .perform(-1),
                    .delete("w1"), .passFeed, .deliver(-1),
                ])),
        KnownTrace(
            description: "a page that was refused before an invitation is requested again",
            trace: Trace(
                seed: 43680, config: invitations,
                steps: [
                    .leave("x"), .connect, .pass(3), .pass(0),
                    .show("x", from: .beginning, to: .end, viewer: 0), .perform(-1), .invite("x"),
                    .passFeed,
                ])),
        KnownTrace(
            description: "the oldest message above a page is the first unreported one",
            trace: Trace(
                seed: 13741, config: restored,
                steps: [
                    .connect, .show("x", from: .beginning, to: .end, viewer: 1), .backUp, .pass(2),
                    .say("m4", in: "x", by: "carol", to: nil), .resetHistory("x"),
                    .write("w1", in: "x", isLong: false),
                    .say("m6", in: "x", by: "bob", to: nil), .passFeed, .perform(0),
                    .fetch("x", .newest, older: 3, newer: 0), .perform(-1), .deliver(-1),
                    .connect, .restore, .pass(3), .pass(3), .pass(0), .perform(1),
                    .say("m16", in: "x", by: "alice", to: nil),
                ])),
        KnownTrace(
            description: "the user's reaction hides no older one of another user",
            trace: Trace(
                seed: 28834, config: fewEvents,
                steps: [
                    .connect, .write("w0", in: "x", isLong: false),
                    .write("w1", in: "x", isLong: false), .perform(-1), .deliver(2),
                    .write("w2", in: "x", isLong: false), .pass(0), .pass(0), .pass(3), .pass(0),
                    .change("c1", of: "w2", .unreact),
                    .show("x", from: .beginning, to: .message("w0"), viewer: 0), .pass(3),
                    .perform(3), .react("w2", key: "+", by: "carol", gives: true),
                ])),
        KnownTrace(
            description: "a channel that was lost before the feed listed it keeps no message",
            trace: Trace(
                seed: 5123, config: rejoining,
                steps: [
                    .say("m3", in: "y", by: "bob", to: nil), .connect, .pass(0),
                    .show("x", from: .beginning, to: .end, viewer: 0),
                    .write("w0", in: "x", isLong: false), .perform(0), .perform(1), .leave("x"),
                    .pass(2), .pass(3), .pass(3),
                ])),
        KnownTrace(
            description: "a page that has only a late message moves the cursor at the newest end",
            trace: Trace(
                seed: 28796, config: lateMessages,
                steps: [
                    .say("m2", in: "x", by: "bob", to: nil), .awaitCaughtUp("x"),
                    .importOld("i8", in: "x", by: "alice", age: 3, isReported: true), .connect,
                    .say("m11", in: "x", by: "alice", to: nil), .perform(1), .deliver(0),
                    .pass(2), .pass(1), .delete("m11"),
                ])),
    ]

    /// A feed that omits all messages, and reports one event at a time.
    private static var restored: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.feedBatchSize = 1
        config.feedLimit = 0
        config.parallelRequests = 1
        config.backgroundChannels = 0
        return config
    }

    private static var invitations: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.hasInvitations = true
        config.parallelRequests = 3
        config.backgroundChannels = 0
        config.backgroundPages = 0
        config.fillsHugeGaps = true
        return config
    }

    private static var fewEvents: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.feedBatchSize = 4
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.fillsHugeGaps = true
        return config
    }

    /// Pages of one message, in the order of arrival.
    private static var lateMessages: WorldConfig {
        var config = WorldConfig()
        config.federationDelay = 12
        config.pageLimit = 1
        config.hasInvitations = true
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.fillsHugeGaps = true
        return config
    }

    private static var withoutDeduplication: WorldConfig {
        var config = oneRequest
        config.deduplicates = false
        config.backgroundChannels = 0
        return config
    }

    /// An engine that keeps one failed item of a channel.
    private static var oneFailedItem: WorldConfig {
        var config = oneRequest
        config.failedLimit = 1
        return config
    }

    /// An engine that makes one request at a time.
    private static var oneRequest: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.parallelRequests = 1
        config.backgroundPages = 1
        config.fillsHugeGaps = true
        return config
    }

    /// A feed that reports one event at a time.
    private static var rejoining: WorldConfig {
        var config = WorldConfig()
        config.feedBatchSize = 1
        config.backgroundChannels = 0
        return config
    }

    /// Server nodes whose clocks differ by several milliseconds.
    private static var skewedClocks: WorldConfig {
        var config = WorldConfig()
        config.clockSkew = 2
        config.granularity = 3
        config.pageLimit = 10
        config.parallelRequests = 1
        config.backgroundPages = 1
        return config
    }

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
