import Foundation

/// All that happens in a run: a value, which can be kept in a file, made shorter, and run again.
struct Trace: Hashable {
    var seed: Int
    var config: WorldConfig
    var steps: [Step]
}

/// What a run's server, network and engine are like.
struct WorldConfig: Codable, Hashable {
    /// What the server's clock tells messages: whole multiples of this, in milliseconds.
    var granularity: Int64 = 1
    /// By how much the clocks of the server's nodes are wrong.
    var clockSkew: Int64 = 0
    var pageLimit = 3
    var feedBatchSize = 100
    var changelogPageSize = 100
    var repeatsChangelogEntries = false
    var feedLimit: Int?
    var hasInvitations = false
    /// What chance makes a bad network of; `nil` for one in which nothing goes wrong by itself.
    var networkSeed: UInt64?
    /// What chance takes half of all answers to what the user wrote by, and refuses some for now.
    var lossSeed: UInt64?
    /// Whether the feed is told that nothing has happened, instead of waiting.
    var tellsNothing = false
    var parallelRequests = 2
    var backgroundChannels = 2
    var backgroundPages = 5
    var hugeGapThreshold = 300
    var healsHugeGaps = false
    /// Whether the server knows what it was sent before.
    var deduplicates = true
    var stopsAtFailure = false
    var failedLimit: Int?
    /// Whether what failed is kept for a day alone.
    var forgetsFailed = false

    var limitsFailed: Bool { failedLimit != nil || forgetsFailed }
}

/// One thing that happens.
///
/// Messages are named by tags that were chosen when the trace was made, calls and waits by their turn
/// among those that are pending, the last one's being -1. What is not there by then makes a step do nothing, so that every part of
/// a trace is a trace.
enum Step: Codable, Hashable {
    // What users do.
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

    // What becomes of the server.
    case backUp
    case restore
    case expireCursors
    case expirePageCursors
    case expireSession
    case feedLimit(Int?)
    case tick(Int64)

    // What becomes of calls and waits.
    case perform(Int)
    case deliver(Int)
    case pass(Int)
    case passFeed
    case fail(Int, Failure)
    case fire(Int)
    /// What waits in an outbox is not waited for any more.
    case giveUp(Int)
    case renew

    // What the application does.
    case connect
    case disconnect
    case reconnect
    case show(String, from: Place, to: Place, viewer: Int)
    case hide(String, viewer: Int)
    case fetch(String, Anchor, older: Int, newer: Int)
    case lookUp([String])
    case readChanges(String)
    case readChannelChanges
    case listChannels
    case lookAt(String)
    case push(String, version: Int)
    case awaitCaughtUp(String?)
    case abandon(Int)
    case kill
    /// The power goes, and with it some of the last commits of the cache, which are not synced; on a
    /// disk, all that was not.
    case losePower(Int)
    /// Writes fail after some more changes, if there is a disk.
    case fillDisk(Int)
    case emptyDisk

    // What the user of the device writes.
    case write(String, in: String, isLong: Bool)
    case writeFiles(String, in: String)
    case change(String, of: String, Change)
    case cancel(String)
    case resend(String)
    /// The device's clock is put forward, or back, by some seconds.
    case moveClock(Int64)

    enum Change: String, Codable, CaseIterable {
        case edit, delete, react, unreact
    }

    enum Failure: String, Codable, CaseIterable {
        case notConnected, unanswered, throttled, serverFailure
    }

    /// An end of what is shown.
    enum Place: Codable, Hashable {
        case beginning, end
        case message(String)
    }

    /// Where somebody asks for messages.
    enum Anchor: Codable, Hashable {
        case newest
        case time(String)
        case message(String)
        /// The newer or the older end of one of the gaps that are held.
        case gapTop(Int)
        case gapBottom(Int)
    }
}

extension Trace {
    private struct Head: Codable {
        var seed: Int
        var config: WorldConfig
    }

    /// The seed and the configuration, and a line for each step.
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

    /// Writes it into a file for its own, and returns where.
    func keep() throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-trace-\(seed)-\(UUID()).jsonl")
        try Data(lines.utf8).write(to: file)
        return file.path
    }
}
