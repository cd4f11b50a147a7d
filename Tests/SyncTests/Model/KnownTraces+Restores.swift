/// Traces in which the server is restored from a backup.
extension KnownTrace {
    static let ofRestores = [
        KnownTrace(
            description: "a reset that the server has lost removes no message that was sent since",
            trace: Trace(
                seed: 503_061, config: oneRequest,
                steps: [
                    .connect, .backUp, .write("w1", in: "x", isLong: false), .pass(2), .pass(3),
                    .resetHistory("x"), .write("w2", in: "x", isLong: false), .pass(2), .restore,
                ])),
        KnownTrace(
            description: "a reset that the feed reports during a send removes no sent message",
            trace: Trace(
                seed: 500_802, config: skewedClocks,
                steps: [
                    .say("m3", in: "x", by: "carol", to: nil),
                    .say("m4", in: "x", by: "alice", to: "m3"),
                    .say("m5", in: "x", by: "alice", to: nil), .connect, .pass(0), .backUp,
                    .write("w1", in: "x", isLong: false), .resetHistory("x"), .passFeed, .restore,
                ])),
        KnownTrace(
            description: "a gap that ends at a lost message is filled from that position",
            trace: Trace(
                seed: 501_748, config: failures,
                steps: [
                    .connect, .backUp, .say("m7", in: "x", by: "carol", to: nil), .perform(-1),
                    .say("m8", in: "x", by: "carol", to: nil),
                    .say("m9", in: "x", by: "alice", to: "m8"), .deliver(0),
                    .say("m10", in: "x", by: "carol", to: "m9"), .pass(3),
                    .say("m11", in: "x", by: "bob", to: nil), .fire(0),
                    .say("m12", in: "x", by: "bob", to: nil), .pass(3), .fail(0, .unanswered),
                    .pass(0), .restore, .write("w0", in: "y", isLong: false),
                    .say("m18", in: "y", by: "alice", to: nil), .pass(3),
                    .write("w1", in: "x", isLong: false), .write("w2", in: "x", isLong: false),
                    .say("m21", in: "x", by: "carol", to: nil),
                    .say("m22", in: "x", by: "bob", to: nil),
                    // The server gives the id of m11 to a message that is older than all others.
                    .importOld("i23", in: "x", by: "alice", age: 2, isReported: true),
                    .say("m24", in: "x", by: "alice", to: "i23"),
                ])),
        KnownTrace(
            description: "an edit of a message of a former epoch changes no other message",
            trace: Trace(
                seed: 1_102_048, config: lostRequests,
                steps: [
                    .say("m3", in: "y", by: "bob", to: nil), .connect, .backUp, .pass(3), .pass(3),
                    .show("x", from: .message("m3"), to: .message("m3"), viewer: 1),
                    .say("m5", in: "y", by: "carol", to: nil),
                    .importOld("i6", in: "x", by: "alice", age: 1, isReported: false), .perform(3),
                    .write("w0", in: "y", isLong: false), .deliver(1),
                    .change("c1", of: "w0", .edit), .pass(3), .restore,
                    .importOld("i9", in: "x", by: "carol", age: 0, isReported: false), .connect,
                    .perform(3), .deliver(2), .say("m10", in: "x", by: "carol", to: nil), .kill,
                    .write("w1", in: "x", isLong: false), .write("w2", in: "y", isLong: false),
                ])),
        KnownTrace(
            description: "a sent message replaces a lost one with the same id and time",
            trace: Trace(
                seed: 702_673, config: oneRequest,
                steps: [
                    .write("w3", in: "x", isLong: false), .connect,
                    .write("w5", in: "x", isLong: false), .pass(3), .backUp, .perform(1),
                    .perform(0), .restore,
                ])),
        KnownTrace(
            description: "a sent message replaces a reply with the same id and time",
            trace: Trace(
                seed: 702_354, config: oneRequest,
                steps: [
                    .backUp, .write("w1", in: "y", isLong: false), .connect, .pass(0),
                    .say("m12", in: "y", by: "bob", to: "w1"), .passFeed,
                    .fetchKind("y", ofThreads: false, limit: 3), .perform(-1), .restore,
                ])),
        KnownTrace(
            description: "a void answer to a send ignores the tombstone of a former epoch",
            trace: Trace(
                seed: 1162, config: lateMessages,
                steps: [
                    .connect, .backUp, .say("m8", in: "x", by: "bob", to: nil), .perform(-1),
                    .say("m9", in: "x", by: "carol", to: nil), .deliver(0), .pass(2),
                    .fetch("x", .newest, older: 2, newer: 1), .pass(1), .delete("m9"), .pass(1),
                    .write("w6", in: "x", isLong: false), .restore,
                    .say("m24", in: "x", by: "bob", to: nil),
                ])),
        KnownTrace(
            description: "a sent message replaces a lost one that the feed reports during the send",
            trace: Trace(
                seed: 3494, config: oneRequest,
                steps: [
                    .connect, .pass(2), .backUp, .pass(1), .write("w6", in: "x", isLong: false),
                    .say("m17", in: "x", by: "bob", to: "w6"), .perform(0), .restore,
                ])),
        KnownTrace(
            description: "a deletion of a former epoch during a send removes no sent message",
            trace: Trace(
                seed: 3494, config: oneRequest,
                steps: [
                    .connect, .pass(2), .backUp, .say("m4", in: "y", by: "bob", to: nil), .pass(1),
                    .delete("m4"), .write("w4", in: "x", isLong: false),
                    .write("w5", in: "y", isLong: false), .passFeed, .perform(0), .restore,
                ])),
        KnownTrace(
            description: "a message of another user that was lost gives its id to a sent one",
            trace: Trace(
                seed: 703_540, config: oneEvent,
                steps: [
                    .backUp, .connect, .pass(0), .pass(0),
                    .say("m17", in: "y", by: "alice", to: nil),
                    .write("w4", in: "x", isLong: false), .perform(3), .perform(0),
                    .write("w5", in: "y", isLong: false), .deliver(2), .pass(2), .restore,
                ])),
        KnownTrace(
            description: "a message that was sent by an ended process stays over a restore",
            trace: Trace(
                seed: 5127, config: oneRequest,
                steps: [
                    .connect, .backUp, .perform(-1), .deliver(0), .pass(0),
                    .write("w0", in: "y", isLong: false), .write("w1", in: "x", isLong: false),
                    .restore, .pass(2), .kill,
                ])),
        KnownTrace(
            description: "a sent message on a page replaces a lost one that was reported since",
            trace: Trace(
                seed: 718_663, config: lostSend,
                steps: [
                    .connect, .backUp, .pass(3), .fetch("x", .newest, older: 3, newer: 0),
                    .perform(-1), .passFeed, .say("m5", in: "x", by: "bob", to: nil), .perform(0),
                    .search("m2", limit: 4), .write("w0", in: "x", isLong: false), .deliver(0),
                    .restore, .pass(2),
                ])),
        KnownTrace(
            description: "a sent message that a deletion of a former epoch removes is fetched",
            trace: Trace(
                seed: 4_017_092, config: oneEventOfAll,
                steps: [
                    .say("m6", in: "y", by: "bob", to: nil), .backUp,
                    .importOld("i7", in: "y", by: "alice", age: 0, isReported: false), .connect,
                    .pass(1), .pass(2), .delete("i7"), .connect, .pass(0), .pass(1), .perform(0),
                    .write("w2", in: "y", isLong: false), .restore, .pass(1),
                ])),
        KnownTrace(
            description: "a sent message may be older than the beginning that a server has lost",
            trace: Trace(
                seed: 4_012_067, config: throttled,
                steps: [
                    .say("m8", in: "x", by: "bob", to: nil), .backUp, .resetHistory("x"), .connect,
                    .pass(1), .pass(3), .connect, .pass(2), .passFeed, .perform(1),
                    .say("m18", in: "y", by: "bob", to: nil),
                    .show("x", from: .beginning, to: .message("m18"), viewer: 1), .leave("x"),
                    .passFeed, .perform(0), .write("w0", in: "y", isLong: false), .invite("x"),
                    .writeFiles("f1", in: "x"), .pass(0), .restore, .perform(2),
                ])),
        KnownTrace(
            description: "a deleted message does not return to the list of a replaced cache",
            trace: Trace(
                seed: 700_772, config: lostAnswers,
                steps: [
                    .say("m2", in: "x", by: "bob", to: nil), .connect,
                    .show("x", from: .beginning, to: .message("m2"), viewer: 1), .pass(0),
                    .passFeed, .write("w0", in: "x", isLong: false), .perform(-1), .passFeed,
                    .change("c2", of: "w0", .delete), .pass(3),
                    .openList("x", number: 1, at: nil, size: 2, isReversed: false), .damageCache,
                ])),
    ]

    private static var oneRequest: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.backgroundPages = 0
        config.fillsHugeGaps = true
        return config
    }

    private static var skewedClocks: WorldConfig {
        var config = oneRequest
        config.clockSkew = 2
        config.fillsHugeGaps = false
        return config
    }

    private static var failures: WorldConfig {
        var config = oneRequest
        config.networkSeed = 1_043_729_743
        config.backgroundChannels = 1
        config.backgroundPages = 1
        return config
    }

    /// Messages that may arrive late, on pages in the order of arrival.
    private static var lateMessages: WorldConfig {
        var config = oneRequest
        config.federationDelay = 12
        return config
    }

    /// A feed that reports one event at a time, of a server that does not deduplicate.
    private static var oneEvent: WorldConfig {
        var config = oneRequest
        config.feedBatchSize = 1
        config.deduplicates = false
        config.fillsHugeGaps = false
        config.backgroundPages = 5
        return config
    }

    private static var oneEventOfAll: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.feedBatchSize = 1
        config.parallelRequests = 1
        config.backgroundChannels = 0
        config.backgroundPages = 0
        return config
    }

    private static var throttled: WorldConfig {
        var config = oneRequest
        config.networkSeed = 270_786_721
        return config
    }

    private static var lostSend: WorldConfig {
        var config = WorldConfig()
        config.pageLimit = 10
        config.lossSeed = 658_324_347
        config.parallelRequests = 1
        config.backgroundChannels = 0
        return config
    }

    private static var lostRequests: WorldConfig {
        var config = oneRequest
        config.lossSeed = 439_704_092
        return config
    }

    private static var lostAnswers: WorldConfig {
        var config = oneRequest
        config.networkSeed = 708_412_130
        config.lossSeed = 589_554_923
        config.backgroundPages = 1
        return config
    }
}
