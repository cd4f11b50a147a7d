import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store

@testable import EmbeddedServer
@testable import Sync

/// A server with its users, and a separate record of its history.
final class ModelServer {
    let server: EmbeddedServer
    let clock = ManualClock(at: 1000)
    /// The user whose cache is checked.
    static let me: UserID = "bob"

    private let users: [String: EmbeddedClient]
    private(set) var history = ServerHistory()
    /// The number of events that the server has had.
    private(set) var count = 0
    /// For each server epoch, the number of events (`count`) at each entry of the feed's log
    /// (`sequence`).
    private var ends: [String: [(sequence: UInt64, count: Int)]] = [:]
    private var backup: (server: Backup, history: ServerHistory)?
    /// The number of times that the server was restored from a backup.
    private(set) var restores = 0
    /// The messages of histories that a restore has replaced.
    private(set) var formerMessages: Set<MessageID> = []
    /// The number of messages that each request of the device has created, including messages of
    /// histories that a restore has replaced.
    private(set) var made: [RequestID: Int] = [:]
    /// The number of times that each request of the device other than a message was executed.
    private(set) var done: [RequestID: Int] = [:]
    /// The number of the event in which each of these requests was last executed.
    private var doneAt: [RequestID: Int] = [:]
    /// The number of the event in which the server was last restored.
    private var restoredAt = 0
    /// The request ids of the user's messages that the user edited on another device.
    private(set) var edited: Set<RequestID> = []

    init(_ config: WorldConfig) async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory(seed: 1) { clock.now }
        // Ids are compared as text, so all ids of a run must have the same number of digits. After
        // message 99, they have three.
        try server.importMessages([Message.sample(99, in: "archive", at: 1)])
        server.conditions.timeGranularity = config.granularity
        server.conditions.clockSkew = config.clockSkew
        server.conditions.federationDelay = .milliseconds(config.federationDelay ?? 0)
        server.conditions.pageLimit = config.pageLimit
        server.conditions.feedBatchSize = config.feedBatchSize
        server.conditions.changelogPageSize = config.changelogPageSize
        server.conditions.repeatsChangelogEntries = config.repeatsChangelogEntries
        server.conditions.feedLimit = config.feedLimit
        if !config.hasInvitations { server.conditions.missingCapabilities.insert(.invitations) }
        if !config.deduplicates {
            server.conditions.missingCapabilities.insert(.deduplicatesRequests)
        }
        var users: [String: EmbeddedClient] = [:]
        for name in Trace.users {
            let client = server.client(waits: false)
            _ = try await client.connect(as: Credentials(UserID(name)))
            users[name] = client
        }
        self.users = users
        for url in Trace.channels { try createChannel(ChannelURL(url)) }
        // Only the device's client, which is created later, receives messages without reactions:
        // the other clients record the history.
        server.conditions.hasSeparateReactions = config.hasSeparateReactions
    }

    var deduplicates: Bool {
        !server.conditions.missingCapabilities.contains(.deduplicatesRequests)
    }

    var hasSeparateReactions: Bool { server.conditions.hasSeparateReactions }

    var hasLateMessages: Bool { server.conditions.federationDelay > .zero }

    /// Another device of the user.
    var phone: EmbeddedClient { user(Self.me.rawValue) }

    private func user(_ name: String) -> EmbeddedClient {
        guard let user = users[name] else { preconditionFailure("There is no user \(name).") }
        return user
    }

    /// Returns whether a request was executed since the server was last restored, so that its
    /// effect is not rolled back.
    func isStillDone(_ id: RequestID) -> Bool { doneAt[id].map { $0 >= restoredAt } ?? false }

    // MARK: The position of a cursor

    var epoch: String { server.withState { $0.epoch.rawValue } }

    /// Returns the number of events that the feed had delivered when it issued a cursor, or nil if
    /// no server issued the cursor.
    func count(toldBefore cursor: String) -> Int? {
        guard let base = ConditionedCursor(text: cursor)?.base else { return nil }
        let parts = base.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let ends = ends[String(parts[0])],
            let sequence = UInt64(parts[1].prefix(while: \.isNumber))
        else { return nil }
        return ends.last { $0.sequence <= sequence }?.count ?? 0
    }

    private func record() {
        count += 1
        recordEnd()
    }

    private func recordEnd() {
        let sequence = server.withState { $0.counters.sequence }
        ends[epoch, default: []].append((sequence, count))
    }

    // MARK: Events

    /// Performs a step if possible.
    ///
    /// Returns false if the step does not concern the server.
    func perform(_ step: Step) async throws -> Bool {
        do {
            return try await attempt(step)
        } catch let error as BackendError {
            guard [.refused, .notFound].contains(error.code) else { throw error }
            return true
        }
    }

    private func attempt(_ step: Step) async throws -> Bool {
        switch step {
        case .say(let tag, let url, let name, let parent):
            try await say(tag, ChannelURL(url), name, parent)
        case .edit(let tag): try await edit(tag)
        case .delete(let tag):
            guard let (url, id) = history.place(of: tag) else { return true }
            try await user("alice").delete(id, in: url, requestID: "delete")
            history.channels[url]?.entries[id]?.diedAt = count
            try await record(parentOf: id, in: url)
            record()
        case .react(let tag, let key, let name, let gives):
            guard let (url, id) = history.place(of: tag) else { return true }
            _ = try await user(name).react(
                gives ? .add : .delete, with: key, to: id, in: url, requestID: "react")
            try await record(id, in: url)
            record()
        case .read(let url, let name):
            try await user(name).perform(MarkAsRead(ChannelURL(url)))
            record()
        case .rename(let url):
            var patch = Patch<GroupChannel>()
            patch.set(\.name, to: "name \(count)")
            _ = try await user("alice").perform(UpdateChannel(ChannelURL(url), with: patch))
            record()
        case .resetHistory(let url):
            let offset = try await phone.perform(ResetMyHistory(of: ChannelURL(url)))
            change(ChannelURL(url)) { channel, count in
                (channel.offset, channel.resetAt) = (offset, count)
            }
        case .leave(let url):
            try await phone.perform(LeaveChannel(ChannelURL(url)))
            change(ChannelURL(url)) {
                $0.isMine = false
                $0.changedAt = $1
            }
        case .invite(let url): try await invite(ChannelURL(url))
        case .ban(let url):
            try await user("alice").perform(
                RestrictUser(
                    Self.me, in: ChannelURL(url), as: .banned, until: nil, reason: ""))
            change(ChannelURL(url)) {
                $0.isMine = false
                $0.changedAt = $1
            }
        case .deleteChannel(let url):
            try server.deleteChannel(ChannelURL(url))
            change(ChannelURL(url)) {
                $0.isMine = false
                $0.isThere = false
                $0.changedAt = $1
                for id in $0.entries.keys where $0.entries[id]?.diedAt == nil {
                    $0.entries[id]?.diedAt = $1
                }
            }
        case .createChannel(let url): try createChannel(ChannelURL(url))
        case .freeze(let url, let isFrozen):
            try await user("alice").perform(SetFrozen(isFrozen, for: ChannelURL(url)))
            record()
        case .importOld(let tag, let url, let name, let age, let isReported):
            try await importOld(
                tag, ChannelURL(url), UserID(name), age: age, isReported: isReported)
        case .backUp: backup = (try server.backup(), history)
        case .restore:
            guard let backup else { return true }
            try server.restore(backup.server)
            for entry in history.channels.values.flatMap(\.entries.values) {
                formerMessages.insert(entry.position.messageID)
            }
            history = backup.history
            restores += 1
            count += 1
            restoredAt = count
            recordEnd()
        case .expireCursors:
            try server.expireCursors()
            record()
        case .expirePageCursors: try server.expirePageCursors()
        case .expireSession: await expireSession()
        case .feedLimit(let limit): server.conditions.feedLimit = limit
        case .tick(let milliseconds): clock.advance(by: .milliseconds(milliseconds))
        default: return false
        }
        return true
    }

    private func change(
        _ url: ChannelURL, _ body: (inout ServerHistory.Channel, Int) -> Void
    ) {
        body(&history.channels[url, default: ServerHistory.Channel()], count)
        record()
    }

    private func say(
        _ tag: String, _ url: ChannelURL, _ name: String, _ parent: String?
    ) async throws {
        // Every third message contains a link.
        let link = (Int(tag.dropFirst()) ?? 1).isMultiple(of: 3) ? " www.example.com" : ""
        var params = NewMessage(tag + link)
        let parent = parent.flatMap { history.place(of: $0) }
        if let parent, parent.url == url { params.parentMessageID = parent.id }
        var message = Message(id: nil, channelURL: url, text: tag + link, createdAt: 0)
        message.newMessage = params
        message.parentMessageID = params.parentMessageID
        let sent = try await user(name).send(OutboxItem(message, requestID: RequestID(tag)))
        guard let position = sent.position else { return }
        history.channels[url]?.entries[position.messageID] = ServerHistory.Entry(
            tag: tag, position: position, versions: [], createdAt: count, changedAt: count,
            essence: MessageEssence(sent))
        try await record(position.messageID, in: url)
        try await record(parentOf: position.messageID, in: url)
        record()
    }

    private func importOld(
        _ tag: String, _ url: ChannelURL, _ sender: UserID, age: Int64, isReported: Bool
    ) async throws {
        guard let channel = history.channels[url], channel.isThere else { return }
        let time = max(
            Timestamp(milliseconds: clock.now.milliseconds - age), channel.offset ?? .distantPast)
        let id = MessageID(String(server.withState { $0.counters.nextMessage }))
        let message = Message(
            id: id, channelURL: url, sender: Sender(id: sender, nickname: ""), text: tag,
            createdAt: time, sendingStatus: .succeeded)
        // Pages in the order of arrival begin with the imported messages that the feed does not
        // report, which is not the order of this record.
        try server.importMessages([message], isReported: isReported || hasLateMessages)
        history.channels[url]?.entries[id] = ServerHistory.Entry(
            tag: tag, position: Position(createdAt: time, messageID: id), versions: [],
            createdAt: count, changedAt: count, essence: MessageEssence(message))
        try await record(id, in: url)
        record()
    }

    private func edit(_ tag: String) async throws {
        guard let (url, id) = history.place(of: tag),
            let entry = history.channels[url]?.entries[id], let sent = entry.versions.first
        else { return }
        _ = try await user(sent.sender?.userID.rawValue ?? "alice").update(
            id, in: url,
            with: .text("\(tag).\(count)" + (count.isMultiple(of: 2) ? " www.example.com" : "")),
            requestID: "edit")
        edited.insert(RequestID(tag))
        try await record(id, in: url)
        record()
    }

    private func invite(_ url: ChannelURL) async throws {
        guard let channel = history.channels[url], channel.isThere, !channel.isMine else { return }
        try await user("alice").perform(LiftRestriction(.banned, of: Self.me, in: url))
        try await user("alice").perform(InviteUsers([Self.me], to: url))
        change(url) { ($0.isMine, $0.changedAt) = (true, $1) }
    }

    private func createChannel(_ url: ChannelURL) throws(BackendError) {
        try server.createChannel(
            GroupChannelCreateParams(url.rawValue, userIDs: ["carol", Self.me], url: url),
            by: "alice")
        change(url) { channel, count in
            channel.isMine = true
            channel.isThere = true
            (channel.changedAt, channel.resetAt, channel.offset) = (count, count, nil)
        }
    }

    private func expireSession() async {
        server.expireSessions(of: Self.me)
        // Only the session of the device is meant to expire, so the phone connects again.
        _ = try? await phone.connect(as: Credentials(Self.me))
    }

    // MARK: Requests of the device

    /// Executes a request of the device by `call`, and records its effect on the server.
    ///
    /// The effect is the same if the answer is lost.
    func answer(
        _ request: any BackendCall, _ call: () async -> CallResult
    ) async throws -> CallResult {
        let before = server.withState { $0.counters }
        let answer = await call()
        let after = server.withState { $0.counters }
        guard let id = request.outboxItemID else { return answer }
        if request is CoreCall.Delete, case .failure(let error) = answer, error.code == .notFound {
            done[id, default: 0] += 1
        }
        guard after.sequence != before.sequence else { return answer }
        switch request {
        case let send as CoreCall.Send:
            for number in before.nextMessage..<after.nextMessage {
                try await recordCreated(MessageID(String(number)), send.item)
            }
        case is CoreCall.Update, is CoreCall.React:
            guard let (url, message) = request.changedMessage else { break }
            done[id, default: 0] += 1
            doneAt[id] = count
            try await record(message, in: url)
            record()
        case let deletion as CoreCall.Delete:
            let (url, message) = (deletion.channelURL, deletion.messageID)
            done[id, default: 0] += 1
            history.channels[url]?.entries[message]?.diedAt = count
            try await record(parentOf: message, in: url)
            record()
        default: break
        }
        return answer
    }

    private func recordCreated(_ id: MessageID, _ item: OutboxItem) async throws {
        let url = item.channelURL
        guard let message = try await user("alice").lookup([id], in: url).found.first,
            let position = message.position
        else { return }
        made[item.requestID, default: 0] += 1
        history.channels[url]?.entries[id] = ServerHistory.Entry(
            tag: item.requestID.rawValue, position: position, versions: [], createdAt: count,
            changedAt: count, essence: MessageEssence(message))
        try await record(id, in: url)
        record()
    }

    // MARK: Recording the history

    private func record(parentOf id: MessageID, in url: ChannelURL) async throws {
        guard let parent = history.channels[url]?.entries[id]?.essence.parentID,
            history.channels[url]?.entries[parent]?.diedAt == nil
        else { return }
        try await record(parent, in: url)
    }

    /// Records the current version of a message as the device's user sees it.
    private func record(_ id: MessageID, in url: ChannelURL) async throws {
        guard var entry = history.channels[url]?.entries[id],
            var message = try await user("alice").lookup([id], in: url).found.first
        else { return }
        message.requestID = message.sender?.userID == Self.me ? RequestID(entry.tag) : nil
        entry.versions.append(message)
        entry.changedAt = count
        entry.essence = MessageEssence(message)
        history.channels[url]?.entries[id] = entry
    }
}
