import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync

/// A server, somebody who writes, and a device whose cache is looked at.
final class Story: Sendable {
    let server: EmbeddedServer
    let clock = ManualClock(at: 1000)
    /// Who writes.
    let alice: EmbeddedClient
    /// The way of the device to the server.
    let network: ConditionedBackend
    let store: ChatStore
    let engine: SyncEngine
    private let requestIDs = RequestIDs()

    init(
        _ options: SyncOptions = .exact, store: ChatStore? = nil,
        _ conditions: ServerConditions = ServerConditions()
    ) async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory { clock.now }
        server.conditions = conditions
        alice = server.client()
        network = ConditionedBackend(server.client())
        self.store = try store ?? ChatStore.inMemory()
        engine = SyncEngine(
            store: self.store, backend: network, options: options, sleep: { _ in }, jitter: { 0 })
        _ = try await alice.connect(as: Credentials("alice"))
        _ = try await alice.createChannel(
            GroupChannelCreateParams("general", userIDs: ["bob"], url: "general"))
    }

    /// Sends some texts, a word each, a second apart.
    @discardableResult
    func say(_ words: String, in url: ChannelURL = "general") async throws -> [Message] {
        var messages: [Message] = []
        for word in words.split(separator: " ") {
            clock.advance(by: .seconds(1))
            var message = Message(id: nil, channelURL: url, text: String(word), createdAt: 0)
            message.userMessageParams = UserMessageCreateParams(String(word))
            messages.append(try await alice.send(Draft(message, requestID: requestIDs.next())))
        }
        return messages
    }

    func edit(_ message: Message, to text: String) async throws {
        clock.advance(by: .seconds(1))
        var params = UserMessageUpdateParams()
        params.text = text
        _ = try await alice.update(
            message.messageID!, in: message.channelURL, with: .user(params),
            requestID: requestIDs.next())
    }

    func delete(_ message: Message) async throws {
        clock.advance(by: .seconds(1))
        try await alice.delete(
            message.messageID!, in: message.channelURL, requestID: requestIDs.next())
    }

    /// Connects bob's device.
    func connect() async throws { _ = try await engine.connect(as: Credentials("bob")) }

    /// Connects bob's device, and waits until it has seen the newest messages of the channel.
    func open(_ url: ChannelURL = "general") async throws {
        try await connect()
        try await engine.caughtUp(url)
    }

    /// What the device holds of the channel, as one line.
    func picture(_ url: ChannelURL = "general") throws -> String {
        try store.read { try $0.picture(of: url) }
    }
}

extension SyncOptions {
    /// As a story has it: the server has one clock, and the engine does nothing that nobody asked for.
    static var exact: SyncOptions {
        var options = SyncOptions()
        options.clockSkew = .zero
        options.backgroundChannels = 0
        return options
    }
}

extension StoreReader {
    /// The messages of a channel, with `~` for a gap between them, `…` for one before them, and `?`
    /// behind what is stale.
    func picture(of url: ChannelURL) throws -> String {
        let gaps = try gaps(in: url)
        let stale = try staleRanges(in: url)
        var words: [String] = []
        var last = Gap.Bound.beginning
        func noteGap(to bound: Gap.Bound) {
            guard gaps.contains(where: { $0.lower < bound && last < $0.upper }) else { return }
            words.append(words.isEmpty ? "…" : "~")
        }
        for message in try messages(in: url).reversed() {
            let bound = Gap.Bound.position(message.position!)
            noteGap(to: bound)
            let isStale = stale.contains { $0.lower < bound && bound < $0.upper }
            words.append(message.text + (isStale ? "?" : ""))
            last = bound
        }
        noteGap(to: .end)
        return words.joined(separator: " ")
    }
}
