import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync

// Faults of the network and of the server, while messages are sent and received.
extension Matrix {
    /// The number of worlds.
    ///
    /// In each, the fault occurs in several rounds.
    private var seeds: Int { max(1, 10 / stride) }
    private var rounds: Int { 10 }

    func trouble(_ fault: Fault, _ outcome: inout Outcome) async throws {
        for seed in 0..<seeds {
            try await withDirectory { directory in
                let world = try await World(in: directory, server: fault.server)
                try world.openDevice()
                try await world.perform(.connect)
                try await world.say(in: [World.lounge])
                try await world.receive()
                world.network.conditions = fault.network(UInt64(seed))
                world.network.clearLog()
                for round in 0..<rounds { try await world.suffer(fault, round) }
                let hits = world.network.log.count { fault.isHit($0) }
                outcome.injected += fault.unit == "calls" ? hits : rounds
                outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
                outcome.stored += world.heard.values.reduce(0) { $0 + $1.count }
                let start = ContinuousClock.now
                if fault == .lostEvents || fault == .messagesForgotten {
                    try await world.repair()
                    outcome.record(call: "`repair`")
                }
                try await agree(world, &outcome, since: start)
                for text in world.reported.all { outcome.record(report: text) }
                outcome.lost += try await world.lost()
                await world.close()
            }
        }
        if outcome.injected == 0 { outcome.violations.append("no fault was injected") }
    }
}

extension World {
    /// Performs one round, in which alice and bob write while the fault occurs.
    fileprivate func suffer(_ fault: Fault, _ round: Int) async throws {
        guard let engine else { return }
        if fault.isAway { await engine.disconnect() }
        let said = try await say()
        switch fault {
        case .offline:
            network.goOffline()
            try await write()
            try await say()
            network.goOnline()
            await engine.reconnect()
        case .sessionExpired: server.expireSessions(of: "bob")
        case .feedCursorExpired:
            try await say()
            try server.expireCursors()
        case .changedMeanwhile:
            try await alice.delete(
                said[0].messageID ?? "", in: said[0].channelURL, requestID: nextRequestID())
            var params = UserMessageUpdateParams()
            params.text = said[1].text + ", edited"
            _ = try await alice.update(
                said[1].messageID ?? "", in: said[1].channelURL, with: .text(params),
                requestID: nextRequestID())
            try await say()
        case .channelLeft:
            let other = server.client()
            _ = try await other.connect(as: Credentials("bob"))
            try await other.perform(LeaveChannel(World.lounge))
            try await say(in: [World.lounge])
            try await alice.perform(InviteUsers(["bob"], to: World.lounge))
            try await other.perform(AnswerInvitation(to: World.lounge, accepts: true))
            await other.disconnect()
            try await say(in: [World.lounge])
        case .channelMadeAgain:
            try server.deleteChannel(World.lounge)
            createChannel(World.lounge)
            try await say(in: [World.lounge])
        case .messagesForgotten:
            // The server removes old messages only in the first round. Later, it would also remove
            // messages that bob has written.
            if round == 0 {
                try await connect()
                try server.expireMessages(before: clock.now)
            }
        case .serverPutBack:
            try await connect()
            try await waitUntilSent()
            let backup = try server.backup()
            try await say()
            try server.restore(backup)
        default: break
        }
        try await write()
        if fault.isAway { try await connect() }
        if fault.waitsForEachRound { try await waitUntilSent() }
    }

    fileprivate func repair() async throws {
        network.conditions = .perfect
        try await connect()
        for url in World.channels { try await engine?.repair(url) }
    }
}

extension Fault {
    /// True if the device is offline while others write.
    fileprivate var isAway: Bool {
        switch self {
        case .shortPages, .pageCursorsExpired, .truncations, .feedCursorExpired, .repeatedChangelog,
            .changelogExpired, .equalTimes, .wrongClocks, .changedMeanwhile, .channelLeft,
            .channelMadeAgain, .messagesForgotten, .serverPutBack:
            true
        default: false
        }
    }

    /// True if a round waits until all items are sent.
    ///
    /// Otherwise items of the next round might arrive before them.
    fileprivate var waitsForEachRound: Bool {
        self == .sessionExpired || self == .repeatedEvents || self == .repeatedBatches
            || self == .shuffledEvents || self == .lostEvents || self == .cutBatches
            || self == .mixedChannels
    }

    fileprivate var server: ServerConditions {
        var conditions = ServerConditions()
        switch self {
        case .shortPages, .pageCursorsExpired, .truncations, .changedMeanwhile:
            conditions.feedLimit = 1
        case .repeatedChangelog, .changelogExpired:
            conditions.feedLimit = 1
            conditions.changelogPageSize = 2
        case .equalTimes: conditions.timeGranularity = 3_600_000
        case .wrongClocks: conditions.clockSkew = 500
        case .noDeduplication: conditions.missingCapabilities = .deduplicatesRequests
        default: break
        }
        return conditions
    }

    fileprivate func network(_ seed: UInt64) -> NetworkConditions {
        var conditions = NetworkConditions(seed: seed)
        switch self {
        case .notSent: conditions.failures.notSent = 0.5
        case .requestLost: conditions.failures.requestLost = 0.5
        case .answerLost: conditions.failures.answerLost = 0.5
        case .noDeduplication:
            conditions.failures.answerLost = 0.5
            conditions.failures.calls = [.send]
        case .throttled: conditions.failures.throttled = 0.5
        case .serverFailed: conditions.failures.serverFailure = 0.5
        case .shortPages:
            conditions.pages.cap = 3
            conditions.pages.short = 0.5
            conditions.pages.empty = 0.5
        case .pageCursorsExpired:
            conditions.pages.cap = 2
            conditions.pages.expired = 0.5
        case .cutBatches: conditions.feed.split = 1
        case .mixedChannels: conditions.feed.reordered = 1
        case .repeatedChangelog:
            conditions.changelogs.repeated = 0.5
            conditions.changelogs.empty = 0.5
        case .changelogExpired: conditions.changelogs.expired = 0.5
        case .repeatedEvents: conditions.feed.repeatedEvents = 0.5
        case .repeatedBatches: conditions.feed.repeatedBatches = 0.5
        case .shuffledEvents: conditions.feed.shuffled = 1
        case .lostEvents: conditions.feed.lost = 0.5
        default: break
        }
        return conditions
    }

    /// Returns true if a line of the network's log is about a call that the fault affected.
    fileprivate func isHit(_ line: String) -> Bool {
        switch self {
        case .notSent, .requestLost, .throttled, .serverFailed:
            line.hasSuffix("fails before its effect")
        case .answerLost, .noDeduplication: line.hasSuffix("fails after its effect")
        case .shortPages: line.contains("passed on")
        case .pageCursorsExpired: line.contains(" messages ") && line.hasSuffix("expired")
        case .cutBatches: line.hasSuffix("events delivered")
        case .truncations: line.contains(" feed") && line.hasSuffix("answered")
        case .repeatedChangelog, .changelogExpired:
            line.contains("messageChanges") && !line.hasSuffix("answered")
        case .repeatedBatches: line.hasSuffix("a batch repeated")
        case .lostEvents: line.hasSuffix("events lost")
        default: false
        }
    }
}
