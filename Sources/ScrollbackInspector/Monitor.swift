import Collections
import Foundation
import Models
import Store
import Sync

/// Observes the client while pages are open, and notifies them of changes.
actor Monitor {
    private let client: ClientReference
    private let channels: ChannelList
    private let mask: TextMask
    private let pause: @Sendable (Duration) async throws -> Void

    private var pages: [Int: AsyncStream<Data>.Continuation] = [:]
    private var lastPage = 0
    private var following: Task<Void, Never>?
    /// `true` while the monitor receives all changes of the store.
    private(set) var isObserving = false
    private var heartbeat: Task<Void, Never>?

    private var log = Log()
    private var failures: [String: Int] = [:]
    private var sendingActivity = OutboxReport.Activity()
    private var backfillWaits: [ChannelURL: Int64] = [:]
    private var sourcesByChannel: [ChannelURL: [MessageID: String]] = [:]
    private var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

    private var pending = PendingChanges()
    private var notifying: Task<Void, Never>?

    private static let interval = Duration.milliseconds(250)
    /// The time between heartbeats, which detect that a page was closed.
    private static let heartbeatInterval = Duration.seconds(5)
    private static let sourceLimit = 5000

    private struct Log {
        /// The user whose calls are recorded.
        var userID: UserID?
        var calls = Recent<SyncReport.Call>(limit: 400)
        var notes = Recent<SyncReport.Note>(limit: 400)
        var phases = Recent<SyncReport.Phase>(limit: 200)
        var lastFeed: Int64?
    }

    struct PendingChanges: Encodable {
        var channels: Set<String> = []
        /// `true` if all channels may have changed; ``channels`` is then incomplete.
        var isEverything = false
        var outbox = false
        var sync = false
        /// `true` if another user has connected, or the user has logged out.
        var session = false

        var isEmpty: Bool {
            channels.isEmpty && !isEverything && !outbox && !sync && !session
        }
    }

    init(
        _ client: ClientReference, _ channels: ChannelList, _ mask: TextMask,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.client = client
        self.channels = channels
        self.mask = mask
        self.pause = pause
    }

    // MARK: Pages

    /// Returns the notifications for a new page, as server-sent events, until it is closed.
    func open() -> AsyncStream<Data> {
        lastPage += 1
        let number = lastPage
        // Buffer only the newest 20 events: a page that reads slowly misses older ones.
        let (stream, page) = AsyncStream<Data>.makeStream(bufferingPolicy: .bufferingNewest(20))
        page.onTermination = { [weak self] _ in
            Task { await self?.close(number) }
        }
        pages[number] = page
        page.yield(Data("retry: 1000\nevent: hello\ndata: {}\n\n".utf8))
        if following == nil { follow() }
        return stream
    }

    var isFollowing: Bool { following != nil }

    private func close(_ number: Int) {
        pages[number] = nil
        if pages.isEmpty { unfollow() }
    }

    func stop() {
        for page in pages.values { page.finish() }
        pages = [:]
        unfollow()
    }

    private func follow() {
        following = Task { [weak self, client, channels, pause] in
            var isFirst = true
            while !Task.isCancelled {
                if let session = await client.session {
                    await channels.follow(true)
                    await self?.record { $0.session = !isFirst }
                    await self?.follow(session)
                    isFirst = false
                }
                // The session has ended, or none has started yet.
                guard (try? await pause(.milliseconds(250))) != nil else { break }
            }
        }
        heartbeat = Task { [weak self, pause] in
            while (try? await pause(Monitor.heartbeatInterval)) != nil {
                await self?.send(Data(": \n\n".utf8))
            }
        }
    }

    private func unfollow() {
        following?.cancel()
        heartbeat?.cancel()
        notifying?.cancel()
        (following, heartbeat, notifying, pending) = (nil, nil, nil, PendingChanges())
        isObserving = false
        forgetActivity()
        Task { [channels] in await channels.follow(false) }
    }

    /// Clears the activity of the followed session, and marks running calls as not followed.
    private func forgetActivity() {
        sendingActivity = OutboxReport.Activity()
        (backfillWaits, sourcesByChannel, failures) = ([:], [:], [:])
        log.calls.updateAll { if $0.ended == nil { $0.result = "not followed" } }
    }

    private func send(_ data: Data) { for page in pages.values { page.yield(data) } }

    private func record(_ change: (inout PendingChanges) -> Void) {
        change(&pending)
        guard notifying == nil, !pending.isEmpty else { return }
        notifying = Task { [weak self, pause] in
            while await self?.notify() ?? false {
                guard (try? await pause(Monitor.interval)) != nil else { return }
            }
        }
    }

    private func notify() -> Bool {
        guard !pending.isEmpty else {
            notifying = nil
            return false
        }
        let changes = pending
        pending = PendingChanges()
        if let json = try? JSONEncoder().encode(changes) {
            send(Data("event: changes\ndata: ".utf8) + json + Data("\n\n".utf8))
        }
        return true
    }

    // MARK: Following

    private func follow(_ session: ClientReference.Session) async {
        if log.userID != session.userID { log = Log(userID: session.userID) }
        now = session.engine.now
        let events = await session.engine.events()
        let activity = await session.engine.activity()
        guard !Task.isCancelled else { return }
        // Ignore the error: the next session or page observes a suspended store again.
        let changes = try? session.store.observe(.everything).changes
        isObserving = true
        defer {
            // After a cancellation, another task may follow the session already.
            if !Task.isCancelled {
                isObserving = false
                forgetActivity()
            }
        }
        // Anything may have changed since the page was loaded.
        record { $0.isEverything = true }
        await withTaskGroup { group in
            group.addTask { for await event in events { await self.record(event) } }
            group.addTask { for await action in activity { await self.record(action) } }
            if let changes {
                group.addTask { await self.follow(changes) }
            }
            // The task that reads the engine's events ends with the engine.
            await group.next()
            changes?.cancel()
            group.cancelAll()
        }
    }

    /// Reads the changes at most once per interval.
    private func follow(_ changes: ObservedChanges) async {
        while !Task.isCancelled {
            let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let drained = changes.drain {
                wake.yield()
                wake.finish()
            }
            await record(drained)
            for await _ in wakes {}
            guard (try? await pause(Monitor.interval)) != nil else { return }
        }
    }

    private func record(_ changes: [Change]) async {
        guard !changes.isEmpty else { return }
        var urls: Set<ChannelURL>? = []
        var hasOutbox = false
        for change in changes {
            for entry in change.entries {
                switch entry.operation {
                case .missed, .clearedCachedData, .replacedCache: urls = nil
                case .savedMessage(let message): remember(message, entry.source)
                case .savedOutboxItem: hasOutbox = true
                case .removedOutboxItem(let item):
                    hasOutbox = true
                    sendingActivity.progress[item.requestID] = nil
                case .ephemeral(.uploadProgress(let id, _, let bytes, let total)):
                    hasOutbox = true
                    sendingActivity.progress[id] = OutboxReport.Progress(
                        bytes: bytes, total: total)
                default: break
                }
                if let url = entry.operation.channelURL { urls?.insert(url) }
            }
        }
        await channels.invalidate(urls)
        record { changes in
            changes.outbox = changes.outbox || hasOutbox
            if let urls {
                changes.channels.formUnion(urls.map(\.rawValue))
            } else {
                changes.isEverything = true
            }
            if changes.channels.count > 500 {
                (changes.channels, changes.isEverything) = ([], true)
            }
        }
    }

    private func remember(_ message: Message, _ source: CollectionEventSource?) {
        guard let id = message.messageID, let source else { return }
        if sourcesByChannel[message.channelURL, default: [:]].count >= Monitor.sourceLimit {
            sourcesByChannel[message.channelURL] = [:]
        }
        sourcesByChannel[message.channelURL, default: [:]][id] = source.origin
    }

    private func record(_ event: SyncEvent) {
        let time = now().milliseconds
        func add(_ kind: String, _ text: String, _ url: ChannelURL? = nil) {
            log.notes.append(
                SyncReport.Note(at: time, kind: kind, text: text, channel: url?.rawValue))
        }
        switch event {
        case .state(let state):
            let name = "\(state.connection)"
            if log.phases.elements.last?.state != name {
                log.phases.append(SyncReport.Phase(at: time, state: name))
                add("connection", name)
            }
            if let failure = state.failure { add("failure", mask.shown(failure)) }
        case .hugeGap(let url): add("gap", "a visible gap is huge", url)
        case .historyLost(let loss): add("loss", "the server's history was lost: \(loss)")
        case .failed(let url, let error):
            add("failure", "gave up: \(mask.shown(error))", url)
        case .evicted(let eviction):
            add(
                "eviction",
                "evicted \(eviction.messageCount) messages of \(eviction.parts.count) channels")
        case .sessionExpired: add("connection", "the session has expired")
        case .deliveryResult(let result, let item):
            add("outbox", "\(item.requestID): \(result.name)", item.channelURL)
        }
        record { ($0.sync, $0.outbox) = (true, true) }
    }

    private func record(_ activity: EngineActivity) {
        switch activity {
        case .began(let call, let time): begin(call, time)
        case .ended(let number, let result, let time):
            end(number, time) { call in
                switch result {
                case .success(let count, let byteCount, _):
                    (call.result, call.count, call.bytes) = ("done", count, byteCount)
                case .failure(let error):
                    call.result = "\(error.code)"
                    if !mask.isOn { call.message = error.message }
                }
            }
            if case .success(_, _, let truncated) = result {
                for url in truncated {
                    log.notes.append(
                        SyncReport.Note(
                            at: time.milliseconds, kind: "truncation",
                            text: "the feed omitted messages", channel: url.rawValue))
                }
            }
        case .canceled(let number, let time): end(number, time) { $0.result = "canceled" }
        case .waiting(let wait, let attempt, let duration, let time):
            let until = time.milliseconds + Int64(duration / .milliseconds(1))
            switch wait {
            case .outbox(let url): sendingActivity.waits[url] = until
            case .backfill(let url): backfillWaits[url] = until
            case .connection, .feed, .store: break
            }
            log.notes.append(
                SyncReport.Note(
                    at: time.milliseconds, kind: "retry",
                    text: "\(wait.name): attempt \(attempt) in \(duration)",
                    channel: wait.channelURL?.rawValue))
        case .gaveUp(let wait, let time):
            log.notes.append(
                SyncReport.Note(
                    at: time.milliseconds, kind: "failure",
                    text: "\(wait.name): no attempts left", channel: wait.channelURL?.rawValue))
        }
        record { ($0.sync, $0.outbox) = (true, true) }
    }

    private func begin(_ call: EngineCall, _ time: Timestamp) {
        if let url = call.channelURL {
            (sendingActivity.waits[url], backfillWaits[url]) = (nil, nil)
        }
        var began = SyncReport.Call(
            number: call.number, name: call.name, channel: call.channelURL?.rawValue,
            detail: String(call.detail.prefix(200)), began: time.milliseconds, result: "running",
            attempt: 1)
        began.attempt += failures[began.subject] ?? 0
        log.calls.append(began)
        if let id = began.requestID { sendingActivity.inFlight.insert(id) }
    }

    private func end(
        _ number: Int, _ time: Timestamp, _ change: (inout SyncReport.Call) -> Void
    ) {
        var ended: SyncReport.Call?
        log.calls.updateLast { call in
            guard call.number == number, call.ended == nil else { return false }
            call.ended = time.milliseconds
            change(&call)
            ended = call
            return true
        }
        guard let ended else { return }
        switch ended.result {
        case "done": failures[ended.subject] = nil
        case "canceled": break
        default: failures[ended.subject, default: 0] += 1
        }
        if ended.name == "feed", ended.result == "done" { log.lastFeed = ended.ended }
        if let id = ended.requestID { sendingActivity.inFlight.remove(id) }
    }

    // MARK: Reports

    /// Returns the source of the last change of each message since a page was opened.
    func sources(in url: ChannelURL) -> [MessageID: String] { sourcesByChannel[url] ?? [:] }

    func sending() -> OutboxReport.Activity { sendingActivity }

    /// Returns a line for each call in flight of a channel, and for its wait before a retry.
    func activity(in url: ChannelURL) -> [String] {
        var lines = log.calls.elements.filter {
            $0.channel == url.rawValue && $0.result == "running"
        }
        .map { "call \($0.name) is in flight (\($0.detail)), attempt \($0.attempt)" }
        if let until = backfillWaits[url] { lines.append("the backfill waits until \(until)") }
        return lines
    }

    /// Includes phases, calls, notes and the time of the feed only if they are those of this user.
    func report(_ state: SyncState, of user: UserID) -> SyncReport {
        let log = user == log.userID ? log : Log()
        return SyncReport(
            connection: "\(state.connection)", isLive: state.isLive,
            channelsLeft: state.channelsLeft,
            failure: state.failure.map { mask.shown($0) },
            phases: log.phases.newest, lastFeed: log.lastFeed, calls: log.calls.newest,
            notes: log.notes.newest,
            now: now().milliseconds)
    }
}
