import EmbeddedServer
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store

@testable import Sync

/// A run of a trace: a server, a device, and all checks.
struct ModelRun {
    var trace: Trace
    /// The number of random commits from which the run is finished again.
    ///
    /// This simulates that the process ended after the commit.
    var cutCount = 0
    /// True if the store is on a disk, which may be full or lose power.
    var isOnDisk = false
    /// Called with a line for each event of the run.
    var log: ((String) -> Void)?
    /// Called after each step of the trace.
    var didPerform: ((Step, Device) -> Void)?

    /// The events of a run, for the statistics of a test.
    struct Outcome: Equatable {
        var steps = 0
        var commits = 0
        var cuts = 0
        /// The rows at the end of the run.
        var rows: [CacheRow] = []
    }

    /// Runs the trace to its end, and completes everything that is pending.
    func run() async throws -> Outcome {
        let server = try await ModelServer(trace.config)
        let directory = isOnDisk ? ScratchDirectory() : nil
        let device = try Device(server, trace.config, directory: directory)
        device.log = log
        device.keepsCuts = !isOnDisk
        var outcome = Outcome()
        for step in trace.steps {
            log?("\(step)")
            do {
                if try await !server.perform(step) { try await device.perform(step) }
            } catch {
                didPerform?(step, device)
                throw error
            }
            didPerform?(step, device)
            log?(device.picture)
            outcome.steps += 1
        }
        device.keepsCuts = false
        outcome.commits = device.cuts.count
        outcome.rows = device.cuts.last ?? []
        try await finish(device, server)
        var random = SeededRandom(seed: trace.seed)
        for index in device.cuts.indices.shuffled(using: &random).prefix(cutCount) {
            outcome.cuts += 1
            // A commit writes the cache before the outbox, and the process may end between these
            // two writes. In addition, a power failure removes some unsynced commits of the cache.
            let outbox = max(0, index - random.number(below: 2))
            let index = random.oneIn(3) ? max(0, index - random.number(below: 10)) : index
            do {
                log?("what is left after commit \(index), and \(outbox) of the outbox")
                // If the server does not deduplicate, the messages that it received after this
                // commit would be sent again.
                let items = trace.config.deduplicates ? device.outboxCuts[outbox] : []
                let device = try Device(
                    server, trace.config, rows: device.cuts[index],
                    items: items)
                device.log = log
                log?(device.picture)
                try await finish(device, server)
            } catch let violation as Violation {
                throw Violation(
                    "F4 crash anywhere", "after commit \(index), \(outbox): \(violation)")
            }
        }
        return outcome
    }

    private func finish(_ device: Device, _ server: ModelServer) async throws {
        try await device.comeToRest()
        try expectRest(device)
        try device.expectSent()
        let mine = server.history.channels.filter(\.value.isMine).keys.sorted()
        for (url, views) in device.shown.sorted(by: { $0.key < $1.key }) {
            guard mine.contains(url), !device.hugeGaps.contains(url), device.failures[url] == nil,
                var view = views.values.first
            else { continue }
            for other in views.values { view = view.union(other) }
            try device.oracle.checkShown(url, view)
        }
        // Two rounds are needed: a lookup may release a waiting message, whose arrival the feed may
        // report as a truncation.
        for _ in 0..<2 {
            for url in mine { try device.awaitCaughtUp(url) }
            try await device.comeToRest()
            try expectRest(device)
        }
        for url in mine where device.failures[url] == nil && !device.hugeGaps.contains(url) {
            try device.oracle.checkCaughtUp(url)
        }
        for url in mine { try device.show(url, ShownRange(from: .beginning), 9) }
        try await device.comeToRest()
        try expectRest(device)
        // The engine does not fill a huge gap that it has reported: the app requests its pages.
        for url in mine where device.hugeGaps.contains(url) {
            for _ in 0..<60 where device.oracle.rows[url]?.gaps.isEmpty == false {
                try await device.perform(.fetch(url.rawValue, .gapTop(-1), older: 3, newer: 0))
                try await device.comeToRest()
            }
            try expectRest(device)
        }
        for url in mine { try device.oracle.checkShown(url, ShownRange(from: .beginning)) }
        var query = GroupChannelListQuery()
        query.includesEmptyChannel = true
        query.hiddenStateFilter = .all
        query.limit = 10
        let channels = try await server.phone.channels(matching: query, after: nil)
        try device.oracle.checkChannels(channels.elements)
    }

    private func expectRest(_ device: Device) throws {
        guard device.core.isIdle, device.core.state.isLive, device.core.state.failure == nil,
            device.tickets.isEmpty
        else {
            throw Violation(
                "comes to rest",
                "idle \(device.core.isIdle), \(device.core.state), waiting \(device.tickets)")
        }
    }

    /// Returns the rule that the run violates, or nil if the run passes.
    func violation() async -> Violation? {
        do {
            _ = try await run()
            return nil
        } catch let violation as Violation {
            return violation
        } catch {
            return Violation("runs", "\(error)")
        }
    }

    /// Returns a shorter run that violates the same rule.
    func shrunk(_ rule: String) async -> ModelRun {
        var run = self
        var tries = 600
        func fails(_ other: ModelRun) async -> Bool {
            tries -= 1
            guard tries > 0 else { return false }
            return await other.violation()?.rule == rule
        }
        for config in simplerConfigs(trace.config) {
            var other = run
            other.trace = run.trace.with(config(run.trace.config))
            if await fails(other) { run = other }
        }
        var size = max(1, trace.steps.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < run.trace.steps.count {
                var trace = run.trace
                trace.steps.removeSubrange(start..<min(start + size, trace.steps.count))
                var other = run
                other.trace = trace
                if await fails(other) {
                    run = other
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1 && (!hasShrunk || tries <= 0) { return run }
            size = max(1, size / 2)
        }
    }

    /// Returns configurations that are each simpler in one property.
    private func simplerConfigs(_ config: WorldConfig) -> [(WorldConfig) -> WorldConfig] {
        func with(_ change: @escaping (inout WorldConfig) -> Void) -> (WorldConfig) -> WorldConfig {
            { config in
                var config = config
                change(&config)
                return config
            }
        }
        let plain = WorldConfig()
        return [
            with { $0.networkSeed = nil }, with { $0.lossSeed = nil }, with { $0.granularity = 1 },
            with { $0.clockSkew = 0 }, with { $0.federationDelay = nil },
            with { $0.pageLimit = 10 }, with { $0.feedBatchSize = plain.feedBatchSize },
            with { $0.changelogPageSize = plain.changelogPageSize },
            with { $0.repeatsChangelogEntries = false }, with { $0.feedLimit = nil },
            with { $0.hasInvitations = false }, with { $0.hasSeparateReactions = false },
            with { $0.returnsEmptyBatches = false },
            with { $0.parallelRequests = 1 }, with { $0.backgroundChannels = 0 },
            with { $0.hugeGapThreshold = 300 }, with { $0.deduplicates = true },
            with { $0.stopsAtFailure = false }, with { $0.failedLimit = nil },
            with { $0.forgetsFailed = false },
        ]
    }
}

extension Trace {
    func with(_ config: WorldConfig) -> Trace { Trace(seed: seed, config: config, steps: steps) }
}
