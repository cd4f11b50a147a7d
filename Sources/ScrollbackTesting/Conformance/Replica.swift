import Models
import Sync

/// A copy of a channel's messages, maintained as by a client.
///
/// It stores the feed's events, backfills truncations, and fetches changed ranges again.
struct Replica {
    /// The device, which another one may replace at the same cursor.
    var device: Device
    let url: ChannelURL
    private(set) var messages: [MessageID: Message] = [:]

    init(_ device: Device, _ url: ChannelURL) async throws {
        self.device = device
        self.url = url
        for message in try await device.history(url) { save(message) }
    }

    mutating func catchUp(since start: FeedCursor) async throws {
        var reading = FeedReading(device, since: start)
        try await reading.catchUp()
        var before = start
        for batch in reading.batches {
            for event in batch.events where event.channelURL == url || event.isOfAllChannels {
                try await apply(event, before)
            }
            before = batch.cursor
        }
    }

    private mutating func apply(_ event: FeedEvent, _ before: FeedCursor) async throws {
        switch event {
        case .messageReceived(let message), .messageUpdated(let message): save(message)
        case .messageChanged(let id, in: _): try await lookUp(id)
        case .messageDeleted(let id, in: _, at: _): messages[id] = nil
        case .messageOrEditDeleted(let id, in: _, let createdAt, at: _):
            messages[id] = nil
            // The event may be about an edit of an older message, or a reply to one.
            try await fetch(from: .distantPast, through: createdAt)
        case .messagesDeleted(ofSender: let sender, in: _, at: _):
            messages = messages.filter { $0.value.sender?.userID != sender }
        case .reaction(let event): messages[event.messageID]?.apply(event)
        case .truncation: try await backfill(before)
        case .historyChanged(in: _, let from, let through):
            try await fetch(from: from ?? .distantPast, through: through ?? .distantFuture)
        default: break
        }
    }

    private mutating func lookUp(_ id: MessageID) async throws {
        guard messages[id] != nil else { return }
        let lookup = try await device.backend.lookup([id], in: url)
        for message in lookup.found { save(message) }
        for id in lookup.gone { messages[id] = nil }
    }

    private mutating func backfill(_ before: FeedCursor) async throws {
        let found = try await device.readAll(url, from: .newest, .older)
        let hasChangelogs = device.scene.subject.hasChangelogs
        if !hasChangelogs { messages = [:] }
        for message in found { save(message) }
        guard hasChangelogs else { return }
        let (updated, deleted) = try await device.changes(url, since: .feed(before))
        for message in updated { if try messages[message.id] != nil { save(message) } }
        for id in deleted { messages[id] = nil }
    }

    private mutating func fetch(from: Timestamp, through: Timestamp) async throws {
        func isInRange(_ message: Message) -> Bool {
            from <= message.createdAt && message.createdAt <= through
        }
        messages = messages.filter { !isInRange($0.value) }
        for message in try await device.history(url) where isInRange(message) { save(message) }
    }

    private mutating func save(_ message: Message) {
        guard let id = message.messageID else { return }
        if let held = messages[id], held.version > message.version { return }
        messages[id] = message
    }

    func expectAgreement() async throws {
        let history = try await device.history(url)
        let held = messages.values.inOrder
        try expectEqual(
            held.ids, history.ids, "the messages of a client that follows the feed of \(url)")
        for (mine, theirs) in zip(held, history) {
            try expectEqual(mine.state, theirs.state, "a message of a client that follows the feed")
        }
    }
}

extension Device {
    func changes(
        _ url: ChannelURL, since point: ChangelogPoint
    ) async throws -> (updated: [Message], deleted: [MessageID]) {
        let pages = try await changelog(url, since: point)
        return (pages.flatMap(\.updated), pages.flatMap(\.deleted).map(\.messageID))
    }

    func changelog(
        _ url: ChannelURL, since point: ChangelogPoint
    ) async throws -> [MessageChangelog] {
        try await allChanges(of: "messages", "messageChanges", since: point) {
            try await backend.messageChanges(in: url, since: $0)
        }
    }

    func channelChangelog(since point: ChangelogPoint) async throws -> [GroupChannelChangelog] {
        try await allChanges(of: "channels", "channelChanges", since: point) {
            try await backend.channelChanges(since: $0)
        }
    }
}

private protocol ChangelogPage {
    var hasMore: Bool { get }
    var next: String? { get }
}

extension MessageChangelog: ChangelogPage {}
extension GroupChannelChangelog: ChangelogPage {}

/// Returns the pages of a changelog, or throws a broken promise of the call with the given name.
private func allChanges<Changes: ChangelogPage>(
    of things: String, _ name: String, since point: ChangelogPoint,
    _ request: (ChangelogPoint) async throws -> Changes
) async throws -> [Changes] {
    var pages: [Changes] = []
    var point = point
    for _ in 0..<400 {
        let page = try await request(point)
        pages.append(page)
        guard page.hasMore else { return pages }
        guard let next = page.next else {
            throw Broken(
                text: "a page of the changelog has hasMore but no token",
                promiseID: "\(name).token")
        }
        if case .token(next) = point {
            throw Broken(
                text:
                    "a page of the changelog has hasMore and the same token as the previous page: \(next)",
                promiseID: "\(name).token")
        }
        point = .token(next)
    }
    throw Broken(
        text: "the changelog of \(things) has no end within 400 pages", promiseID: "\(name).ends")
}

extension FeedEvent {
    fileprivate var isOfAllChannels: Bool {
        if case .messagesDeleted(ofSender: _, in: nil, at: _) = self { true } else { false }
    }
}

extension Message {
    fileprivate var state: [String] {
        ["\(messageID ?? "-")", "version \(version)", text]
            + reactions.map { "\($0.key) \($0.userIDs.sorted())" }.sorted()
    }
}

extension GroupChannel {
    /// The properties that all responses must agree on; unread counts may be omitted except in the
    /// feed.
    var essence: [String] {
        [
            "\(url)", "name \(name)", "cover \(coverURL)", "data \(data)",
            "custom type \(customType)",
            "created at \(createdAt)", "metadata \(metadata.sorted { $0.key < $1.key })",
            "members \(joinedMemberCount) of \(memberCount)", "I am \(myMemberState), \(myRole)",
            "last message \(lastMessage?.messageID ?? "none") \(lastMessage?.text ?? "")",
            "\(hiddenState)", "frozen \(isFrozen)",
            "public \(isPublic)", "distinct \(isDistinct)", "muted \(isCurrentUserMuted)",
            "offset \(messageOffset?.description ?? "none")",
        ]
    }
}
