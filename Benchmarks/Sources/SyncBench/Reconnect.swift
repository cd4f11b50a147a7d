import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

/// Measures a reconnect after a day: each channel has missed messages, of which the feed reports
/// the newest twenty, and the app shows the list of channels and one channel.
@MainActor
func reconnect(
    channels channelCount: Int, missed: Int, in directory: URL
) async throws -> [Row] {
    let known = 100
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    server.conditions.feedLimit = 20
    let urls = (0..<channelCount).map { ChannelURL("channel-\($0)") }
    try server.importMessages(
        urls.flatMap { messages(known, in: $0, prefix: $0.rawValue) }, members: ["bob"])
    let store = try ChatStore(at: directory.appending(path: "store"))
    let traffic = TrafficBackend(server.client())
    let engine = SyncEngine(store: store, backend: traffic)
    try await engine.connect(as: Credentials("bob"))
    for url in urls {
        _ = try await engine.fetchMessages(in: url, at: .newest, older: known, newer: 0)
    }
    let list = GroupChannelCollection(query: GroupChannelListQuery(), engine: engine)
    _ = try await list.start().refreshed
    while list.hasMore { try await list.loadMore() }
    let collection = MessageCollection(of: "channel-0", engine: engine)
    _ = try await collection.start().refreshed
    try await engine.caughtUp()
    await engine.disconnect()
    try server.importMessages(
        urls.flatMap { messages(missed, in: $0, from: known + 1, prefix: $0.rawValue) },
        isReported: true)

    let newest = messages(1, in: "channel-0", from: known + missed)[0].createdAt
    let rows = try await reconnect(engine, traffic, list, collection, newest: newest)
    let stored = try store.read { reader in
        try urls.reduce(0) { try $0 + reader.messageCount(in: $1) }
    }
    collection.dispose()
    list.dispose()
    await engine.close()
    return (rows + [("messages in the cache", "\(stored)")]).map { part, figure in
        Row(
            what: "reconnect after \(missed) messages in each channel: \(part)",
            count: channelCount, figure: figure)
    }
}

/// Connects, and returns what the rows show and their figures.
///
/// `newest` is the time of the newest message of each channel.
@MainActor
private func reconnect(
    _ engine: SyncEngine, _ traffic: TrafficBackend, _ list: GroupChannelCollection,
    _ collection: MessageCollection, newest: Timestamp
) async throws -> [(String, String)] {
    let (listChanges, collectionChanges) = (list.allChanges(), collection.allChanges())
    let probe = FrameProbe()
    let before = traffic.sum
    let start = ContinuousClock.now
    func elapsed() -> (time: Duration, requests: Int) {
        (ContinuousClock.now - start, traffic.sum.requests - before.requests)
    }
    let listed = Task { @MainActor in
        for await _ in listChanges
        where list.channels.allSatisfy({ $0.lastMessage?.createdAt == newest }) { break }
        return elapsed()
    }
    let closed = Task { @MainActor in
        for await _ in collectionChanges
        where collection.items.last?.message?.createdAt == newest
            && collection.items.allSatisfy({ $0.gap == nil })
        { break }
        return elapsed()
    }
    try await engine.connect(as: Credentials("bob"))
    let (current, whole) = (await listed.value, await closed.value)
    try await engine.caughtUp()
    let all = elapsed()
    let bytes = traffic.sum.bytes - before.bytes
    let waits = await probe.stop()
    return [
        ("the list of channels is current", current.time.short),
        ("requests until the list of channels is current", "\(current.requests)"),
        ("the shown channel has no gap", whole.time.short),
        ("requests until the shown channel has no gap", "\(whole.requests)"),
        ("the engine has caught up", all.time.short),
        ("requests until the engine has caught up", "\(all.requests)"),
        (
            "messages received until then, in their binary form, without the transport",
            "\(bytes / 1000) kB"
        ),
        (
            "a frame that becomes due at a random moment waits for the main actor, p99",
            waits.p99.short
        ),
        ("the longest block of the main actor", waits.longest.short),
    ]
}

/// Measures how long frames that become due at random moments wait for the main actor.
///
/// A thread adds a job to the main actor's queue every quarter of a millisecond, whether or not the
/// earlier ones have run. A block therefore counts with its length, and the wait of another task
/// for a thread does not count.
@MainActor
final class FrameProbe {
    private var waits: [(wait: Duration, period: Duration)] = []
    private var thread: Thread?

    init() {
        let thread = Thread { self.addJobs() }
        thread.start()
        self.thread = thread
    }

    private nonisolated func addJobs() {
        var last = ContinuousClock.now
        while !Thread.current.isCancelled {
            Thread.sleep(forTimeInterval: 0.000_25)
            let due = ContinuousClock.now
            // If this thread had to wait for a core, the job stands for a longer period.
            let period = due - last
            last = due
            Task { @MainActor in self.waits.append((.now - due, period)) }
        }
    }

    /// Ends the measurement, and returns the 99th percentile by time, and the longest wait.
    func stop() async -> (p99: Duration, longest: Duration) {
        thread?.cancel()
        // The main actor runs its jobs in order, so that all earlier ones have run after this one.
        await Task { @MainActor in }.value
        let sorted = waits.sorted { $0.wait < $1.wait }
        let limit = sorted.reduce(.zero) { $0 + $1.period } * 0.99
        var sum = Duration.zero
        let p99 = sorted.first { sample in
            sum += sample.period
            return sum >= limit
        }
        return (p99?.wait ?? .zero, sorted.last?.wait ?? .zero)
    }
}

/// Counts requests, and the bytes of the messages in their answers.
final class TrafficBackend: ForwardingBackend {
    let base: any Backend
    private let lock = NSLock()
    nonisolated(unsafe) private var requests = 0  // used only while the lock is held
    nonisolated(unsafe) private var bytes = 0  // used only while the lock is held

    init(_ base: any Backend) { self.base = base }

    var sum: (requests: Int, bytes: Int) { lock.withLock { (requests, bytes) } }

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        let answer = try await call.make(on: base)
        let size =
            switch answer {
            case let page as MessagePage: page.messages.reduce(0) { $0 + $1.serialize().count }
            case let batch as FeedBatch: batch.events.reduce(0) { $0 + $1.messageSize }
            default: 0
            }
        lock.withLock {
            requests += 1
            bytes += size
        }
        return answer
    }
}

extension FeedEvent {
    /// The size of the event's message in its binary form; 0 without a message.
    fileprivate var messageSize: Int {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message):
            message.serialize().count
        default: 0
        }
    }
}
