package import EmbeddedServer
package import Models
package import ScrollbackTesting
package import Store
package import Sync
package import Testing

/// A server, the user alice who writes, and bob's device.
///
/// Each test checks the device's cache.
package final class Story: Sendable {
    package let server: EmbeddedServer
    package let clock = ManualClock(at: 1000)
    package let alice: EmbeddedClient
    /// The device's network.
    package let network: ConditionedBackend
    package let store: ChatStore
    package let engine: SyncEngine
    /// Replaces sleeping on the device, and records the durations.
    package let sleeper = Sleeper()
    /// The device's clock, which differs from the server's.
    package let device = ManualClock(at: 5_000_000_000_000)
    private let deviceIDs = RequestIDs(prefix: "bob ")
    private let requestIDs = RequestIDs()

    package init(
        _ options: SyncOptions = .exact, limits: CacheLimits = CacheLimits(),
        store: ChatStore? = nil, _ conditions: ServerConditions = ServerConditions(),
        seed: UInt64 = 0,
        renewSession: @escaping @Sendable () async -> Credentials? = { nil }
    ) async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory(seed: seed) { clock.now }
        server.conditions = conditions
        alice = server.client()
        network = ConditionedBackend(server.client())
        self.store = try store ?? ChatStore.inMemory()
        engine = SyncEngine(
            store: self.store, backend: JitteryBackend.wrapping(network), options: options,
            limits: limits,
            sleep: { [sleeper] in try await sleeper.sleep(for: $0) }, jitter: { 0 },
            now: { [device] in device.now }, makeRequestID: { [deviceIDs] in deviceIDs.next() },
            renewSession: renewSession)
        _ = try await alice.connect(as: Credentials("alice"))
        try createChannel()
    }

    /// Creates a story in which alice has sent each of the words as a message, and bob's device has
    /// cached the newest page.
    package static func caching(
        _ words: String, _ options: SyncOptions = .exact, store: ChatStore? = nil
    ) async throws -> Story {
        let story = try await Story(options, store: store)
        try await story.say(words)
        try await story.open()
        return story
    }

    /// Creates a channel of alice and bob.
    package func createChannel(_ url: ChannelURL = "general") throws {
        try server.createChannel(
            GroupChannelCreateParams(url.rawValue, userIDs: ["bob"], url: url), by: "alice")
    }

    /// Sends texts of one word each, one second apart.
    @discardableResult
    package func say(
        _ words: String, in url: ChannelURL = "general", every interval: Duration = .seconds(1)
    ) async throws -> [Message] {
        try await alice.say(words, in: url, clock, requestIDs, every: interval)
    }

    /// Sends replies of one word each, one second apart.
    @discardableResult
    package func reply(_ words: String, to parent: Message) async throws -> [Message] {
        try await alice.say(
            words, in: parent.channelURL, replyTo: parent.messageID, clock, requestIDs)
    }

    /// Imports messages with these texts and times.
    package func importMessages(
        _ texts: KeyValuePairs<String, Timestamp>, from sender: UserID = "alice",
        isReported: Bool = false
    ) throws {
        let messages = texts.map { text, time in
            Message(
                id: nil, channelURL: "general", sender: Sender(id: sender), text: text,
                createdAt: time, sendingStatus: .succeeded)
        }
        try server.importMessages(messages, isReported: isReported)
    }

    package func edit(_ message: Message, to text: String) async throws {
        clock.advance(by: .seconds(1))
        _ = try await alice.update(
            message.messageID!, in: message.channelURL, with: .text(text),
            requestID: requestIDs.next())
    }

    package func react(_ key: String, to message: Message) async throws {
        clock.advance(by: .seconds(1))
        _ = try await alice.react(
            .add, with: key, to: message.messageID!, in: message.channelURL,
            requestID: requestIDs.next())
    }

    package func unreact(_ key: String, to message: Message) async throws {
        clock.advance(by: .seconds(1))
        _ = try await alice.react(
            .delete, with: key, to: message.messageID!, in: message.channelURL,
            requestID: requestIDs.next())
    }

    package func delete(_ message: Message) async throws {
        clock.advance(by: .seconds(1))
        try await alice.delete(
            message.messageID!, in: message.channelURL, requestID: requestIDs.next())
    }

    /// Returns the texts of the server's messages, oldest first.
    package func texts(_ url: ChannelURL = "general") async throws -> [String] {
        try await alice.history(of: url).map(\.text)
    }

    // MARK: Bob's device

    /// Sends a text from the device, and returns the request id of the outbox item.
    package func write(_ text: String) async throws -> RequestID {
        try #require(try await engine.send(NewMessage(text), in: "general").requestID)
    }

    /// Connects bob's device.
    package func connect() async throws { _ = try await engine.connect(as: Credentials("bob")) }

    /// Connects bob's device, and waits until it has the newest messages of the channel.
    package func open(_ url: ChannelURL = "general") async throws {
        try await connect()
        try await engine.caughtUp(url)
    }

    /// Connects bob's device, and waits until it has all of his channels.
    package func sync() async throws {
        try await connect()
        try await engine { $0.isLive }
    }

    /// Connects bob's device, and waits until it is idle.
    package func catchUp() async throws {
        try await connect()
        try await waitUntilNotified()
        try await engine.caughtUp()
    }

    /// Sends texts from the server's side while the device is offline, and reconnects the device.
    package func sendWhileOffline(_ words: String, in url: ChannelURL = "general") async throws {
        await engine.disconnect()
        try await say(words, in: url)
        try await connect()
    }

    /// Limits how many messages of each channel the feed delivers after the device was offline.
    package func limitFeed(_ count: Int?) { server.conditions.feedLimit = count }

    /// Creates another engine with the device's data, as after a crash.
    ///
    /// - Parameters:
    ///   - options: The engine's options.
    ///   - store: The engine's store. The default is the device's store.
    ///   - backend: The engine's backend. The default is the device's network.
    /// - Returns: The new engine, which is not connected yet.
    package func restarted(
        _ options: SyncOptions = .exact, store: ChatStore? = nil, backend: (any Backend)? = nil
    ) -> SyncEngine {
        SyncEngine(
            store: store ?? self.store, backend: backend ?? JitteryBackend.wrapping(network),
            options: options,
            sleep: { [sleeper] in try await sleeper.sleep(for: $0) }, jitter: { 0 },
            now: { [device] in device.now }, makeRequestID: { [deviceIDs] in deviceIDs.next() })
    }

    /// Creates another engine with the device's data, as after a crash, and connects it.
    package func relaunched(
        _ options: SyncOptions = .exact, store: ChatStore? = nil, backend: (any Backend)? = nil
    ) async throws -> SyncEngine {
        let engine = restarted(options, store: store, backend: backend)
        try await engine.connect(as: Credentials("bob"))
        return engine
    }

    /// Returns the cached history of the channel as one line.
    package func picture(_ url: ChannelURL = "general") throws -> String {
        try store.read { try $0.picture(of: url) }
    }

    /// Returns the numbers of cached messages between gaps, such as "3 ~ 2".
    package func counts(_ url: ChannelURL = "general") throws -> String {
        try picture(url).split(separator: "~")
            .map { "\($0.split(separator: " ").filter { $0 != "…" }.count)" }
            .joined(separator: " ~ ")
    }

    // MARK: Waiting

    /// Waits until the device's store fulfills a condition.
    package func until(_ condition: (any StoreReader) throws -> Bool) async throws {
        try await store.until(condition)
    }

    /// Waits until the cached history equals a picture.
    package func sees(
        _ picture: String, in url: ChannelURL = "general",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            try await until { try $0.picture(of: url) == picture }
        } catch let error as EndedMeanwhile {
            #expect(try self.picture(url) == picture, sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits until the engine's state fulfills a condition.
    package func engine(_ condition: (SyncState) -> Bool) async throws {
        for await event in await engine.events() {
            if case .state(let state) = event, condition(state) { return }
        }
        throw EndedMeanwhile()
    }

    /// Waits until the network holds `count` calls.
    @discardableResult
    package func held(_ count: Int) async throws -> [HeldCall] {
        let held = await network.held(atLeast: count)
        try #require(held.count >= count)
        return held
    }

    /// Waits until the device has received the events of all changes that were made before this
    /// call.
    package func waitUntilNotified() async throws {
        let url = ChannelURL("news \(requestIDs.next())")
        try createChannel(url)
        try await until { try $0.groupChannel(url) != nil }
    }

    // MARK: The end

    /// Waits until the device is idle, checks its complete ranges against the server, and closes
    /// the device.
    package func end(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await waitUntilNotified()
        try await engine.caughtUp()
        #expect(try await falseClaims() == [], sourceLocation: sourceLocation)
        await close(sourceLocation: sourceLocation)
    }

    /// Closes the device, and checks that nothing of it is still running.
    package func close(sourceLocation: SourceLocation = #_sourceLocation) async {
        await engine.close()
        #expect(await engine.isIdle, sourceLocation: sourceLocation)
        #expect(network.held.isEmpty, sourceLocation: sourceLocation)
        await sleeper.ended()
    }

    /// Returns the differences between the server and the ranges that the device considers
    /// complete.
    private func falseClaims() async throws -> [String] {
        // The auditor compares the reactions, too.
        let conditions = server.conditions
        server.conditions.hasSeparateReactions = false
        defer { server.conditions = conditions }
        let auditor = server.client()
        _ = try await auditor.connect(as: Credentials("bob"))
        var claims: [String] = []
        for url in try store.read({ try $0.groupChannels().map(\.url) }) {
            let live = Dictionary(
                try await auditor.history(of: url).map { ($0.messageID!, $0) }
            ) { _, last in last }
            try store.read { reader in
                let gaps = try reader.gaps(in: url)
                let stale = try reader.staleRanges(in: url)
                func isKnown(_ message: Message) -> Bool {
                    let position = message.position!
                    return !gaps.contains { $0.contains(position) }
                        && !stale.contains {
                            $0.lower < .position(position) && .position(position) < $0.upper
                        }
                }
                for message in live.values where isKnown(message) {
                    guard let held = try reader.message(message.messageID!, in: url) else {
                        claims.append("\(message.text) is missing in \(url)")
                        continue
                    }
                    if !held.says(message) {
                        claims.append("\(held.text) is no more what it was in \(url)")
                    }
                }
                for held in try reader.messages(in: url)
                where isKnown(held) && live[held.messageID!] == nil {
                    claims.append("\(held.text) is not in \(url) any more")
                }
            }
        }
        await auditor.disconnect()
        return claims
    }
}

/// The error that is thrown if the store or the engine was closed, or the test's time limit was
/// reached, before a condition held.
private struct EndedMeanwhile: Error {}

extension ChatStore {
    /// Waits until the store fulfills a condition.
    package func until(_ condition: (any StoreReader) throws -> Bool) async throws {
        let changes: ObservedChanges
        do {
            // Release the snapshot before waiting, because it prevents the store from reopening the
            // files.
            let (snapshot, observation) = try observe(.everything)
            if try condition(snapshot) { return }
            changes = observation
        }
        for await _ in changes where try condition(try snapshot()) { return }
        throw EndedMeanwhile()
    }
}

/// Checks that a call throws a `SyncError` with a code.
package func expectError<Result: Sendable>(
    _ code: SyncError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Result
) async {
    do {
        _ = try await call()
        Issue.record("the call threw no error", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? SyncError)?.code == code, sourceLocation: sourceLocation)
    }
}

extension Message {
    fileprivate func says(_ other: Message) -> Bool {
        text == other.text && position == other.position && updatedAt == other.updatedAt
            && reactions == other.reactions
            && threadInfo?.replyCount ?? 0 == other.threadInfo?.replyCount ?? 0
    }
}

extension EmbeddedClient {
    /// Sends texts of one word each, and advances the clock before each of them.
    @discardableResult
    package func say(
        _ words: String, in url: ChannelURL = "general", replyTo parent: MessageID? = nil,
        _ clock: ManualClock, _ requestIDs: RequestIDs, every interval: Duration = .seconds(1)
    ) async throws -> [Message] {
        var messages: [Message] = []
        for word in words.split(separator: " ") {
            clock.advance(by: interval)
            var message = Message(id: nil, channelURL: url, text: String(word), createdAt: 0)
            var params = NewMessage(String(word))
            params.parentMessageID = parent
            message.newMessage = params
            messages.append(try await send(OutboxItem(message, requestID: requestIDs.next())))
            await JitteryBackend.pauseBetweenMessages()
        }
        return messages
    }

    /// All messages of a channel on the server, oldest first.
    package func history(of url: ChannelURL = "general") async throws(BackendError) -> [Message] {
        var messages: [Message] = []
        var anchor = MessageAnchor.newest
        while true {
            let page = try await self.messages(in: url, at: anchor, older: 100, newer: 0)
            messages = page.messages + messages
            guard let older = page.older else { return messages }
            anchor = .cursor(older)
        }
    }
}

extension SyncEngine {
    /// Waits for the delivery result of an outbox item.
    ///
    /// - Returns: The sent message.
    /// - Throws: If the item was not sent.
    package func sent(_ id: RequestID, in url: ChannelURL = "general") async throws -> Message {
        let result = try await deliveryResult(of: id, in: url)
        guard case .sent(let message) = result else { throw UnexpectedResult(result: result) }
        return message
    }

    /// Waits for the delivery result of an outbox item.
    ///
    /// - Returns: The failed item.
    /// - Throws: If the item did not fail.
    package func failed(
        _ id: RequestID, in url: ChannelURL = "general"
    ) async throws -> OutboxItem {
        let result = try await deliveryResult(of: id, in: url)
        guard case .failed(let item) = result else { throw UnexpectedResult(result: result) }
        return item
    }
}

private struct UnexpectedResult: Error {
    let result: DeliveryResult
}

extension MessageUpdate {
    /// An update that replaces the text.
    package static func text(_ text: String) -> MessageUpdate {
        var params = UserMessageUpdateParams()
        params.text = text
        return .text(params)
    }
}

extension Backoff {
    /// Two retries, after a second each.
    package static let twoRetries = Backoff(
        interval: .seconds(1), multiplier: 1, maximum: .seconds(1), maximumAttempts: 2)
}

extension SyncOptions {
    /// Options for a device whose requests the test controls: without background work and without
    /// clock skew.
    package static var exact: SyncOptions {
        var options = SyncOptions()
        options.clockSkew = .zero
        options.backgroundChannels = 0
        return options
    }

    /// Returns these options with a change.
    package static func exact(_ change: (inout SyncOptions) -> Void) -> SyncOptions {
        var options = exact
        change(&options)
        return options
    }
}

extension StoreReader {
    /// Returns the messages of a channel as one line.
    ///
    /// - `~`: a gap between two messages
    /// - `…`: a gap that is older than all messages
    /// - `?`: after a stale message
    /// - `(…)`: around a pending message
    /// - `!`: before a failed message
    package func picture(of url: ChannelURL) throws -> String {
        let gaps = try gaps(in: url)
        let stale = try staleRanges(in: url)
        var words: [String] = []
        var last = Gap.Bound.beginning
        func appendGap(to bound: Gap.Bound) {
            guard gaps.contains(where: { $0.lower < bound && last < $0.upper }) else { return }
            words.append(words.isEmpty ? "…" : "~")
        }
        for message in try messages(in: url).reversed() {
            let bound = Gap.Bound.position(message.position!)
            appendGap(to: bound)
            let isStale = stale.contains { $0.lower < bound && bound < $0.upper }
            words.append(message.text + (isStale ? "?" : ""))
            last = bound
        }
        appendGap(to: .end)
        words += try pendingMessages(in: url).map { "(\($0.text))" }
        words += try failedMessages(in: url).map { "!\($0.text)" }
        return words.joined(separator: " ")
    }
}
