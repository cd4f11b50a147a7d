import EmbeddedServer
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync

/// Runs clients with faults for some time.
///
/// Then removes the faults, and checks that every promise was kept.
@MainActor
final class Soak {
    /// The age at which the server removes a message and reports the removal, in real time.
    static let lifetime: Duration = .seconds(30)
    /// How long a client may take at the end to send all items, or to close all gaps, also on a
    /// machine that other programs use.
    private static let patience: Duration = .seconds(600)
    static let channels: [ChannelURL] = (1...4).map { ChannelURL("channel-\($0)") }

    let seconds: Double
    let seed: Int
    private let place: URL
    private let server: EmbeddedServer
    private let arrivals = Arrivals()
    private var clients: [SoakClient] = []
    private var samples: [Resources] = []
    private var said = 0
    private(set) var violations: [String] = []

    init(seconds: Double, seed: Int, in place: URL) throws {
        self.seconds = seconds
        self.seed = seed
        self.place = place
        server = try EmbeddedServer(at: place.appending(path: "server"), seed: UInt64(seed))
    }

    private var devices: URL { place.appending(path: "devices") }

    /// Runs the clients.
    ///
    /// - Returns: The text for the page.
    func run() async throws -> String {
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        for url in Soak.channels {
            try server.createChannel(
                GroupChannelCreateParams(url.rawValue, userIDs: ["bob", "carol"], url: url),
                by: "alice")
        }
        let alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
        let listener = server.client()
        _ = try await listener.connect(as: Credentials("alice"))
        let listening = Task { [arrivals] in await arrivals.follow(listener) }
        for (name, user) in [("bob-1", "bob"), ("bob-2", "bob"), ("carol-1", "carol")] {
            let client = try await SoakClient(
                name, UserID(user), server, in: devices.appending(path: name))
            clients.append(client)
            try await client.connect()
        }
        let killed = KilledWorld(in: place.appending(path: "killed"), seed: seed)
        try await live(alice, killed)
        try killed.kill()
        try await settle(alice)
        let kills = try await killed.end()
        violations += kills.violations
        let text = report(kills)
        for client in clients { await client.close() }
        listening.cancel()
        await listener.disconnect()
        await listening.value
        await alice.disconnect()
        server.close()
        return text
    }

    // MARK: Living

    private func live(_ alice: EmbeddedClient, _ killed: KilledWorld) async throws {
        var random = SeededRandom(seed: seed)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let interval = Duration.seconds(max(seconds / 300, 0.05))
        var (nextSample, nextForgetting) = (start + interval, start + .seconds(1))
        var nextKill = start + .seconds(1)
        while ContinuousClock.now < end {
            let url = Soak.channels.randomElement(using: &random) ?? Soak.channels[0]
            if Int.random(in: 0..<3, using: &random) == 0 {
                try await say(alice, in: url, &random)
            } else if let client = clients.randomElement(using: &random) {
                await client.act(in: url, &random)
            }
            let now = ContinuousClock.now
            if now >= nextForgetting {
                nextForgetting = now + .seconds(1)
                try server.expireMessages(
                    before: Timestamp(
                        milliseconds: Timestamp(Date()).milliseconds
                            - Soak.lifetime.components.seconds * 1_000), reportsDeletions: true)
                if Int.random(in: 0..<10, using: &random) == 0,
                    let client = clients.randomElement(using: &random)
                {
                    client.network.expire(.feedCursors)
                }
                if Int.random(in: 0..<10, using: &random) == 0 { server.expireSessions(of: "bob") }
            }
            if now >= nextKill {
                nextKill = now + .milliseconds(Int.random(in: 500...3_000, using: &random))
                try killed.restart()
            }
            if now >= nextSample {
                nextSample = now + interval
                samples.append(Resources(of: devices))
            }
            try await Task.sleep(for: .milliseconds(4))
        }
    }

    private func say(
        _ alice: EmbeddedClient, in url: ChannelURL, _ random: inout SeededRandom
    ) async throws {
        said += 1
        let filler = random.incompressibleText(words: 40)
        var message = Message(
            id: nil, channelURL: url, text: "alice \(said) \(filler)", createdAt: 0)
        message.newMessage = NewMessage(message.text)
        let sent = try await alice.send(
            OutboxItem(message, requestID: RequestID("alice \(said)")))
        guard let id = sent.messageID else { return }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try await alice.delete(id, in: url, requestID: RequestID("delete \(said)"))
        case 1:
            var params = UserMessageUpdateParams()
            params.text = message.text + " edited"
            _ = try await alice.update(
                id, in: url, with: .text(params), requestID: RequestID("edit \(said)"))
        default: break
        }
    }

    // MARK: The end

    private func settle(_ alice: EmbeddedClient) async throws {
        for client in clients {
            let isHealed = try await within(Soak.patience) { try await client.heal() }
            if !isHealed { violations.append("\(client.name): the outbox is not empty") }
        }
        // When this message has arrived, the feed has delivered all messages that were accepted
        // before it.
        try await say(alice, in: Soak.channels[0])
        for client in clients {
            for url in Soak.channels {
                let faults = arrivals.faults(
                    of: client.name, in: url, count: client.written[url, default: 0],
                    failed: client.failed[url, default: []])
                if faults.missing > 0 {
                    violations.append("\(client.name) in \(url): \(faults.missing) never sent")
                }
                if faults.twice > 0 {
                    violations.append("\(client.name) in \(url): \(faults.twice) sent twice")
                }
                if faults.late > 0 {
                    violations.append("\(client.name) in \(url): \(faults.late) out of order")
                }
                let history: [Message] = try await alice.history(of: url).reversed()
                let isKnown = try await within(Soak.patience) { [self] in
                    violations += try await client.differences(in: url, from: history)
                }
                if !isKnown { violations.append("\(client.name) in \(url): a gap is left") }
            }
        }
    }

    /// Sends a message of alice, and waits until it has arrived.
    private func say(_ alice: EmbeddedClient, in url: ChannelURL) async throws {
        let before = arrivals.total
        var random = SeededRandom(seed: seed)
        try await say(alice, in: url, &random)
        while arrivals.total == before { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Runs an operation with a time limit.
    ///
    /// Returns whether the operation ended in time.
    private func within(
        _ duration: Duration, _ body: @escaping @MainActor () async throws -> Void
    ) async throws -> Bool {
        let task = Task { @MainActor in try await body() }
        let watchdog = Task {
            try await Task.sleep(for: duration)
            task.cancel()
        }
        try await task.value
        watchdog.cancel()
        return !task.isCancelled
    }

    // MARK: The page

    /// The memory and the files over the run; `nil` on a system without `/proc`.
    var plot: MemoryPlot? {
        let anonymous = samples.compactMap(\.anonymous)
        guard !anonymous.isEmpty else { return nil }
        return MemoryPlot(
            minutes: seconds / 60,
            lines: [
                MemoryPlot.Line(
                    name: "anonymous memory", color: "#2a6fdb", mebibytes: anonymous),
                MemoryPlot.Line(
                    name: "files of the clients", color: "#e08a2c",
                    mebibytes: samples.map(\.disk)),
            ])
    }

    private func report(_ kills: KilledWorld.Outcome) -> String {
        let trends = [
            Trend(
                "resident memory", "MiB", samples.compactMap(\.resident),
                allowance: 4),
            Trend(
                "of it, anonymous", "MiB",
                samples.compactMap(\.anonymous), allowance: 4),
            Trend("files of the clients", "MiB", samples.map(\.disk), allowance: 1),
            Trend("open files", "", samples.map(\.descriptors), allowance: 4),
        ].compactMap(\.self)
        for trend in trends where !trend.isFlat { violations.append("\(trend.name) is not flat") }
        var counts: [String: Int] = [:]
        for client in clients { counts.merge(client.counts) { $0 + $1 } }
        counts["messages written by others"] = said
        counts["messages that the server reported"] = arrivals.total
        counts["process kills"] = kills.kills
        counts["messages promised by the killed process"] = kills.promised
        let lines = counts.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value.grouped) |" }
        return """
            \(Int(seconds)) seconds with seed \(seed), measured on \(Machine.description).

            | event | count |
            |---|--:|
            \(lines.joined(separator: "\n"))
            | promises broken | \(violations.count) |

            | | middle third | last third | at most | flat |
            |---|--:|--:|--:|---|
            \(trends.map(\.line).joined(separator: "\n"))
            """
    }
}
