import Models
import Store

extension Ingest {
    struct FeedReport: Hashable {
        /// The channels in which something must be fetched.
        var channelsToBackfill: [ChannelURL] = []
        var removedChannels: [ChannelURL] = []
        /// The changed channels, while the engine catches up.
        var missedChannels: Set<ChannelURL> = []
        /// True for each channel in which users are typing, false if they have stopped.
        var typing: [ChannelURL: Bool] = [:]
    }

    /// Applies a batch of the feed after the point `previous`.
    ///
    /// `missed` contains the channels that have changed since the engine began to catch up; `nil`
    /// if the events are live.
    mutating func applyFeed(
        _ feed: FeedBatch, after previous: FeedPoint?, missed: Set<ChannelURL>? = nil
    ) throws(StoreError) -> FeedReport {
        var report = FeedReport()
        isFeed = true
        isCatchingUp = missed != nil
        changedMessages = []
        defer { isFeed = false }
        let channelsWithLastMessage = Set(
            feed.events.compactMap { event -> ChannelURL? in
                guard case .channel(let update) = event, update.patch.contains(\.lastMessage)
                else { return nil }
                return update.channelURL
            })
        var receipts = PendingReceipts()
        for event in feed.events {
            if receipts.add(event) { continue }
            // This event may replace or remove the channel.
            if !receipts.channels.isEmpty {
                try apply(receipts)
                receipts = PendingReceipts()
            }
            do throws(StoreError) {
                try applyEvent(
                    event, after: previous, channelsWithLastMessage: channelsWithLastMessage,
                    &report)
            } catch {
                // Otherwise, the feed's cursor could never be stored.
                guard error.code == .invalid else { throw error }
            }
        }
        try apply(receipts)
        try replaceDeletedLastMessages()
        if let missed { recordOrReportMissed(missed, hasCaughtUp: feed.isLive, &report) }
        return report
    }

    /// Reports each changed channel once, when the engine has caught up.
    private func recordOrReportMissed(
        _ earlier: Set<ChannelURL>, hasCaughtUp: Bool, _ report: inout FeedReport
    ) {
        let missed = earlier.union(batch.changedChannels)
        guard hasCaughtUp else {
            report.missedChannels = missed
            return
        }
        for url in missed.sorted() { batch.emit(.caughtUp(url), source: .channelBackgroundSync) }
    }

    func messageSource(_ event: CollectionEventSource) -> CollectionEventSource {
        isCatchingUp ? .messageBackgroundSync : event
    }

    func channelSource(_ event: CollectionEventSource) -> CollectionEventSource {
        isCatchingUp ? .channelBackgroundSync : event
    }

    private mutating func applyEvent(
        _ event: FeedEvent, after previous: FeedPoint?, channelsWithLastMessage: Set<ChannelURL>,
        _ report: inout FeedReport
    ) throws(StoreError) {
        switch event {
        case .channel(let update):
            if try applyUpdate(update) { report.channelsToBackfill.append(update.channelURL) }
        case .channelRemoved(let url, let removal):
            let people = EventPeople(users: [], actor: removal.actor, reason: removal.reason)
            try remove(url, channelSource(removal.cause.source), people: people.ifAny)
            report.removedChannels.append(url)
        case .channels(let urls): try removeAll(but: urls, &report)
        case .joinedChannels(let urls):
            try removeAll(but: urls, keepsInvitations: true, &report)
        case .openChannel(let channel):
            try batch.save(channel, source: channelSource(.eventChannelChanged))
        case .messageReceived(let message):
            guard try addReceived(message) else { return }
            if !channelsWithLastMessage.contains(message.channelURL) {
                try updateLastMessage(message)
            }
        case .messageUpdated(let message):
            if try isRelevant(message) {
                try applyMessage(message, messageSource(.eventMessageUpdated), .unknown)
            }
            if !channelsWithLastMessage.contains(message.channelURL) {
                try updateLastMessage(message)
            }
        case .messageChanged(let id, let url):
            try markChanged(id, in: url)
            changedMessages.insert(id)
            report.channelsToBackfill.append(url)
        case .messageDeleted(let id, let url, let time):
            try delete(id, in: url, at: time, messageSource(.eventMessageDeleted))
        case .messageOrEditDeleted(let id, let url, let createdAt, let time):
            try recordChanges(byDeletionOf: id, in: url, createdAt: createdAt)
            try delete(id, in: url, at: time, messageSource(.eventMessageDeleted))
            report.channelsToBackfill.append(url)
        case .messagesDeleted(ofSender: let sender, in: let url, at: let time):
            let urls = if let url { [url] } else { try batch.channelURLs() }
            for url in urls {
                try deleteMessages(of: sender, in: url, at: time)
            }
        case .reaction(let reaction):
            if try applyReaction(reaction, messageSource(.eventReactionUpdated)) {
                report.channelsToBackfill.append(reaction.channelURL)
            }
        case .threadInfo(let thread):
            try changeThread(thread, by: event)
        case .truncation(let url):
            try openGapAtNewestEnd(in: url, since: previous)
            report.channelsToBackfill.append(url)
        case .historyChanged(let url, let from, let through):
            try changeHistory(of: url, from: from, through: through)
            report.channelsToBackfill.append(url)
        case .read, .delivered: break  // See `PendingReceipts`.
        case .typing(let users, let url):
            batch.emit(.typing(users, in: url), source: .eventTypingStatusUpdated)
            report.typing[url] = !users.isEmpty
        case .participants(let entered, let exited, let url):
            batch.emit(
                .participants(entered: entered, exited: exited, in: url),
                source: channelSource(.eventChannelChanged))
        }
    }

    // MARK: Messages

    private mutating func addReceived(_ message: Message) throws(StoreError) -> Bool {
        let isOwn = try batch.outboxItem(of: message, by: userID) != nil
        let source = messageSource(isOwn ? .eventMessageSent : .eventMessageReceived)
        // The feed may repeat earlier events.
        guard try applyMessage(message, source, .unknown) else { return false }
        // The feed reports all reactions to a new message after the message.
        if let id = message.messageID {
            reactionChanges?.append(.insert(id, in: message.channelURL))
        }
        try recordReported(message)
        return true
    }

    /// Returns whether an edited message is stored, or is in a known or requested range of the
    /// history or of one of its kinds.
    func isRelevant(_ message: Message) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        if flights.hasRequests(in: url) { return true }
        guard try batch.isInGap(position, in: url) else { return true }
        if try batch.message(position.messageID, in: url) != nil { return true }
        // In the gap, the cache must have each message of a kind that was fetched alone. After an
        // empty page, the cursor of the kind may have passed the message.
        let covered = try batch.kindCoverage(in: url).filter {
            $0.lower < .position(position) || $0.cursor != nil
        }
        return covered.contains { message.kinds(for: userID).contains($0.kind) }
    }

    private mutating func changeThread(
        _ thread: ThreadInfoUpdateEvent, by event: FeedEvent
    ) throws(StoreError) {
        let stored = try batch.message(thread.parentMessageID, in: thread.channelURL)
        if let known = stored?.threadInfo, let info = thread.threadInfo,
            info.updatedAt < known.updatedAt, info.replyCount > known.replyCount
        {
            // On some servers, the sender of a reply chooses its time, so a later summary, with
            // more replies, may have an earlier time.
            try markChanged(thread.parentMessageID, in: thread.channelURL)
        }
        try change(
            thread.parentMessageID, in: thread.channelURL, by: event,
            messageSource(.eventThreadInfoUpdated)
        ) { $0.apply(thread) }
        if stored == nil {
            try batch.limitKindCoverage(of: thread.channelURL, kinds: .thread)
        }
    }

    /// Removes all messages of a sender from a channel, in O(*n*) of the channel's messages.
    private mutating func deleteMessages(
        of sender: UserID, in url: ChannelURL, at time: Timestamp?
    ) throws(StoreError) {
        if flights.hasRequests(in: url) { flights.void(url) }
        for position in try batch.positions(in: url, from: .beginning, to: .end) {
            let message = try batch.message(position.messageID, in: url)
            guard message?.sender?.userID == sender else { continue }
            try delete(position.messageID, in: url, at: time, messageSource(.eventMessageDeleted))
        }
        // The channel's last message may not be stored.
        if let last = try batch.groupChannel(url)?.lastMessage, last.sender?.userID == sender,
            let id = last.messageID
        {
            deletedMessages[url, default: []].insert(id)
        }
    }

    /// Marks a message as stale, because it was changed and its new content is unknown.
    private mutating func markChanged(_ id: MessageID, in url: ChannelURL) throws(StoreError) {
        if flights.hasRequests(in: url) { flights.void(url) }
        guard let position = try batch.message(id, in: url)?.position else {
            return try batch.limitKindCoverage(of: url)
        }
        try markStale(position, in: url)
    }

    /// Marks the messages as stale that the deletion of a message or an edit has changed: the
    /// message that the stored one replies to; without a stored one, the messages whose last edit
    /// has the time `createdAt`, and those whose thread may have had a reply then.
    mutating func recordChanges(
        byDeletionOf id: MessageID, in url: ChannelURL, createdAt: Timestamp
    ) throws(StoreError) {
        if let stored = try batch.message(id, in: url) {
            if let parent = stored.parentMessageID { try markChanged(parent, in: url) }
            return
        }
        try batch.limitKindCoverage(of: url)
        // The sender's server may give an edit an earlier time than the message.
        let messages = try batch.messages(
            in: url, from: .beginning, to: .end, isNewestFirst: false)
        for message in messages {
            let isEdited = message.updatedAt == createdAt
            let isOlder = message.createdAt <= createdAt
            let lastReply = isOlder ? message.threadInfo?.lastRepliedAt : nil
            let hasReply = lastReply.map { createdAt <= $0 } ?? false
            guard let id = message.messageID, isEdited || hasReply else { continue }
            try markChanged(id, in: url)
            changedMessages.insert(id)
        }
    }

    /// Adds a gap that is newer than the messages that the feed has reported.
    ///
    /// Known messages next to the gap become stale, because an omitted message may be older than
    /// the gap, if the newest known message has a time in the future, or if the server's clocks
    /// differ. Their range begins ``SyncOptions/clockSkew`` before the gap, or before the feed's
    /// last request if that was earlier.
    mutating func openGapAtNewestEnd(
        in url: ChannelURL, since previous: FeedPoint?
    ) throws(StoreError) {
        flights.void(url)
        let lower = try newestKnownBound(of: url)
        let requested = try batch.feedToken().map { Gap.Bound(before: $0.requestedAt) } ?? lower
        try openGapAtNewestEnd(
            in: url, from: lower,
            staleFrom: min(lower, requested).earlier(by: options.clockSkew), since: previous)
    }

    private mutating func openGapAtNewestEnd(
        in url: ChannelURL, from lower: Gap.Bound, staleFrom oldest: Gap.Bound,
        since previous: FeedPoint? = nil
    ) throws(StoreError) {
        try batch.open(Gap(in: url, from: lower, to: .end, changesSince: previous))
        // The server may have accepted messages between a gap's backfill cursor and its upper
        // bound, so restart the backfill at that bound.
        try changeGaps(of: url) { if oldest < $0.upper { $0.backfillCursor = nil } }
        try markStale(from: oldest, to: lower, in: url)
        batch.setUnreported(nil, of: url)
        invalidateKnowledge(of: url)
    }

    /// Marks a range as stale, without a loss of history.
    private func markStale(
        from lower: Gap.Bound, to upper: Gap.Bound, in url: ChannelURL
    ) throws(StoreError) {
        guard lower < upper else { return }
        try batch.markStale(StaleRange(in: url, from: lower, to: upper, lossNumber: 0))
    }

    private func newestKnownBound(of url: ChannelURL) throws(StoreError) -> Gap.Bound {
        let gap = try batch.firstGap(below: .end, in: url)
        let unreported = try batch.unreported(of: url)
        let newest = try newestReported(in: url, before: unreported).map(Gap.Bound.position)
        var bound = newest ?? .beginning
        if let gap, gap.upper == .end {
            // A page may have closed a gap below messages that the feed has not reported.
            bound = unreported == nil ? gap.lower : min(bound, gap.lower)
        } else if let gap, unreported.map({ gap.upper < .position($0) }) ?? true {
            // The feed has reported all messages that are newer than the gap, unless a push opened
            // it.
            bound = max(bound, gap.upper)
        }
        guard case .position(let newest) = bound, newest.createdAt > latestTime else {
            return bound
        }
        // The omitted messages may be older than a message with a time in the future.
        let older = try batch.newestPosition(in: url, before: latestTime)
        return older.map { .position($0) } ?? .beginning
    }

    /// Records that a range of a history, up to the ends that are `nil`, has changed without an
    /// event for each message.
    ///
    /// The stored part becomes stale; beyond the newest message, a gap is added.
    private mutating func changeHistory(
        of url: ChannelURL, from: Timestamp?, through: Timestamp?
    ) throws(StoreError) {
        flights.void(url)
        let lower = from.map { Gap.Bound(before: $0) } ?? .beginning
        let upper = through.map { Gap.Bound(after: $0) } ?? .end
        let range = lower < upper ? (lower, upper) : (.beginning, .end)
        let newest = try newestKnownBound(of: url)
        if newest < range.1 { try openGapAtNewestEnd(in: url, from: newest, staleFrom: newest) }
        // At its cursor, the backfill would skip new messages that are newer than the cursor.
        try changeGaps(of: url) {
            if $0.lower < range.1 && range.0 < $0.upper { $0.backfillCursor = nil }
        }
        // Messages may have been added. A range with a single position would be fetched by a lookup
        // instead of as a page, so extend it by a millisecond.
        try markKnownHistoryStale(of: url, from: range.0.earlier(by: .milliseconds(1)), to: range.1)
    }

    // MARK: Messages that arrive before the feed reports them

    /// Records that the feed has reported a message, and thus all messages accepted before it.
    private func recordReported(_ message: Message) throws(StoreError) {
        guard let position = message.position,
            let unreported = try batch.unreported(of: message.channelURL), unreported <= position
        else { return }
        let next = try batch.neighbor(
            of: position, in: message.channelURL, isOlder: false)
        batch.setUnreported(next, of: message.channelURL)
    }

    func newestReported(
        in url: ChannelURL, before unreported: Position?
    ) throws(StoreError) -> Position? {
        guard let unreported else { return try batch.newestPosition(in: url) }
        return try batch.neighbor(of: unreported, in: url, isOlder: true)
    }

    // MARK: The last message of servers that do not send it

    static let lastCandidates = 20

    mutating func updateLastMessage(_ message: Message) throws(StoreError) {
        guard message.countsAsLast, var channel = try batch.groupChannel(message.channelURL)
        else {
            return
        }
        if let last = channel.lastMessage?.position, let position = message.position,
            position < last
        {
            return
        }
        channel.lastMessage = message
        try batch.save(channel, source: channelSource(.eventChannelChanged))
        flights.recordChannel(channel.url)
    }

    /// Replaces deleted messages that channels still have as their last messages.
    mutating func replaceDeletedLastMessages() throws(StoreError) {
        let deleted = deletedMessages
        deletedMessages = [:]
        for (url, ids) in deleted.sorted(by: { $0.key < $1.key }) {
            guard var channel = try batch.groupChannel(url),
                let last = channel.lastMessage?.messageID, ids.contains(last),
                try batch.message(last, in: url) == nil
            else { continue }
            channel.lastMessage = try batch.messages(in: url, limit: Ingest.lastCandidates)
                .first(where: \.countsAsLast)
            try batch.save(channel, source: channelSource(.eventChannelChanged))
            // An answer in flight may contain the last message of the server.
            if isFeed { flights.recordChannel(url) }
        }
    }
}

extension Message {
    /// Replies outside the channel, and most silent messages, cannot be a channel's last message.
    var countsAsLast: Bool {
        (parentMessageID == nil || isReplyToChannel) && (!isSilent || forcesLastMessage)
    }
}

extension Gap.Bound {
    fileprivate func earlier(by duration: Duration) -> Gap.Bound {
        guard case .position(let position) = self, duration > .zero else { return self }
        return .position(
            Position(createdAt: position.createdAt.earlier(by: duration), messageID: ""))
    }
}

extension ChannelRemoval.Cause {
    fileprivate var source: CollectionEventSource {
        switch self {
        case .deleted, .unknown: .eventChannelDeleted
        case .left, .removed: .eventUserLeft
        case .banned: .eventUserBanned
        }
    }
}
