import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

extension NumberProbe {
    /// Makes the calls that every backend supports.
    private static func ask(
        _ backend: any Backend, _ numbers: inout Numbers, _ world: NumberWorld
    ) async {
        // Any of these calls may refuse its arguments.
        _ = try? await backend.connect(as: Credentials("bob"))
        let anchor = MessageAnchor.time(numbers.time())
        _ = try? await backend.messages(
            in: world.url, at: anchor, older: numbers.int(), newer: numbers.int())
        _ = try? await backend.replies(
            to: world.parent, in: world.url, at: anchor, older: numbers.int(),
            newer: numbers.int())
        _ = try? await backend.messages(
            of: .link, in: world.url, at: anchor, older: numbers.int())
        _ = try? await backend.perform(
            CountMessages(
                in: world.url, from: numbers.time(), to: numbers.time()))
        var params = MessageSearchParams("hello")
        (params.since, params.until) = (numbers.time(), numbers.time())
        _ = try? await backend.perform(
            SearchMessages(matching: params, after: nil, limit: numbers.int()))
        _ = try? await backend.perform(ListMentions(after: nil, limit: numbers.int()))
        _ = try? await backend.perform(ListMembers(of: world.url, after: nil, limit: numbers.int()))
        _ = try? await backend.perform(ListBlockedUsers(after: nil, limit: numbers.int()))
        _ = try? await backend.perform(
            VoteInPoll(
                for: [Int64(numbers.int())], inPollOf: world.parent, in: world.url))
        _ = try? await backend.perform(
            ListRestrictedUsers(
                of: world.url, as: .muted, after: nil, limit: numbers.int()))
        _ = try? await backend.perform(ListOpenChannels(after: nil, limit: numbers.int()))
        _ = try? await backend.perform(
            RestrictUser(
                "alice", in: world.url, as: .banned, until: numbers.time(), reason: ""))
        var query = GroupChannelListQuery()
        query.limit = numbers.int()
        _ = try? await backend.channels(matching: query, after: nil)
        _ = try? await backend.messageChanges(in: world.url, since: .time(numbers.time()))
        _ = try? await backend.channelChanges(since: .time(numbers.time()))
        _ = try? await backend.send(.sample(in: world.url, at: numbers.time()))
        let batch = try? await backend.feed(since: nil)
        if let batch { _ = try? await backend.feed(since: batch.cursor) }
    }

    static var ofServer: [NumberProbe] {
        [
            NumberProbe(
                "EmbeddedClient.messages(in:at:older:newer:)",
                "EmbeddedClient.replies(to:in:at:older:newer:)",
                "EmbeddedClient.messages(of:in:at:older:)"
            ) { numbers, world in
                await NumberProbe.ask(world.server.client(waits: false), &numbers, world)
            },
            NumberProbe(
                "ServerConditions.pageLimit", "ServerConditions.changelogPageSize",
                "ServerConditions.feedBatchSize", "ServerConditions.listLimit",
                "ServerConditions.maximumMessageLength", "ServerConditions.maximumFileByteCount",
                "ServerConditions.timeGranularity", "ServerConditions.clockSkew",
                "ServerConditions.feedLimit", "ServerConditions.federationDelay",
                "ServerConditions.deduplicationPeriod"
            ) { numbers, world in
                world.server.conditions = ServerConditions()
                world.server.conditions.pageLimit = numbers.int()
                world.server.conditions.changelogPageSize = numbers.int()
                world.server.conditions.feedBatchSize = numbers.int()
                world.server.conditions.listLimit = numbers.int()
                world.server.conditions.maximumMessageLength = numbers.int()
                world.server.conditions.maximumFileByteCount = numbers.int()
                world.server.conditions.timeGranularity = numbers.int64()
                world.server.conditions.clockSkew = numbers.int64()
                world.server.conditions.feedLimit = numbers.intOrNil()
                world.server.conditions.federationDelay = numbers.duration()
                world.server.conditions.deduplicationPeriod = numbers.durationOrNil()
                await NumberProbe.ask(world.server.client(waits: false), &numbers, world)
            },
            NumberProbe(
                "EmbeddedServer.init(at:isDurable:seed:now:)", "EmbeddedServer.inMemory(seed:now:)",
                "EmbeddedServer.expireMessages(before:reportsDeletions:)"
            ) { numbers, world in
                let clock = ManualClock(at: numbers.time())
                let directory = try ScratchDirectory.made()
                defer { directory.remove() }
                let stored = try EmbeddedServer(at: directory.url, seed: numbers.uint64()) {
                    clock.now
                }
                await NumberProbe.ask(stored.client(waits: false), &numbers, world)
                stored.close()
                let server = try EmbeddedServer.inMemory(seed: numbers.uint64()) { clock.now }
                try server.importMessages(
                    (1...3).map { Message.sample($0, in: world.url, at: numbers.time()) },
                    members: ["alice", "bob"], isReported: true)
                for _ in 0..<3 {
                    clock.now = numbers.time()
                    _ = try server.sendAdminMessage("m", to: world.url)
                }
                await NumberProbe.ask(server.client(waits: false), &numbers, world)
                try server.expireMessages(before: numbers.time(), reportsDeletions: true)
            },
        ]
    }

    static var ofNetwork: [NumberProbe] {
        [
            NumberProbe(
                "ConditionedBackend.messages(in:at:older:newer:)",
                "ConditionedBackend.replies(to:in:at:older:newer:)",
                "ConditionedBackend.messages(of:in:at:older:)",
                "ConditionedBackend.init(_:conditions:sleep:)", "NetworkConditions.seed",
                "NetworkConditions.init(seed:)", "NetworkConditions.train(seed:)",
                "NetworkConditions.awkward(seed:)", "NetworkConditions.withinContract(seed:)",
                "NetworkConditions.hostile(seed:)", "Latency.init(request:answer:jitter:)",
                "Latency.request", "Latency.answer", "Latency.jitter", "PageConditions.cap",
                "FeedConditions.batchCap", "FailureConditions.retryAfter"
            ) { numbers, world in
                var conditions = NetworkConditions(seed: numbers.uint64())
                conditions.defaultLatency = Latency(
                    request: numbers.duration(), answer: numbers.duration(),
                    jitter: numbers.duration()
                )
                var latency = Latency.none
                latency.request = numbers.duration()
                latency.answer = numbers.duration()
                latency.jitter = numbers.duration()
                conditions.latency = [.messages: latency]
                conditions.pages.cap = numbers.intOrNil()
                conditions.feed.batchCap = numbers.intOrNil()
                conditions.failures.throttled = 0.5
                conditions.failures.retryAfter = numbers.durationOrNil()
                _ = "\(conditions)"
                let network = ConditionedBackend(
                    world.server.client(waits: false), conditions: conditions,
                    sleep: NumberWorld.longSleep)
                await NumberProbe.ask(network, &numbers, world)
                for make in [
                    NetworkConditions.train, NetworkConditions.awkward,
                    NetworkConditions.withinContract, NetworkConditions.hostile,
                ] {
                    network.conditions = make(numbers.uint64())
                    network.update { $0.seed = numbers.uint64() }
                    await NumberProbe.ask(network, &numbers, world)
                }
            },
            NumberProbe(
                "ChangelogConditions.repeated", "ChangelogConditions.empty",
                "ChangelogConditions.expired", "ChangelogConditions.stuck",
                "FailureConditions.notSent", "FailureConditions.throttled",
                "FailureConditions.serverFailure", "FailureConditions.requestLost",
                "FailureConditions.answerLost", "FeedConditions.split", "FeedConditions.reordered",
                "FeedConditions.truncations", "FeedConditions.expired",
                "FeedConditions.repeatedEvents",
                "FeedConditions.repeatedBatches", "FeedConditions.shuffled", "FeedConditions.lost",
                "FeedConditions.lostTyping", "FeedConditions.lostReceipts", "PageConditions.short",
                "PageConditions.empty", "PageConditions.expired",
                "FeedConditions.editsWithoutContent"
            ) { numbers, world in
                let shares: [WritableKeyPath<NetworkConditions, Double>] = [
                    \.changelogs.repeated, \.changelogs.empty, \.changelogs.expired,
                    \.changelogs.stuck,
                    \.failures.notSent, \.failures.throttled, \.failures.serverFailure,
                    \.failures.requestLost, \.failures.answerLost, \.feed.split, \.feed.reordered,
                    \.feed.truncations, \.feed.expired, \.feed.repeatedEvents,
                    \.feed.repeatedBatches,
                    \.feed.shuffled, \.feed.lost, \.feed.lostTyping, \.feed.lostReceipts,
                    \.pages.short, \.pages.empty, \.pages.expired, \.feed.editsWithoutContent,
                ]
                var conditions = NetworkConditions()
                for share in shares { conditions[keyPath: share] = numbers.double() }
                let network = ConditionedBackend(
                    world.server.client(waits: false), conditions: conditions,
                    sleep: NumberWorld.longSleep)
                await NumberProbe.ask(network, &numbers, world)
                // Each share is set alone. If several were set, a failure by one of them could hide
                // the effect of another.
                for share in shares {
                    var conditions = NetworkConditions()
                    conditions[keyPath: share] = numbers.double()
                    network.conditions = conditions
                    await NumberProbe.ask(network, &numbers, world)
                }
            },
            NumberProbe(
                "ConditionedBackend.failNext(_:of:with:at:)", "ConditionedBackend.held(atLeast:)",
                "ConditionedBackend.release(at:)", "ConditionedBackend.drop(at:)"
            ) { numbers, world in
                let network = ConditionedBackend(
                    world.server.client(waits: false), sleep: NumberWorld.longSleep)
                network.failNext(numbers.int(), with: BackendError(.serverFailure, ""))
                await NumberProbe.ask(network, &numbers, world)
                network.stopFailing()
                _ = try await network.connect(as: Credentials("bob"))
                network.hold([ListMembers.name])
                async let members = network.perform(
                    ListMembers(of: world.url, after: nil, limit: 1))
                _ = await network.held(atLeast: 1)
                let (count, index) = (numbers.int(), numbers.int())
                let waiting = Task { await network.held(atLeast: count) }
                waiting.cancel()
                _ = await waiting.value
                network.drop(at: index == 0 ? 1 : index)
                network.release(at: index)
                network.stopHolding()
                _ = try await members
            },
        ]
    }

    static var ofTesting: [NumberProbe] {
        [
            NumberProbe(
                "ManualClock.init(at:)", "ManualClock.now", "ManualClock.advance(by:)"
            ) { numbers, _ in
                let clock = ManualClock(at: numbers.time())
                clock.advance(by: numbers.duration())
                clock.now = numbers.time()
                clock.advance(by: numbers.duration())
            },
            NumberProbe(
                "SeededRandom.init(seed:)", "SeededRandom.number(below:)", "SeededRandom.oneIn(_:)",
                "Message.sample(_:in:from:text:at:)", "OutboxItem.sample(_:in:requestID:at:)"
            ) { numbers, _ in
                var random = SeededRandom(seed: numbers.int())
                _ = random.number(below: numbers.int())
                _ = random.oneIn(numbers.int())
                _ = Message.sample(numbers.int(), at: numbers.time())
                _ = Message.sample(numbers.int())
                _ = OutboxItem.sample(at: numbers.time())
            },
        ]
    }
}

extension NumberWorld {
    /// Returns immediately.
    ///
    /// Records an issue if the duration is longer than the sum of two latencies of a day, because
    /// the sleep of an app could fail at such durations.
    nonisolated static let longSleep: @Sendable (Duration) async throws -> Void = { duration in
        let range = Duration.zero ... .seconds(2 * 86_400)
        if !range.contains(duration) { Issue.record("a latency of \(duration)") }
    }
}
