import Models
import Store
import Sync

/// A small correct backend: a log of two channels.
///
/// Its feed delivers the complete log.
///
/// A message's text identifies it. Messages are created at the times 1, 2, 3 and so on, counted
/// over both channels. A page cursor is a time between two messages. The cursor of the feed and of
/// changelogs is the length of the log.
final class LogBackend: Backend {
    struct State {
        var isConnected = true
        var log: [FeedEvent] = []
        var messages: [Message] = []
        var time: Int64 = 0
        var waits: [Int: CheckedContinuation<Void, Never>] = [:]
        var waitCount = 0
        /// The requests so far, such as "send a".
        var asked: [String] = []
    }

    let state = Locked(State())
    private let feedWaits = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let capabilities: BackendCapabilities = [
        .deduplicatesRequests, .messageChangelogByTime, .channelChangelogByTime, .readReceipts,
        .typing,
    ]
    /// The maximum number of log entries in one page of a changelog.
    let changelogLimit = 2
    static let urls: [ChannelURL] = ["one", "two"]

    // MARK: By hand

    /// Adds messages of other users to a channel, one for each letter: "a b" adds two messages.
    func receive(_ letters: String, in url: ChannelURL = "one") {
        for letter in letters.split(separator: " ") { add(String(letter), url, nil) }
    }

    func emit(_ event: FeedEvent) {
        state.withLock {
            $0.log.append(event)
            $0.wake()
        }
    }

    func change(_ id: MessageID, to text: String) {
        state.withLock {
            guard let index = $0.messages.firstIndex(where: { $0.messageID == id }) else { return }
            $0.time += 1
            $0.messages[index].text = text
            $0.messages[index].updatedAt = Timestamp(milliseconds: $0.time)
            $0.log.append(.messageUpdated($0.messages[index]))
            $0.wake()
        }
    }

    func remove(_ id: MessageID) {
        state.withLock {
            guard let index = $0.messages.firstIndex(where: { $0.messageID == id }) else { return }
            let message = $0.messages.remove(at: index)
            $0.log.append(.messageDeleted(id, in: message.channelURL, at: nil))
            $0.wake()
        }
    }

    var texts: [String] { state.withLock { $0.messages.map(\.text) } }
    var asked: [String] { state.withLock { $0.asked } }

    @discardableResult
    private func add(_ id: String, _ url: ChannelURL, _ requestID: RequestID?) -> Message {
        state.withLock {
            if let requestID, let sent = $0.messages.first(where: { $0.requestID == requestID }) {
                return sent
            }
            $0.time += 1
            let message = Message(
                id: MessageID(id), channelURL: url, requestID: requestID, text: id,
                createdAt: Timestamp(milliseconds: $0.time))
            $0.messages.append(message)
            $0.log.append(.messageReceived(message))
            $0.wake()
            return message
        }
    }

    private func begin(_ what: String) throws(BackendError) {
        let isConnected = state.withLock {
            $0.asked.append(what)
            return $0.isConnected
        }
        guard isConnected else { throw BackendError(.notConnected, what) }
    }

    // MARK: The connection and the feed

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        state.withLock { $0.isConnected = true }
        return BackendSession(user: User(id: credentials.userID), epoch: "1")
    }

    func disconnect() async {
        state.withLock {
            $0.isConnected = false
            $0.wake()
        }
    }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        if Task.isCancelled { throw BackendError(.canceled, "") }
        try begin("feed \(cursor?.rawValue ?? "nil")")
        guard let cursor else {
            let channels = LogBackend.urls.map { FeedEvent.channel(ChannelUpdate($0, Patch())) }
            let count = state.withLock { $0.log.count }
            return FeedBatch(
                events: channels, cursor: FeedCursor("\(count)"), epoch: "1", isLive: true)
        }
        guard let start = Int(cursor.rawValue) else { throw BackendError(.expired, "\(cursor)") }
        while true {
            guard state.withLock({ $0.isConnected }) else { throw BackendError(.notConnected, "") }
            let (events, end) = state.withLock { ($0.events(from: start), $0.log.count) }
            if end > start {
                return FeedBatch(
                    events: events, cursor: FeedCursor("\(end)"), epoch: "1", isLive: true)
            }
            if Task.isCancelled { throw BackendError(.canceled, "feed") }
            await waitForMore(than: start)
        }
    }

    private func waitForMore(than count: Int) async {
        let id = state.withLock {
            $0.waitCount += 1
            return $0.waitCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    if Task.isCancelled || $0.log.count > count || !$0.isConnected {
                        return continuation.resume()
                    }
                    $0.waits[id] = continuation
                    feedWaits.continuation.yield()
                }
            }
        } onCancel: {
            // The task avoids a deadlock. `cancel()` calls this closure while it holds the lock of
            // the waiting task, and the thread that holds `state`'s lock may be resuming that task.
            Task { state.withLock { $0.waits.removeValue(forKey: id)?.resume() } }
        }
    }

    /// Waits until a feed request waits for a future event.
    func waitUntilFeedWaits() async {
        for await _ in feedWaits.stream { return }
    }

    // MARK: Histories

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try begin("messages \(older)+\(newer)")
        let (all, time) = state.withLock {
            ($0.messages.filter { $0.channelURL == channelURL }, $0.time)
        }
        let boundary: Int64?
        switch anchor {
        case .newest: boundary = time + 1
        case .time(let time): boundary = time.milliseconds
        case .cursor(let cursor): boundary = Int64(cursor.rawValue)
        case .message(let messageID):
            boundary = created(messageID)
        }
        guard let boundary else { throw BackendError(.expired, "\(anchor)") }
        let before = all.filter { $0.createdAt.milliseconds < boundary }
        let after = all.filter { $0.createdAt.milliseconds >= boundary }
        let (first, last) = (before.suffix(older), after.prefix(newer))
        let lower = first.first?.createdAt.milliseconds ?? boundary
        let upper = last.last.map { $0.createdAt.milliseconds + 1 } ?? boundary
        return MessagePage(
            messages: Array(first + last),
            older: first.count < before.count ? PageCursor("\(lower)") : nil,
            newer: last.count < after.count ? PageCursor("\(upper)") : nil)
    }

    /// Returns the time at which a message was created, even if the message was deleted since.
    private func created(_ messageID: MessageID) -> Int64? {
        state.withLock {
            for case .messageReceived(let message) in $0.log where message.messageID == messageID {
                return message.createdAt.milliseconds
            }
            return nil
        }
    }

    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try begin("lookup")
        let all = state.withLock { $0.messages }
        let found = all.filter { messageIDs.contains($0.messageID ?? "") }
        return MessageLookup(
            found: found, gone: messageIDs.filter { id in !found.contains { $0.messageID == id } })
    }

    // MARK: Changelogs

    func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        try begin("messageChanges \(point)")
        let start = index(point)
        let (part, count) = state.withLock {
            (Array($0.events(from: start).prefix(changelogLimit)), $0.log.count)
        }
        var changes = MessageChangelog()
        for event in part where event.channelURL == channelURL {
            switch event {
            case .messageUpdated(let message): changes.updated.append(message)
            case .messageDeleted(let messageID, in: _, at: _):
                var deleted = DeletedMessage()
                deleted.messageID = messageID
                changes.deleted.append(deleted)
            default: break
            }
        }
        changes.hasMore = start + part.count < count
        changes.next = "\(start + part.count)"
        return changes
    }

    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try begin("channelChanges \(point)")
        var changes = GroupChannelChangelog()
        let start = index(point)
        changes.updated = LogBackend.urls.map { GroupChannel(url: $0, createdAt: 0) }
            .dropFirst(start).prefix(1).map { $0 }
        changes.hasMore = start + 1 < LogBackend.urls.count
        changes.next = "\(start + changes.updated.count)"
        return changes
    }

    private func index(_ point: ChangelogPoint) -> Int {
        switch point {
        case .token(let token): Int(token) ?? 0
        case .feed(let cursor): Int(cursor.rawValue) ?? 0
        case .time: 0
        }
    }

    // MARK: Channels

    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try begin("channels \(query.limit)")
        let all = LogBackend.urls.map { GroupChannel(url: $0, createdAt: 0) }
        return page(of: all, cursor, query.limit)
    }

    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try begin("channel \(url)")
        return GroupChannel(url: url, createdAt: 0)
    }

    var requests: RequestHandlers {
        var handlers = RequestHandlers()
        handlers.on(ListMembers.self) { request throws(BackendError) in
            try self.begin("members \(request.limit)")
            let members = (1...7).map { Member(User(id: UserID("u\($0)"))) }
            return self.page(of: members, request.cursor, request.limit)
        }
        return handlers
    }

    private func page<Element>(
        of all: [Element], _ cursor: PageCursor?, _ limit: Int
    ) -> Page<Element> {
        let start = cursor.flatMap { Int($0.rawValue) } ?? 0
        let end = min(start + limit, all.count)
        return Page(
            Array(all[start..<end]), next: end < all.count ? PageCursor("\(end)") : nil)
    }

    // MARK: Writing

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        try begin("send \(item.message?.text ?? "")")
        return add(item.message?.text ?? "", item.channelURL, item.requestID)
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try begin("update \(messageID)")
        guard case .text(let params) = update else { throw .lacking(.files) }
        change(messageID, to: params.text ?? "")
        let message = state.withLock { $0.messages.first { $0.messageID == messageID } }
        guard let message else { throw BackendError(.notFound, "\(messageID)") }
        return message
    }

    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try begin("delete \(messageID)")
        remove(messageID)
    }
}

extension LogBackend.State {
    mutating func wake() {
        for wait in waits.values { wait.resume() }
        waits = [:]
    }

    /// Returns the log's events from the index `start` on.
    ///
    /// Each event has the current state of its message.
    func events(from start: Int) -> [FeedEvent] {
        log.dropFirst(start).map { event in
            switch event {
            case .messageReceived(let message):
                .messageReceived(messages.first { $0.messageID == message.messageID } ?? message)
            case .messageUpdated(let message):
                .messageUpdated(messages.first { $0.messageID == message.messageID } ?? message)
            default: event
            }
        }
    }
}
