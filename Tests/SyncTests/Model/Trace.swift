import Foundation

/// All steps of a run, as a value that can be written to a file, shortened and run again.
struct Trace: Hashable {
    var seed: Int
    var config: WorldConfig
    var steps: [Step]
}

/// The properties of the server, the network and the engine of a run.
struct WorldConfig: Codable, Hashable {
    /// The resolution of the server's clock in milliseconds.
    var granularity: Int64 = 1
    /// The difference between the clocks of the server's nodes in milliseconds.
    var clockSkew: Int64 = 0
    /// The maximum delay in milliseconds with which a message arrives from another server.
    var federationDelay: Int64?
    var pageLimit = 3
    var feedBatchSize = 100
    var changelogPageSize = 100
    var repeatsChangelogEntries = false
    var feedLimit: Int?
    var hasInvitations = false
    /// True if the server returns messages without their reactions.
    var hasSeparateReactions = false
    /// The seed of random network failures, or `nil` for a network without failures.
    var networkSeed: UInt64?
    /// The seed by which half of the answers to the user's requests are lost and some of the
    /// requests are temporarily refused.
    var lossSeed: UInt64?
    /// True if the feed answers with an empty batch when it has no event, instead of waiting.
    var returnsEmptyBatches = false
    var parallelRequests = 2
    var backgroundChannels = 2
    var backgroundPages = 5
    var hugeGapThreshold = 300
    var fillsHugeGaps = false
    /// True if the server deduplicates requests.
    var deduplicates = true
    var stopsAtFailure = false
    var failedLimit: Int?
    /// True if failed items are removed after a day.
    var forgetsFailed = false

    var limitsFailed: Bool { failedLimit != nil || forgetsFailed }
}

/// A step of a run.
///
/// A step names a message by a tag that was chosen when the trace was created, and a call or a wait
/// by its index among the pending ones, where -1 is the last. A step has no effect if what it names
/// does not exist, so any part of a trace is a valid trace.
enum Step: Codable, Hashable {
    // Actions of users.
    case say(String, in: String, by: String, to: String?)
    case edit(String)
    case delete(String)
    case react(String, key: String, by: String, gives: Bool)
    case read(String, by: String)
    case rename(String)
    case resetHistory(String)
    case leave(String)
    case invite(String)
    case ban(String)
    case deleteChannel(String)
    case createChannel(String)
    case freeze(String, Bool)
    /// A message whose time is `age` milliseconds ago is imported.
    ///
    /// If `isReported`, the feed delivers the message; otherwise it reports a changed range.
    case importOld(String, in: String, by: String, age: Int64, isReported: Bool)

    // Events of the server.
    case backUp
    case restore
    case expireCursors
    case expirePageCursors
    case expireSession
    case feedLimit(Int?)
    case tick(Int64)

    // Progress of calls and waits.
    case perform(Int)
    case deliver(Int)
    case pass(Int)
    case passFeed
    case fail(Int, Failure)
    case fire(Int)
    /// A caller stops waiting for the result of an outbox item.
    case giveUp(Int)
    case renew

    // Actions of the app.
    case connect
    case disconnect
    case reconnect
    case show(String, from: Place, to: Place, viewer: Int)
    case hide(String, viewer: Int)
    case fetch(String, Anchor, older: Int, newer: Int)
    /// The next page of the messages with links or, if `ofThreads`, with replies is fetched.
    case fetchKind(String, ofThreads: Bool, limit: Int)
    case lookUp([String])
    /// A search on the server.
    case search(String, limit: Int)
    case readChanges(String)
    case readChannelChanges
    case listChannels
    case lookAt(String)
    case push(String, version: Int)
    case awaitCaughtUp(String?)
    /// A list of a channel is opened at the newest message, or at the time of the given one.
    case openList(String, number: Int, at: String?, size: Int, isReversed: Bool)
    case load(number: Int, isOlder: Bool, count: Int, crossesGaps: Bool)
    case closeList(number: Int)
    /// Up to `count` of the oldest messages of a channel that is not in use are evicted.
    case evict(String, count: Int)
    case clearMessages(String)
    case clearCache
    /// A read finds the cache damaged, which the connected engine then replaces.
    case damageCache
    case abandon(Int)
    case kill
    /// A power failure.
    ///
    /// A store in memory loses some of its last commits to the cache. A store on a disk loses
    /// everything that is unsynced.
    case losePower(Int)
    /// The disk of the store, if it has one, is full after some further changes of a database.
    case fillDisk(Int)
    /// Only the outbox cannot be written after some further changes.
    case fillOutbox(Int)
    case emptyDisk

    // Actions of the device's user.
    case write(String, in: String, isLong: Bool)
    case writeFiles(String, in: String)
    case change(String, of: String, Change)
    case cancel(String)
    case resend(String)
    /// The device's clock is moved by some seconds, forward or back.
    case moveClock(Int64)

    enum Change: String, Codable, CaseIterable {
        case edit, delete, react, unreact
    }

    enum Failure: String, Codable, CaseIterable {
        case notConnected, unanswered, throttled, serverFailure
    }

    /// A bound of the range that a view shows.
    enum Place: Codable, Hashable {
        case beginning, end
        case message(String)
    }

    /// The anchor of a request for messages.
    enum Anchor: Codable, Hashable {
        case newest
        case time(String)
        case message(String)
        /// The newer bound, or the older bound, of one of the cached gaps.
        case gapTop(Int)
        case gapBottom(Int)
    }
}

extension Trace {
    private struct Head: Codable {
        var seed: Int
        var config: WorldConfig
    }

    /// The seed, the configuration, and a line for each step.
    var lines: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let head = try encoder.encode(Head(seed: seed, config: config))
            let lines = try [head] + steps.map { try encoder.encode($0) }
            return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
        }
    }

    init(lines: String) throws {
        let lines = lines.split(separator: "\n").map { Data($0.utf8) }
        let decoder = JSONDecoder()
        let head = try decoder.decode(Head.self, from: lines.first ?? Data())
        let steps = try lines.dropFirst().map { try decoder.decode(Step.self, from: $0) }
        self.init(seed: head.seed, config: head.config, steps: steps)
    }

    /// Writes the trace to a new file, and returns the path.
    func keep() throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-trace-\(seed)-\(UUID()).jsonl")
        try Data(lines.utf8).write(to: file)
        return file.path
    }
}
