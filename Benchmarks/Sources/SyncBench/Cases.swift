import EmbeddedServer
import Foundation
import Models
import Store
import Sync

/// Returns messages of a channel.
///
/// Each has a text of about a hundred bytes. They are by five users, and one second apart. If a
/// server has several channels, the ids in each of them begin with another `prefix`.
func messages(
    _ count: Int, in url: ChannelURL, from start: Int = 1, prefix: String = ""
) -> [Message] {
    (start..<start + count).map { number in
        var sender = Sender()
        sender.userID = UserID("user-\(number % 5)")
        sender.nickname = "User \(number % 5)"
        var message = Message(
            id: MessageID("\(prefix)\(1_000_000 + number)"), channelURL: url,
            text:
                "\(number): the quick brown fox jumps over the lazy dog, and then it does so again, and again.",
            createdAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1000))
        message.sender = sender
        return message
    }
}

/// Returns an engine without background work.
func makeEngine(_ store: ChatStore, _ backend: any Backend) -> SyncEngine {
    var options = SyncOptions()
    options.backgroundChannels = 0
    return SyncEngine(store: store, backend: backend, options: options)
}

/// Measures fetching a history page by page, from the newest page to the oldest.
func pages(of count: Int, in directory: URL) async throws -> [Row] {
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    try server.importMessages(messages(count, in: "general"), members: ["bob"])
    let store = try ChatStore(at: directory.appending(path: "store"))
    let engine = makeEngine(store, server.client())
    try await engine.connect(as: Credentials("bob"))
    try await engine.caughtUp()
    let time = try await ContinuousClock().measure {
        var anchor = MessageAnchor.newest
        var bound: Gap.Bound?
        while true {
            let fetched = try await engine.fetchMessages(
                in: "general", at: anchor, older: 100, newer: 0, bound: bound)
            guard let older = fetched.page.older else { break }
            (anchor, bound) = (.cursor(older), fetched.from)
        }
    }
    let held = try store.read { try $0.messageCount(in: "general") }
    precondition(held == count, "\(held) of \(count) messages are held")
    await engine.close()
    return [
        Row(
            what: "pages of 100, from the server into the store", count: count,
            figure: "\(Int(Double(count) / time.seconds)) messages/s")
    ]
}

/// Measures receiving a history by the feed.
func feed(of count: Int, in directory: URL) async throws -> [Row] {
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    try server.importMessages(messages(10, in: "general"), members: ["bob"])
    let store = try ChatStore(at: directory.appending(path: "store"))
    let engine = makeEngine(store, server.client())
    try await engine.connect(as: Credentials("bob"))
    try await engine.caughtUp("general")
    await engine.disconnect()
    try server.importMessages(messages(count, in: "general", from: 11), isReported: true)
    let time = try await ContinuousClock().measure {
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
    }
    let held = try store.read { try $0.messageCount(in: "general") }
    precondition(held == count + 10, "\(held) of \(count + 10) messages are held")
    await engine.close()
    return [
        Row(
            what: "a day offline, delivered by the feed", count: count,
            figure: "\(Int(Double(count) / time.seconds)) messages/s")
    ]
}

/// A device that follows a channel, and a user who sends messages there.
struct Conversation: Sendable {
    let store: ChatStore
    let engine: SyncEngine
    let clock: ServerClock
    private let alice: EmbeddedClient

    init(in directory: URL) async throws {
        let clock = ServerClock()
        self.clock = clock
        let server = try EmbeddedServer(
            at: directory.appending(path: "server"), now: { clock.read() })
        try server.importMessages(messages(100, in: "general"), members: ["alice", "bob"])
        store = try ChatStore(at: directory.appending(path: "store"))
        engine = makeEngine(store, server.client())
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp("general")
        alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
    }

    /// Sends a message whose text is a number.
    @concurrent
    func send(_ number: Int) async throws {
        var message = Message(id: nil, channelURL: "general", text: "\(number)", createdAt: 0)
        message.newMessage = NewMessage("\(number)")
        _ = try await alice.send(OutboxItem(message, requestID: RequestID("r\(number)")))
    }
}

/// A server's clock that returns each time only once.
///
/// The server reads it when it accepts a message, whose time therefore tells when that was.
final class ServerClock: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var last = Int64(0)  // used only while the lock is held
    // Used only while the lock is held, too.
    nonisolated(unsafe) private var instants: [Int64: ContinuousClock.Instant] = [:]

    func read() -> Timestamp {
        lock.withLock {
            last = max(last + 1, Timestamp(Date()).milliseconds)
            instants[last] = .now
            return Timestamp(milliseconds: last)
        }
    }

    /// Returns the instant at which the server accepted a message.
    func acceptance(of message: Message) -> ContinuousClock.Instant {
        let instant = lock.withLock { instants[message.createdAt.milliseconds] }
        guard let instant else { fatalError("The server has not accepted \(message).") }
        return instant
    }
}

/// Measures the time from the server's acceptance of a message until an observer of another
/// device's store receives it.
func live(_ count: Int, in directory: URL) async throws -> [Row] {
    let conversation = try await Conversation(in: directory)
    let (_, changes) = try conversation.store.observe(.channel("general"))
    let iterator = ChangeIterator(changes)
    var times: [Duration] = []
    for number in 0..<count {
        async let sent: Void = conversation.send(number)
        var received: Message?
        while received == nil {
            for case .savedMessage(let message) in await iterator.next().operations
            where message.text == "\(number)" {
                received = message
            }
        }
        let seen = ContinuousClock.now
        if let received { times.append(seen - conversation.clock.acceptance(of: received)) }
        try await sent
    }
    await conversation.engine.close()
    return rows("a live message, from the server's acceptance to an observer", times)
}

/// Iterates over the changes of an observation.
final class ChangeIterator {
    private var iterator: ObservedChanges.Iterator

    init(_ observation: ObservedChanges) { iterator = observation.makeAsyncIterator() }

    func next() async -> Change {
        guard let change = await iterator.next() else { fatalError("The store was closed.") }
        return change
    }
}

/// Measures synchronizing many channels: for the first time, and after a day on which each channel
/// received messages.
func catchUp(with count: Int, in directory: URL) async throws -> [Row] {
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    let urls = (0..<count).map { ChannelURL("channel-\($0)") }
    try server.importMessages(
        urls.enumerated().flatMap { messages(2, in: $1, from: $0 * 2 + 1) }, members: ["bob"])
    let store = try ChatStore(at: directory.appending(path: "store"))
    let counting = CountingBackend(server.client())
    let engine = makeEngine(store, counting)
    let clock = ContinuousClock()
    func round(_ what: String) async throws -> Row {
        let (calls, writes) = (counting.count, try store.snapshot().number)
        let time = try await clock.measure {
            try await engine.connect(as: Credentials("bob"))
            try await engine.caughtUp()
        }
        let (made, written) = (counting.count - calls, try store.snapshot().number - writes)
        return Row(
            what: what, count: count,
            figure: "\(time.short), \(made) requests, \(written) writes, "
                + "\((time / count).short) per channel")
    }
    var rows = [try await round("channels, at first")]
    await engine.disconnect()
    try server.importMessages(
        urls.enumerated().flatMap { messages(3, in: $1, from: count * 2 + $0 * 3 + 1) },
        isReported: true)
    rows.append(try await round("channels, a day and three messages in each later"))
    await engine.disconnect()
    rows.append(try await round("channels, nothing new"))
    await engine.close()
    return rows
}

/// Counts requests.
final class CountingBackend: ForwardingBackend {
    let base: any Backend
    private let counter = NSLock()
    nonisolated(unsafe) private var calls = 0  // used only while the lock is held

    init(_ base: any Backend) { self.base = base }

    var count: Int { counter.withLock { calls } }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        counter.withLock { calls += 1 }
        return try await base.feed(since: cursor)
    }

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        counter.withLock { calls += 1 }
        return try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
    }
}
