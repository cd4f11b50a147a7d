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
    let (listChanges, collectionChanges) = (list.allChanges(), collection.allChanges())
    let probe = MainActorProbe()
    let before = traffic.sum
    let start = ContinuousClock.now
    let listed = Task { @MainActor in
        for await _ in listChanges
        where list.channels.allSatisfy({ $0.lastMessage?.createdAt == newest }) { break }
        return ContinuousClock.now - start
    }
    let closed = Task { @MainActor in
        for await _ in collectionChanges
        where collection.items.last?.message?.createdAt == newest
            && collection.items.allSatisfy({ $0.gap == nil })
        { break }
        return ContinuousClock.now - start
    }
    try await engine.connect(as: Credentials("bob"))
    let (listTime, gapTime) = (await listed.value, await closed.value)
    try await engine.caughtUp()
    let wholeTime = ContinuousClock.now - start
    let delays = await probe.stop().sorted()
    let after = traffic.sum
    let stored = try store.read { reader in
        try urls.reduce(0) { try $0 + reader.messageCount(in: $1) }
    }
    collection.dispose()
    list.dispose()
    await engine.close()
    let what = "reconnect after \(missed) messages in each channel"
    func row(_ part: String, _ figure: String) -> Row {
        Row(what: "\(what): \(part)", count: channelCount, figure: figure)
    }
    return [
        row("the list of channels is current", listTime.short),
        row("the shown channel has no gap", gapTime.short),
        row("the engine has caught up", wholeTime.short),
        row(
            "until then, requests and bytes of messages",
            "\(after.requests - before.requests), \((after.bytes - before.bytes) / 1000) kB"),
        row("messages in the cache", "\(stored)"),
        row(
            "a task waits for the main actor, p99 and worst",
            "\(delays[delays.count * 99 / 100].short), \(delays[delays.count - 1].short)"),
    ]
}

/// Measures how long tasks wait for the main actor.
final class MainActorProbe: Sendable {
    private let task: Task<[Duration], Never>

    init() {
        task = Task.detached {
            var delays: [Duration] = []
            while !Task.isCancelled {
                let start = ContinuousClock.now
                await MainActor.run {}
                delays.append(ContinuousClock.now - start)
                // An error means that the measurement was stopped.
                try? await Task.sleep(for: .microseconds(200))
            }
            return delays
        }
    }

    /// Ends the measurement, and returns the durations.
    func stop() async -> [Duration] {
        task.cancel()
        return await task.value
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
