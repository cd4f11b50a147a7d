import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// A server with a channel, and bob's client, whose options have extreme values.
@MainActor
struct NumberWorld {
    let clock = ManualClock()
    let server: EmbeddedServer
    let alice: EmbeddedClient
    let network: ConditionedBackend
    let url: ChannelURL = "general"
    /// The oldest message.
    ///
    /// The newest message is a reply to it.
    let parent: MessageID

    init() async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory { clock.now }
        alice = server.client(waits: false)
        network = ConditionedBackend(server.client())
        _ = try await alice.connect(as: Credentials("alice"))
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: url), by: "alice")
        try server.createChannel(
            GroupChannelCreateParams("Other", userIDs: ["bob"], url: "other"), by: "alice")
        var messages = (1...12).map { Message.sample($0, in: "general") }
        messages[11].parentMessageID = messages[0].messageID
        try server.importMessages(messages)
        parent = try #require(messages[0].messageID)
    }

    /// Returns a connected client of bob.
    func client(_ change: (inout ChatClientOptions) -> Void = { _ in }) async throws -> ChatClient {
        var options = ChatClientOptions()
        options.storage = .inMemory
        let clock = clock
        options.now = { clock.now }
        options.sleep = Self.sleep
        change(&options)
        let client = try await ChatClient.open(backend: network, options: options)
        _ = try await client.connect(as: Credentials("bob"))
        return client
    }

    /// Returns a connected engine of bob.
    func engine(
        _ options: SyncOptions = SyncOptions(), limits: CacheLimits = CacheLimits(),
        jitter: Double = 0
    ) async throws -> SyncEngine {
        let clock = clock
        let engine = SyncEngine(
            store: try ChatStore.inMemory(), backend: network, options: options, limits: limits,
            sleep: Self.sleep, jitter: { jitter }, now: { clock.now })
        _ = try await engine.connect(as: Credentials("bob"))
        return engine
    }

    /// Returns immediately.
    ///
    /// `Task.sleep` would trap on durations of centuries.
    static let sleep: @Sendable (Duration) async throws -> Void = { duration in
        let day = Duration.seconds(86_400)
        if duration < .zero || day < duration { Issue.record("a wait of \(duration)") }
        await Task.yield()
    }
}
