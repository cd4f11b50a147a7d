import Models
import ScrollbackTesting

@testable import Store

/// An operation of a batch, as a value that can be applied again.
enum WorldOperation: Hashable, Sendable {
    case saveMessage(Message)
    case removeMessage(MessageID, ChannelURL)
    case removeMessages(ChannelURL, Gap.Bound, Gap.Bound)
    case clearMessages(ChannelURL)
    case saveGroup(GroupChannel)
    case saveOpen(OpenChannel)
    case removeChannel(ChannelURL)
    case recordAccess(ChannelURL)
    case setKeptInCache(Bool, for: ChannelURL)
    case removeAllKeptInCache
    case saveUser(User)
    case removeUser(UserID)
    case clearCachedData
    case setToken([UInt8]?, String)
    case saveTombstone(Tombstone)
    case removeTombstone(MessageID, ChannelURL)
    case openGap(Gap)
    case cover(ChannelURL, Gap.Bound, Gap.Bound, PageCursor?)
    case saveKindCoverage(KindCoverage)
    case limitKindCoverage(ChannelURL, MessageKinds, to: Gap.Bound)
    case markStale(StaleRange)
    case markVerified(ChannelURL, Gap.Bound, Gap.Bound)
    case saveOutboxItem(OutboxItem)
    case removeOutboxItem(RequestID)

    /// Applies the operation to a batch.
    ///
    /// Returns false if the store refuses it as invalid.
    func apply(to batch: Batch) throws -> Bool {
        do {
            switch self {
            case .saveMessage(let message): try batch.save(message)
            case .removeMessage(let id, let url): try batch.removeMessage(id, in: url)
            case .removeMessages(let url, let first, let last):
                try batch.removeMessages(in: url, from: first, through: last)
            case .clearMessages(let url): try batch.clearMessages(in: url)
            case .saveGroup(let channel): try batch.save(channel)
            case .saveOpen(let channel): try batch.save(channel)
            case .removeChannel(let url): try batch.removeChannel(url)
            case .recordAccess(let url): try batch.recordAccess(to: url)
            case .setKeptInCache(let isKept, for: let url):
                try batch.setKeptInCache(isKept, for: url)
            case .removeAllKeptInCache: try batch.removeAllKeptInCache()
            case .saveUser(let user): try batch.save(user)
            case .removeUser(let id): try batch.removeUser(id)
            case .clearCachedData: try batch.clearCachedData()
            case .setToken(let token, let scope): batch.setToken(token, for: scope)
            case .saveTombstone(let tombstone): try batch.save(tombstone)
            case .removeTombstone(let id, let url): try batch.removeTombstone(of: id, in: url)
            case .openGap(let gap): try batch.open(gap)
            case .cover(let url, let first, let last, let cursor):
                try batch.cover(url, from: first, through: last, backfillCursor: cursor)
            case .saveKindCoverage(let coverage): try batch.save(coverage)
            case .limitKindCoverage(let url, let kinds, let lower):
                try batch.limitKindCoverage(of: url, kinds: kinds, to: lower)
            case .markStale(let range): try batch.markStale(range)
            case .markVerified(let url, let first, let last):
                try batch.markVerified(url, from: first, through: last)
            case .saveOutboxItem(let item): try batch.save(item)
            case .removeOutboxItem(let id): try batch.removeOutboxItem(id)
            }
            return true
        } catch {
            guard error.code == .invalid else { throw error }
            return false
        }
    }

    /// Applies the operation to the model.
    ///
    /// Returns false if it is invalid.
    func apply(to model: inout WorldModel) -> Bool {
        switch self {
        case .saveMessage(let message): return model.save(message)
        case .removeMessage(let id, let url): model.removeMessage(id, url)
        case .removeMessages(let url, let first, let last): model.removeMessages(url, first, last)
        case .clearMessages(let url): model.clear(url)
        case .saveGroup(let channel): model.save(channel)
        case .saveOpen(let channel): model.save(channel)
        case .removeChannel(let url): model.channels[url] = nil
        case .recordAccess(let url): model.recordAccess(url)
        case .setKeptInCache(let isKept, for: let url): model.setKeptInCache(isKept, for: url)
        case .removeAllKeptInCache: model.pins = []
        case .saveUser(let user): model.users[user.userID] = user
        case .removeUser(let id): model.users[id] = nil
        case .clearCachedData:
            model.channels = [:]
            model.users = [:]
            model.tokens = [:]
        case .setToken(let token, let scope): model.tokens[scope] = token
        case .saveTombstone(let tombstone): model.save(tombstone)
        case .removeTombstone(let id, let url): model.channels[url]?.tombstones[id] = nil
        case .openGap(let gap): model.open(gap)
        case .cover(let url, let first, let last, let cursor):
            return model.cover(url, first, last, cursor)
        case .saveKindCoverage(let coverage): model.save(coverage)
        case .limitKindCoverage(let url, let kinds, let lower):
            model.limitKindCoverage(url, kinds, lower)
        case .markStale(let range): model.markStale(range)
        case .markVerified(let url, let first, let last):
            return model.markVerified(url, first, last)
        case .saveOutboxItem(let item): return model.save(item)
        case .removeOutboxItem(let id): model.outboxItems.removeAll { $0.requestID == id }
        }
        return true
    }
}

// MARK: Generating

extension WorldOperation {
    static let urls: [ChannelURL] = ["a", "bb", "c"]
    static let ids = (1...12).map { MessageID(String($0)) }
    static let times: [Timestamp] = [1, 2, 3, 4]
    static let requestIDs: [RequestID?] = [nil, nil, nil, "r1", "r2", "r3"]
    static let bounds: [Gap.Bound] =
        [.beginning] + WorldModel.positions.map { .position($0) } + [.end]

    static func any(_ random: inout SeededRandom) -> WorldOperation {
        // At least half of the operations use the same channel, so that it has many changes.
        let url = random.oneIn(2) ? urls[0] : random.pick(urls)
        let id = random.pick(ids)
        let bounds = [random.pick(bounds), random.pick(bounds)]
        let isSound = bounds[0] < bounds[1]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: return .saveMessage(message(id, url, &random))
        case 38..<48: return .removeMessage(id, url)
        case 48..<50: return .removeMessages(url, bounds[0], bounds[1])
        case 50..<52: return .clearMessages(url)
        case 52..<57: return .saveGroup(group(url, &random))
        case 57..<59:
            return .saveOpen(OpenChannel(url: url, createdAt: random.pick(times)))
        case 59..<61: return .removeChannel(url)
        case 61..<64: return .recordAccess(url)
        case 64..<66: return .setKeptInCache(random.oneIn(2), for: url)
        case 66..<68:
            return .saveUser(User(id: random.pick(["ann", "bo"]), nickname: id.rawValue))
        case 68..<71:
            return .setToken(random.oneIn(3) ? nil : [UInt8(url.rawValue.count)], id.rawValue)
        case 71..<73:
            let position = Position(createdAt: random.pick(times), messageID: id)
            return .saveTombstone(
                Tombstone(
                    id, in: url, deletedAt: random.pick(times),
                    position: random.oneIn(2) ? position : nil))
        case 73: return .removeTombstone(id, url)
        case 74..<79 where isSound:
            return .openGap(
                Gap(
                    in: url, from: bounds[0], to: bounds[1],
                    backfillCursor: random.pick([nil, "w1", "w2"]),
                    changesSince: random.pick([
                        nil, FeedPoint("s", number: 1), FeedPoint("s", number: 2),
                    ])))
        case 79..<86: return .cover(url, bounds[0], bounds[1], random.pick([nil, "w3"]))
        case 86..<89 where isSound:
            return .markStale(
                StaleRange(
                    in: url, from: bounds[0], to: bounds[1],
                    lossNumber: Int64.random(in: 0...2, using: &random)))
        case 89..<91: return .markVerified(url, bounds[0], bounds[1])
        case 91..<96: return .saveOutboxItem(outboxItem(url, &random))
        case 96:
            return random.pick([
                .removeUser("ann"), .removeUser("bo"), .removeAllKeptInCache, .clearCachedData,
            ])
        case 97:
            return .saveKindCoverage(
                KindCoverage(
                    random.pick([.link, .image, .thread]), in: url, downTo: bounds[0],
                    cursor: random.pick([nil, "w4"])))
        case 98: return .limitKindCoverage(url, random.pick([.link, .all]), to: bounds[0])
        default: return .removeOutboxItem(random.pick(["d1", "d2", "d3", "d4"]))
        }
    }

    private static func message(
        _ id: MessageID, _ url: ChannelURL, _ random: inout SeededRandom
    ) -> Message {
        var message = Message(
            type: random.pick([.text, .text, .file, .admin]),
            id: random.oneIn(40) ? nil : id, channelURL: random.oneIn(60) ? "" : url,
            requestID: random.pick(requestIDs), text: "t\(random.next() % 100)",
            customType: random.pick(["", "x"]), createdAt: random.pick(times),
            parentMessageID: random.oneIn(3) ? random.pick(["1", "10", "gone"]) : nil)
        if random.oneIn(3) { addKinds(to: &message, &random) }
        return message
    }

    private static func addKinds(to message: inout Message, _ random: inout SeededRandom) {
        if random.oneIn(2) { message.text += " https://example.com" }
        if random.oneIn(2) {
            message.files = (0...1).map { _ in
                var file = FileInfo()
                file.mimeType = random.pick(["image/png", "video/mp4", "audio/ogg", "text/csv"])
                return file
            }
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: message.mentionedUserIDs = ["ann"]
        case 1: message.mentionedUserIDs = ["bo", "ann"]
        case 2: message.mentionedUserIDs = (0..<17).map { $0 == 5 ? "ann" : UserID("u\($0)") }
        case 3: message.mentionType = .channel
        default: break
        }
        if random.oneIn(3) { message.sender = Sender(id: "ann") }
        if random.oneIn(3) {
            message.threadInfo = ThreadInfo(replyCount: 1, lastRepliedAt: 2, updatedAt: 3)
        }
    }

    private static func group(_ url: ChannelURL, _ random: inout SeededRandom) -> GroupChannel {
        var channel = GroupChannel(
            url: url, name: random.pick(["", "n", "nn"]), createdAt: random.pick(times))
        channel.myMemberState = .joined
        channel.isFrozen = random.oneIn(3)
        if random.oneIn(2) {
            channel.lastMessage = Message(
                id: "1", channelURL: url, createdAt: random.pick(times))
        }
        if random.oneIn(2) { channel.metadata = ["k": random.pick(["1", "2"])] }
        return channel
    }

    private static func outboxItem(_ url: ChannelURL, _ random: inout SeededRandom) -> OutboxItem {
        OutboxItem(
            Message(id: nil, channelURL: url, text: "t\(random.next() % 100)", createdAt: 5),
            requestID: random.pick(["d1", "d2", "d3", "d4"]))
    }
}

// MARK: Descriptions

extension WorldOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .saveMessage(let message):
            "save \(message.channelURL): \(message.messageID?.rawValue ?? "no id")"
                + " at \(message.createdAt)"
                + (message.requestID.map { " by \($0)" } ?? "")
                + (message.parentMessageID.map { " to \($0)" } ?? "")
        case .removeMessage(let id, let url): "remove \(url): \(id)"
        case .removeMessages(let url, let first, let last): "remove \(url): \(first) … \(last)"
        case .clearMessages(let url): "clear \(url)"
        case .saveGroup(let channel): "save group \(channel.url), created at \(channel.createdAt)"
        case .saveOpen(let channel): "save open \(channel.url), created at \(channel.createdAt)"
        case .removeChannel(let url): "remove \(url)"
        case .recordAccess(let url): "access \(url)"
        case .setKeptInCache(let isKept, for: let url): "\(isKept ? "keep" : "release") \(url)"
        case .removeAllKeptInCache: "unpin all"
        case .saveUser(let user): "save user \(user.userID)"
        case .removeUser(let id): "remove user \(id)"
        case .clearCachedData: "clear all"
        case .setToken(let token, let scope): "token \(scope): \(token?.digits ?? "none")"
        case .saveTombstone(let tombstone):
            "tombstone \(tombstone.channelURL): \(tombstone.messageID)"
        case .removeTombstone(let id, let url): "no tombstone \(url): \(id)"
        case .openGap(let gap):
            "open \(gap), \(gap.backfillCursor ?? "-"), \(gap.changesSince?.description ?? "-")"
        case .cover(let url, let first, let last, let cursor):
            "cover \(url): \(first) … \(last), \(cursor ?? "-")"
        case .saveKindCoverage(let coverage): "cover \(coverage), \(coverage.cursor ?? "-")"
        case .limitKindCoverage(let url, let kinds, let lower):
            "limit \(url): \(kinds) to \(lower)"
        case .markStale(let range): "stale \(range), \(range.lossNumber)"
        case .markVerified(let url, let first, let last): "verified \(url): \(first) … \(last)"
        case .saveOutboxItem(let item): "outbox item \(item.channelURL): \(item.requestID)"
        case .removeOutboxItem(let id): "no item \(id)"
        }
    }
}
