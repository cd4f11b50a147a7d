import Models
import Sync

@testable import Store

/// A violation of a rule.
struct Violation: Error, CustomStringConvertible {
    /// The name of the rule.
    let rule: String
    let text: String

    init(_ rule: String, _ text: String) {
        self.rule = rule
        self.text = text
    }

    var description: String { "\(rule): \(text)" }
}

/// Compares each commit of a cache with the events that the server had delivered by then.
///
/// The cache may lack events after the cursor on disk, but no event before it. A restored server
/// delivers no events for a cursor of an earlier epoch. Therefore only the consistency of the rows
/// is checked until the engine notices the new epoch.
struct Oracle {
    let server: ModelServer
    private(set) var rows = CacheRows()
    private let known = KnownMessages()
    /// The ids of the messages that the cache removed because the server had deleted them, by
    /// channel number.
    private var buried: [UInt32: Set<MessageID>] = [:]
    /// The ids of such messages in a cache that was cleared or replaced since.
    private var buriedBefore: [ChannelURL: Set<MessageID>] = [:]
    /// True while the app removes cached messages, so that their ranges become gaps.
    var allowsEviction = false
    /// True until the engine replaces the damaged cache.
    var allowsReplacement = false

    init(_ server: ModelServer) {
        self.server = server
    }

    /// Starts with rows that were checked before.
    mutating func begin(_ rows: [CacheRow]) throws { self.rows = try CacheRows(rows, known) }

    /// Checks the rows after a commit.
    mutating func check(_ rows: [CacheRow]) throws {
        let new = try CacheRows(rows, known)
        if new.numbers.isEmpty {
            // Before the replacement, the user may have lost all channels.
            let isReplaced = allowsReplacement && new.token == nil && new.losses == 0
            if allowsEviction || isReplaced { beginAgain(isReplaced: isReplaced) }
        }
        try checkToken(new)
        for (url, number, channel) in new.channels {
            try checkRows(url, channel)
            try checkOffset(url, channel)
            try checkStep(url, number, channel)
            try checkKnowledge(url, channel, new.token, hasAllChannels: new.hasAllChannels)
        }
        try checkRemovals(new)
        record(new)
        self.rows = new
    }

    /// Expects a cache without channels and tombstones.
    private mutating func beginAgain(isReplaced: Bool) {
        for (url, number) in rows.numbers {
            buriedBefore[url, default: []].formUnion(buried[number] ?? [])
        }
        buried = [:]
        guard isReplaced else { return }
        rows = CacheRows()
        allowsReplacement = false
    }

    private mutating func record(_ new: CacheRows) {
        // If the user joins a lost channel again, its deletions are unknown.
        for url in rows.numbers.keys where new.numbers[url] == nil && !allowsEviction {
            buriedBefore[url] = nil
        }
        for (url, number, channel) in new.channels {
            guard let entries = server.history.channels[url]?.entries else { continue }
            guard !allowsEviction, rows.numbers[url] == number, let before = rows[url] else {
                continue
            }
            for id in before.messages.keys
            where channel.messages[id] == nil && entries[id]?.diedAt != nil {
                buried[number, default: []].insert(id)
            }
        }
    }

    /// True if every id and version has meant the same since the beginning.
    private var isOneHistory: Bool { server.restores == 0 }

    // MARK: Consistency of the rows

    private func checkRows(_ url: ChannelURL, _ channel: CacheRows.Channel) throws {
        let ids = channel.positions.map(\.messageID)
        guard Set(ids).count == ids.count else {
            throw Violation("B1 unique id", "\(url) has \(ids)")
        }
        var places: [MessageID: Timestamp] = [:]
        var requests: [RequestID: MessageID] = [:]
        var replies: [MessageID: Set<Position>] = [:]
        for position in channel.positions {
            guard let message = channel.messages[position.messageID] else { continue }
            guard message.position == position, message.channelURL == url else {
                throw Violation("D1 total order", "\(message) is at \(position) of \(url)")
            }
            places[position.messageID] = position.createdAt
            if let parent = message.essence.parentID {
                replies[parent, default: []].insert(position)
            }
            if let request = message.essence.requestID {
                guard
                    requests.updateValue(position.messageID, forKey: request) == nil
                        || mayBeTwice(request)
                else {
                    throw Violation("B1 unique id", "\(url) has \(request) twice")
                }
            }
        }
        // If two messages have the same request id, the index has only one of them, and none after
        // that one was deleted.
        let once = requests.filter { !mayBeTwice($0.key) }
        let isIndexed = once.allSatisfy { channel.requests[$0.key] == $0.value }
        guard places == channel.places, isIndexed,
            channel.requests.keys.allSatisfy({ requests[$0] != nil }), replies == channel.replies
        else { throw Violation("B1 unique id", "the indexes of \(url) are not those of its rows") }
        for ranges in [channel.gaps, channel.stale] {
            for (older, newer) in zip(ranges, ranges.dropFirst()) where newer.lower < older.upper {
                throw Violation("B1 unique id", "ranges of \(url) overlap: \(ranges)")
            }
        }
    }

    /// Returns whether a request may have created two cached messages.
    ///
    /// If the server does not deduplicate, a doubtful item that the user resent may be on the
    /// server twice. If the server was restored from a backup, the item may have been sent to both
    /// histories, and the message of the earlier one is stale.
    private func mayBeTwice(_ request: RequestID) -> Bool {
        (!server.deduplicates || server.restores > 0) && server.made[request, default: 0] > 1
    }

    private func checkOffset(_ url: ChannelURL, _ channel: CacheRows.Channel) throws {
        guard let offset = channel.group?.messageOffset else { return }
        for position in channel.positions
        where position.createdAt < offset && !isOwnAndPossible(position, of: url, channel) {
            throw Violation("C3 cleared before", "\(position) of \(url) is before \(offset)")
        }
    }

    /// Returns whether a message was sent by the device, and either is to be verified or is in the
    /// user's history: the stored beginning of the history may be that of an earlier epoch.
    ///
    /// Until the feed reports a new epoch, the message may also be one that a restored server has
    /// lost.
    private func isOwnAndPossible(
        _ position: Position, of url: ChannelURL, _ channel: CacheRows.Channel
    ) -> Bool {
        guard let request = channel.messages[position.messageID]?.essence.requestID,
            server.made[request, default: 0] > 0
        else { return false }
        if !channel.isKnown(position) || channel.isStale(position) { return true }
        if rows.token?.epoch != server.epoch { return true }
        guard let history = server.history.channels[url],
            let entry = history.entries[position.messageID]
        else { return false }
        return entry.tag == request.rawValue && history.isVisible(entry)
    }

    // MARK: From commit to commit

    private func checkToken(_ new: CacheRows) throws {
        let (old, token) = (rows.token, new.token)
        let hasLost = new.losses > rows.losses
        guard new.losses >= rows.losses else {
            throw Violation("F2 token monotone", "\(new.losses) losses after \(rows.losses)")
        }
        switch (old, token) {
        case (let old?, let token?) where old != token:
            // A changed range in the batch counts as a loss, although the feed continues. Therefore
            // `hasLost` is not checked here.
            guard token.number == old.number + 1, token.epoch == old.epoch else {
                throw Violation("F2 token monotone", "\(token) after \(old), lost: \(hasLost)")
            }
            if let before = server.count(toldBefore: old.cursor),
                let after = server.count(toldBefore: token.cursor), after < before
            {
                throw Violation("F2 token monotone", "\(token) goes back behind \(old)")
            }
        case (_?, nil):
            guard hasLost else { throw Violation("F2 token monotone", "the token is gone") }
        default: break
        }
    }

    private func checkStep(
        _ url: ChannelURL, _ number: UInt32, _ channel: CacheRows.Channel
    ) throws {
        if isOneHistory, let id = buriedBefore[url]?.first(where: { channel.messages[$0] != nil }) {
            throw Violation("C1 tombstone", "\(id) of \(url) is back in an empty cache")
        }
        guard isOneHistory, rows.numbers[url] == number, let old = rows[url],
            let server = server.history.channels[url]
        else { return }
        if let before = old.group?.name.number, let now = channel.group?.name.number, now < before {
            throw Violation("C2 version monotone", "\(url) is called \(now) after \(before)")
        }
        for (id, before) in old.messages.sorted(by: { $0.key < $1.key }) {
            guard let now = channel.messages[id] else {
                let isEvicted = allowsEviction && !channel.isKnown(before.position)
                if !isEvicted, let entry = server.entries[id], server.isVisible(entry) {
                    throw Violation("C4 no false delete", "\(before.essence) of \(url) is gone")
                }
                continue
            }
            if now.essence.version < before.essence.version {
                throw Violation("C2 version monotone", "\(now.essence) after \(before.essence)")
            }
            for (key, time) in now.reactionTimes {
                if let last = before.reactionTimes[key], time < last {
                    throw Violation(
                        "C2 version monotone", "\(key) of \(id) at \(time) after \(last)")
                }
            }
        }
        for id in buried[number] ?? [] where channel.messages[id] != nil {
            throw Violation("C1 tombstone", "\(id) of \(url) is back")
        }
    }

    private func checkRemovals(_ new: CacheRows) throws {
        guard isOneHistory, !allowsEviction else { return }
        for (url, number, channel) in rows.channels
        where new.numbers[url] != number && channel.group != nil {
            guard let server = server.history.channels[url], server.isMine,
                server.changedAt < Trace.channels.count
            else { continue }
            throw Violation("C4 no false delete", "channel \(url) is gone")
        }
    }

    // MARK: Events that the server has delivered

    private func checkKnowledge(
        _ url: ChannelURL, _ channel: CacheRows.Channel, _ token: CacheRows.Token?,
        hasAllChannels: Bool
    ) throws {
        guard let token, token.epoch == server.epoch, let server = server.history.channels[url]
        else { return }
        guard let count = self.server.count(toldBefore: token.cursor) else {
            throw Violation("F2 token monotone", "\(token) is no cursor")
        }
        // A feed without a cursor lists all channels first. Until the list ends, its cursors
        // contain "@".
        let tellsChannels = !token.cursor.contains("@")
        if tellsChannels && server.changedAt < count {
            // Until all channels are reported, a channel may have only a message that the user
            // sent.
            if !server.isMine,
                channel.group != nil || (hasAllChannels && !channel.positions.isEmpty)
            {
                throw Violation("channels", "\(url) is held, and lost")
            }
            if channel.group == nil && server.isMine {
                throw Violation("channels", "\(url) is not stored, but was reported")
            }
        }
        // The events before the user joined or left a channel do not count: the feed reports only
        // the joining or leaving.
        guard server.isMine, server.changedAt < count else { return }
        if tellsChannels, server.resetAt < count, let offset = server.offset {
            for position in channel.positions
            where position.createdAt < offset && !isOwnAndPossible(position, of: url, channel) {
                throw Violation("C3 cleared before", "\(position) of \(url) is before \(offset)")
            }
        }
        try checkMessages(url, channel, server, count)
    }

    private func checkMessages(
        _ url: ChannelURL, _ channel: CacheRows.Channel, _ server: ServerHistory.Channel,
        _ count: Int
    ) throws {
        let hasChangesToRead = channel.gaps.contains(where: \.hasChangesToRead)
        // The entries are sorted, so that a repeated run violates the same rule first.
        for (id, entry) in server.entries.sorted(by: { $0.key < $1.key }) {
            let position = entry.position
            let kinds = entry.versions.last?.kinds ?? []
            for (kind, lower) in channel.kinds where lower < .position(position) {
                // The page may be older than the last event that changed the message.
                guard kinds.contains(kind), entry.changedAt < count, server.isVisible(entry),
                    channel.messages[id]?.position != position,
                    !isOnAnotherPage(entry, of: server, channel)
                else { continue }
                throw Violation(
                    "A2 covered kinds",
                    "\(entry.tag) of \(url) at \(position) is missing in \(kind) down to \(lower)")
            }
            guard channel.isKnown(position), !channel.isStale(position) else { continue }
            let held = channel.messages[id]
            let isSame = held?.position == position
            if isSame, let diedAt = entry.diedAt, diedAt < count, !hasChangesToRead {
                throw Violation("C1 tombstone", "\(entry.tag) of \(url) was deleted")
            }
            guard server.isVisible(entry) else { continue }
            if entry.createdAt < count, !isSame, !isOnAnotherPage(entry, of: server, channel) {
                throw Violation(
                    "A1 honest coverage", "\(entry.tag) of \(url) at \(position) is missing")
            }
            if let held, isSame, entry.changedAt < count, !hasChangesToRead,
                !isCurrent(held.essence, entry.essence)
            {
                throw Violation("A1 fresh", "\(held.essence) is held for \(entry.essence)")
            }
        }
        for (id, held) in channel.messages
        where server.entries[id]?.position != held.position && channel.isKnown(held.position)
            && !channel.isStale(held.position) && !hasChangesToRead
        {
            throw Violation("C1 tombstone", "\(held.essence) of \(url) never was")
        }
    }
}

extension Oracle {
    /// Returns whether a message in a known range equals the server's.
    ///
    /// If the server returns reactions separately, only the reactions of shown messages have to be
    /// known, and only at rest.
    private func isCurrent(_ held: MessageEssence, _ expected: MessageEssence) -> Bool {
        guard server.hasSeparateReactions else { return held == expected }
        var held = held
        held.reactions = expected.reactions
        return held == expected
    }
}

extension String {
    /// The number at the end of a channel's name, which grows with each renaming.
    fileprivate var number: Int? { split(separator: " ").last.flatMap { Int($0) } }
}

// MARK: Unread items

extension Oracle {
    /// Checks the reported numbers of unread items against the stored channels.
    func checkUnread(_ reported: UnreadItemCount?) throws {
        guard let reported else {
            guard rows.hasAllChannels else { return }
            throw Violation("unread items", "nothing is reported, but all channels are stored")
        }
        let channels = rows.channels.compactMap(\.channel.group)
        var expected = UnreadItemCount()
        expected.groupChannelUnreadMessageCount = channels.reduce(0) { $0 + $1.unreadMessageCount }
        expected.groupChannelUnreadMentionCount = channels.reduce(0) { $0 + $1.unreadMentionCount }
        expected.groupChannelInvitationCount = channels.count { $0.myMemberState == .invited }
        guard reported == expected else {
            throw Violation("unread items", "\(reported) is reported for \(expected)")
        }
    }
}

// MARK: Late messages

extension Oracle {
    /// Returns whether a message that arrived late may be on a page that the device has not
    /// fetched.
    ///
    /// This is possible if the position of the message is in a known range, but a gap or a stale
    /// range is between this position and the next message that arrived in time.
    private func isOnAnotherPage(
        _ entry: ServerHistory.Entry, of server: ServerHistory.Channel,
        _ channel: CacheRows.Channel
    ) -> Bool {
        guard self.server.hasLateMessages else { return false }
        let before = server.entries.values.filter { $0.createdAt < entry.createdAt }
            .map(\.position).max()
        guard let before, entry.position < before else { return false }
        let next = server.visible.first {
            entry.createdAt < $0.createdAt && before < $0.position
        }
        let upper = next.map { Gap.Bound.position($0.position) } ?? .end
        return (channel.gaps + channel.stale).contains {
            $0.lower < upper && .position(entry.position) < $0.upper
        }
    }
}

// MARK: At rest

extension Oracle {
    /// Checks that a shown range of a channel equals the server's history.
    func checkShown(_ url: ChannelURL, _ view: ShownRange) throws {
        guard let channel = rows[url], let server = server.history.channels[url] else {
            throw Violation("A5 convergence", "\(url) is shown, and not held")
        }
        for range in channel.gaps + channel.stale
        where range.lower < view.upper && view.lower < range.upper {
            throw Violation("A5 convergence", "\(url) shows \(view), and has \(range)")
        }
        let visible = server.visible.filter { view.contains($0.position) }
        let expected = visible.map(\.essence)
        let held = channel.positions.filter(view.contains).sorted()
            .compactMap { channel.messages[$0.messageID]?.essence }
        guard held == expected else {
            throw Violation("A5 convergence", "\(url) holds \(held) for \(expected)")
        }
    }

    /// Checks that a channel that is caught up has all messages that were sent while the device was
    /// offline.
    func checkCaughtUp(_ url: ChannelURL) throws {
        for gap in rows[url]?.gaps ?? [] where gap.lower != .beginning || gap.upper == .end {
            throw Violation("A5 convergence", "\(url) is caught up, and has \(gap)")
        }
    }

    /// Checks that the cached channels are the user's channels, with equal contents.
    func checkChannels(_ expected: [GroupChannel]) throws {
        let held = rows.channels.compactMap(\.channel.group)
        let mine = held.map(\.outline).sorted()
        let theirs = expected.map(\.outline).sorted()
        guard mine == theirs else {
            throw Violation("channels", "\(mine) are held for \(theirs)")
        }
    }
}

extension ShownRange {
    fileprivate func contains(_ position: Position) -> Bool {
        lower <= .position(position) && .position(position) <= upper
    }
}

extension GroupChannel {
    /// The fields of a channel that must equal those on the server.
    fileprivate var outline: String {
        [
            "\(url) \(name)", "\(joinedMemberCount) of \(memberCount)",
            members.map(\.userID.rawValue).sorted().joined(separator: ","),
            "\(myMemberState) \(myRole)", "last \(lastMessage?.messageID ?? "-")",
            lastMessage.map { "\(MessageEssence($0))" } ?? "-",
            "\(unreadMessageCount) unread", "\(hiddenState)",
            "from \(messageOffset?.description ?? "-")",
            "read \(readReceipts.sorted { $0.key < $1.key })", "\(myLastRead?.description ?? "-")",
        ].joined(separator: " ")
    }
}
