import Collections
import EmbeddedServer
import Foundation
import MatrixBackend
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// A user's app on the live homeserver.
///
/// Its data is in memory, and its network can be interrupted.
@MainActor
struct LiveDevice {
    let user: UserID
    let network: ConditionedBackend
    let client: ChatClient

    init(
        _ credentials: Credentials, timelineLimit: Int = 50,
        transport: any HTTPTransport = URLSessionTransport(),
        configure: (inout ChatClientOptions) -> Void = { _ in }
    ) async throws {
        user = credentials.userID
        network = ConditionedBackend(
            LiveServer.device(
                of: credentials.userID, longPoll: .seconds(10), timelineLimit: timelineLimit,
                transport: transport))
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.renewSession = { credentials }
        configure(&options)
        client = try await ChatClient.open(backend: network, options: options)
        let outcome = try await client.connect(as: credentials)
        try #require(outcome.reason == nil)
    }

    /// Registers users, and connects a device of each.
    static func users(_ names: String...) async throws -> [LiveDevice] {
        var devices: [LiveDevice] = []
        for name in names { devices.append(try await LiveDevice(LiveServer.register(name))) }
        return devices
    }

    var engine: SyncEngine { get throws { try client.engine } }

    /// Creates a room with other users, and lets them join it.
    func makeRoom(with others: [LiveDevice]) async throws -> ChannelURL {
        let params = GroupChannelCreateParams("Room", userIDs: others.map(\.user))
        let url = try await client.createChannel(params).url
        for other in others {
            try await other.network.perform(AnswerInvitation(to: url, accepts: true))
        }
        for device in others + [self] {
            try await device.waits { try device.engine.store.groupChannel(url)?.isMember == true }
        }
        return url
    }

    func goOffline() { network.goOffline() }

    func goOnline() async {
        network.goOnline()
        await client.reconnect()
    }

    @discardableResult
    func send(_ text: String, to url: ChannelURL) async throws -> OutgoingMessage {
        try await client.send(NewMessage(text), in: url)
    }

    /// Sends a message, and returns it after the homeserver has accepted it.
    @discardableResult
    func sends(_ text: String, to url: ChannelURL) async throws -> Message {
        let outgoing = try await send(text, to: url)
        guard case .sent(let message) = try await outgoing.result else {
            throw Unsent(description: text)
        }
        return message
    }

    struct Unsent: Error, CustomStringConvertible { let description: String }

    /// Waits until a condition holds.
    ///
    /// Another process brings it about, so it is checked repeatedly.
    func waits(
        upTo limit: Duration = .seconds(60), until condition: () async throws -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let end = ContinuousClock.now + limit
        while try await !condition() {
            guard ContinuousClock.now < end else {
                Issue.record("not within \(limit)", sourceLocation: sourceLocation)
                throw CancellationError()
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until a room's stored messages have exactly these texts, oldest first.
    func shows(
        _ expected: [String], in url: ChannelURL, upTo limit: Duration = .seconds(60),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let end = ContinuousClock.now + limit
        while try texts(in: url) != expected, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        let found = try texts(in: url)
        guard found != expected else { return }
        let calls = network.log.suffix(40).joined(separator: "\n")
        let gaps = try engine.store.gaps(in: url)
        Issue.record(
            "\(user) shows \(found) with gaps \(gaps), after\n\(calls)",
            sourceLocation: sourceLocation)
    }

    /// The texts of the stored messages, oldest first.
    func texts(in url: ChannelURL) throws -> [String] {
        try messages(in: url).map(\.text)
    }

    /// The stored messages, oldest first.
    func messages(in url: ChannelURL) throws -> [Message] {
        try engine.store.messages(in: url).reversed()
    }

    /// Fetches all missing messages of a room, and the reactions of all messages.
    func heal(_ url: ChannelURL) async throws {
        let engine = try engine
        try await engine.caughtUp(url)
        while let gap = try engine.store.gaps(in: url).last {
            let collection = try client.makeMessageCollection(of: url)
            defer { collection.dispose() }
            _ = try await collection.start().refreshed
            while collection.hasPrevious { _ = try await collection.loadPrevious() }
            for case .gap(let gap) in collection.items { _ = try await collection.fill(gap) }
            guard try engine.store.gaps(in: url).last != gap else { break }
        }
        // The engine requests the reactions of shown messages. A `ChannelViewer` would show the
        // range a moment later, when the engine may have caught up already.
        await engine.show(url, ShownRange(from: .beginning), viewer: -1)
        try await engine.caughtUp(url)
        await engine.hide(url, viewer: -1)
    }

    /// Returns the messages that this device should have but has not stored.
    ///
    /// The homeserver returns these messages to a new device, and their positions are in no gap of
    /// this device's cache.
    func lost(in url: ChannelURL) async throws -> [Message] {
        let truth = try await LiveServer.history(of: url, as: Credentials(user))
        let gaps = try engine.store.gaps(in: url)
        let held = Set(try messages(in: url).compactMap(\.messageID))
        return truth.filter { message in
            guard let id = message.messageID, let position = message.position else { return true }
            return !held.contains(id) && !gaps.contains { $0.contains(position) }
        }
    }

    /// Expects that the cache has exactly the homeserver's messages in their current versions.
    func expectEqualToServer(
        _ url: ChannelURL, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let truth = try await LiveServer.history(of: url, as: Credentials(user))
        let held = try messages(in: url)
        #expect(
            held.map(LiveDevice.picture) == truth.map(LiveDevice.picture),
            sourceLocation: sourceLocation)
    }

    private static func picture(_ message: Message) -> String {
        let reactions = message.reactions.map { "\($0.key)\($0.userIDs.count)" }.sorted()
        return "\(message.messageID?.rawValue ?? "?") \(message.sender?.userID.rawValue ?? "?") "
            + "\(message.text) \(reactions.joined(separator: " "))"
    }

    func close() async { await client.close() }
}

extension LiveServer {
    /// Returns the complete history of a room with all reactions, read by a new device.
    static func history(
        of url: ChannelURL, as user: Credentials
    ) async throws -> [Message] {
        let backend = CompleteBackend(base: device(of: user.userID, longPoll: .zero))
        _ = try await backend.connect(as: user)
        var messages: [Message] = []
        var anchor: MessageAnchor? = .newest
        while let next = anchor {
            let page = try await backend.messages(in: url, at: next, older: 100, newer: 0)
            messages = page.messages + messages
            anchor = page.older.map { .cursor($0) }
        }
        await backend.disconnect()
        // If the clocks of homeservers differ, the homeserver's order may differ from the order of
        // positions.
        return messages.sorted { left, right in
            guard let place = left.position, let other = right.position else { return false }
            return place < other
        }
    }
}

extension MessageUpdate {
    /// Creates params that change only the text of a message.
    static func text(_ text: String) -> MessageUpdate {
        var params = UserMessageUpdateParams()
        params.text = text
        return .text(params)
    }
}
