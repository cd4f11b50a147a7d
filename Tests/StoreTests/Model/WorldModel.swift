import Models

@testable import Store

/// A naive implementation of a store with dictionaries and lists.
///
/// ``ChatStore`` is compared with it.
struct WorldModel: Equatable {
    struct About: Hashable, Sendable {
        var cursor: PageCursor?
        var since: FeedPoint?
    }

    struct Channel: Equatable {
        var group: GroupChannel?
        var open: OpenChannel?
        var messages: [MessageID: Message] = [:]
        /// For each request id, the message that was the last one to be saved with it.
        var requests: [RequestID: MessageID] = [:]
        var gaps = SlotHistory(WorldModel.positions, whole: About())
        var staleRanges = SlotHistory<Int64>(WorldModel.positions, whole: nil)
        var tombstones: [MessageID: Tombstone] = [:]
        var kindCoverage: [UInt8: KindCoverage] = [:]
        var lastAccess = 0
        /// The channel's place in the order of channel numbers.
        ///
        /// It gets a new one when it becomes known, and when it is cleared.
        var turn = 0

        var sorted: [Message] {
            messages.values.sorted { ($0.position ?? .none) < ($1.position ?? .none) }
        }
    }

    /// The positions that occur as bounds of gaps.
    static let positions = (1...4).map {
        Position(createdAt: Timestamp(milliseconds: Int64($0)), messageID: "6")
    }

    var channels: [ChannelURL: Channel] = [:]
    var users: [UserID: User] = [:]
    var tokens: [String: [UInt8]] = [:]
    var pins: Set<ChannelURL> = []
    /// Ordered by the time of writing.
    var outboxItems: [OutboxItem] = []
    private var turns = 0
    private var accesses = 0

    private mutating func turn() -> Int {
        turns += 1
        return turns
    }

    /// Changes a channel.
    ///
    /// Makes it known first, if it is not.
    private mutating func change(_ url: ChannelURL, _ body: (inout Channel) -> Void) {
        if channels[url] == nil { channels[url] = Channel(turn: turn()) }
        body(&channels[url]!)
    }

    // MARK: Operations; false if one is invalid, and has done nothing

    mutating func save(_ message: Message) -> Bool {
        guard let id = message.messageID, !message.channelURL.rawValue.isEmpty,
            id.rawValue.utf8.count <= 65_535
        else { return false }
        change(message.channelURL) { channel in
            let old = channel.messages.updateValue(message, forKey: id)
            if old?.requestID != message.requestID {
                channel.giveUpRequest(of: old)
                if let requestID = message.requestID { channel.requests[requestID] = id }
            }
        }
        return true
    }

    mutating func removeMessage(_ id: MessageID, _ url: ChannelURL) {
        let old = channels[url]?.messages.removeValue(forKey: id)
        channels[url]?.giveUpRequest(of: old)
    }

    mutating func removeMessages(_ url: ChannelURL, _ first: Gap.Bound, _ last: Gap.Bound) {
        for message in channels[url]?.sorted ?? [] {
            guard let position = message.position, first <= .position(position),
                .position(position) <= last
            else { continue }
            removeMessage(position.messageID, url)
        }
    }

    mutating func clear(_ url: ChannelURL) {
        guard let old = channels[url] else { return }
        channels[url] = Channel(
            group: old.group, open: old.open, tombstones: old.tombstones,
            lastAccess: old.lastAccess, turn: turn())
    }

    mutating func save(_ channel: GroupChannel) {
        change(channel.url) {
            $0.group = channel
            $0.open = nil
        }
    }

    mutating func save(_ channel: OpenChannel) {
        change(channel.url) {
            $0.group = nil
            $0.open = channel
        }
    }

    mutating func recordAccess(_ url: ChannelURL) {
        accesses += 1
        let turn = accesses
        change(url) { $0.lastAccess = turn }
    }

    mutating func setKeptInCache(_ isKept: Bool, for url: ChannelURL) {
        if isKept { pins.insert(url) } else { pins.remove(url) }
    }

    mutating func save(_ tombstone: Tombstone) {
        change(tombstone.channelURL) { $0.tombstones[tombstone.messageID] = tombstone }
    }

    mutating func open(_ gap: Gap) {
        let (cursor, since) = (gap.backfillCursor, gap.changesSince)
        change(gap.channelURL) { channel in
            channel.gaps.open(from: gap.lower, to: gap.upper) { runs in
                var about = About(cursor: cursor, since: since)
                if let newest = runs.last {
                    if newest.upper > gap.upper { about.cursor = newest.about.cursor }
                    if newest.upper == gap.upper { about.cursor = cursor ?? newest.about.cursor }
                }
                about.since = (runs.map(\.about.since) + [since]).compactMap { $0 }.min()
                return about
            }
        }
        limitKindCoverage(gap.channelURL, .all, gap.upper)
    }

    mutating func save(_ coverage: KindCoverage) {
        change(coverage.channelURL) { $0.kindCoverage[coverage.kind.rawValue] = coverage }
    }

    mutating func limitKindCoverage(
        _ url: ChannelURL, _ kinds: MessageKinds, _ lower: Gap.Bound
    ) {
        for (bit, coverage) in channels[url]?.kindCoverage ?? [:]
        where kinds.contains(coverage.kind) && coverage.lower <= lower {
            channels[url]?.kindCoverage[bit] =
                lower == .end ? nil : KindCoverage(coverage.kind, in: url, downTo: lower)
        }
    }

    mutating func cover(
        _ url: ChannelURL, _ first: Gap.Bound, _ last: Gap.Bound, _ cursor: PageCursor?
    ) -> Bool {
        guard first <= last else { return false }
        change(url) { channel in
            channel.gaps.cover(from: first, through: last) {
                About(cursor: cursor, since: $0.since)
            }
        }
        return true
    }

    mutating func markStale(_ range: StaleRange) {
        change(range.channelURL) { channel in
            channel.staleRanges.open(from: range.lower, to: range.upper) { runs in
                runs.map(\.about).reduce(range.lossNumber, max)
            }
        }
    }

    mutating func markVerified(
        _ url: ChannelURL, _ first: Gap.Bound, _ last: Gap.Bound
    ) -> Bool {
        guard first <= last else { return false }
        channels[url]?.staleRanges.cover(from: first, through: last) { $0 }
        return true
    }

    mutating func save(_ item: OutboxItem) -> Bool {
        guard let index = outboxItems.firstIndex(where: { $0.requestID == item.requestID }) else {
            outboxItems.append(item)
            return true
        }
        guard outboxItems[index].channelURL == item.channelURL else { return false }
        outboxItems[index] = item
        return true
    }

    // MARK: Questions

    func gaps(_ url: ChannelURL) -> [Gap] {
        (channels[url] ?? Channel()).gaps.runs.map {
            Gap(
                in: url, from: $0.lower, to: $0.upper, backfillCursor: $0.about.cursor,
                changesSince: $0.about.since)
        }
    }

    func staleRanges(_ url: ChannelURL) -> [StaleRange] {
        (channels[url] ?? Channel()).staleRanges.runs.map {
            StaleRange(in: url, from: $0.lower, to: $0.upper, lossNumber: $0.about)
        }
    }

    /// Returns the newest part of the gaps and stale ranges in which messages of some kinds may be
    /// missing.
    func newestGap(_ url: ChannelURL, of kinds: MessageKinds) -> (Gap.Bound, Gap.Bound)? {
        let reached = kinds.singleKinds.map {
            channels[url]?.kindCoverage[$0.rawValue]?.lower ?? .end
        }.max()
        let stale = staleRanges(url).filter { $0.lossNumber != StaleRange.singleMessage }
            .map { ($0.lower, $0.upper) }
        // Of a gap and a stale range with the same end, the gap is returned.
        let parts = (stale + gaps(url).map { ($0.lower, $0.upper) }).enumerated().sorted {
            ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
        }
        return parts.map(\.element)
            .map { ($0.0, min($0.1, reached ?? .end)) }
            .last { $0.0 < $0.1 }
    }

    var urlsByAccess: [ChannelURL] {
        channels.sorted {
            ($0.value.lastAccess, $0.value.turn) < ($1.value.lastAccess, $1.value.turn)
        }.map(\.key)
    }

    /// All outbox items, ordered by the length of the channel's URL, then by the URL's bytes, and
    /// then by their creation.
    var sortedOutboxItems: [OutboxItem] {
        let urls = Set(outboxItems.map(\.channelURL)).sorted {
            ($0.rawValue.utf8.count, $0.rawValue) < ($1.rawValue.utf8.count, $1.rawValue)
        }
        return urls.flatMap { url in outboxItems.filter { $0.channelURL == url } }
    }
}

extension WorldModel.Channel {
    fileprivate mutating func giveUpRequest(of message: Message?) {
        guard let id = message?.requestID, requests[id] == message?.messageID else { return }
        requests[id] = nil
    }
}

extension Position {
    static let none = Position(createdAt: .distantPast, messageID: "")
}
