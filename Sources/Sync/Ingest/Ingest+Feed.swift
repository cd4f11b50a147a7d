import Models
import Store

extension Ingest {
    /// The results of a feed batch that are not part of the write batch.
    struct FeedReport: Hashable {
        /// The channels that are new or have a truncation.
        var channelsToBackfill: [ChannelURL] = []
        /// The channels that the user has lost.
        var removedChannels: [ChannelURL] = []
        /// The channels that have changed since the engine began to catch up; empty after it has
        /// caught up.
        var missedChannels: Set<ChannelURL> = []
        /// Whether users are typing in each channel of which the feed has reported it.
        var typing: [ChannelURL: Bool] = [:]
    }

    /// Applies a batch of the feed.
    ///
    /// `previous` is the point of the feed before the batch. `missed` contains the channels that
    /// have changed since the engine began to catch up; `nil` if the events are live.
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
        for event in feed.events {
            do throws(StoreError) {
                try applyEvent(
                    event, after: previous, channelsWithLastMessage: channelsWithLastMessage,
                    &report)
            } catch {
                // Skip data that the store rejects as invalid. Otherwise, the feed's cursor could
                // not be stored, and the feed would report the same data forever.
                guard error.code == .invalid else { throw error }
            }
        }
        if let missed { recordMissed(missed, hasCaughtUp: feed.isLive, &report) }
        return report
    }

    /// Records the channels that change while the engine catches up, and reports each of them once
    /// when it has caught up.
    private func recordMissed(
        _ earlier: Set<ChannelURL>, hasCaughtUp: Bool, _ report: inout FeedReport
    ) {
        let missed = earlier.union(batch.changedChannels)
        guard hasCaughtUp else {
            report.missedChannels = missed
            return
        }
        for url in missed.sorted() { batch.emit(.caughtUp(url), source: .channelBackgroundSync) }
    }

    /// Returns the source to report for a change of a message: that of the event or, while the
    /// engine catches up, background synchronization.
    func messageSource(_ event: CollectionEventSource) -> CollectionEventSource {
        isCatchingUp ? .messageBackgroundSync : event
    }

    /// Returns the source to report for a change of a channel: that of the event or, while the
    /// engine catches up, background synchronization.
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
            try remove(url, channelSource(removal.cause.source), people: people.ifAny, &report)
        case .channels(let urls):
            try removeAll(but: urls, &report)
        case .joinedChannels(let urls):
            try removeAll(but: urls, keepsInvitations: true, &report)
        case .openChannel(let channel):
            try batch.save(channel, source: channelSource(.eventChannelChanged))
        case .messageReceived(let message):
            guard try addReceived(message) else { return }
            if !channelsWithLastMessage.contains(message.channelURL) { try recordNewest(message) }
        case .messageUpdated(let message):
            if try isRelevant(message) {
                try applyMessage(message, messageSource(.eventMessageUpdated), .unknown)
            }
            if !channelsWithLastMessage.contains(message.channelURL) { try recordNewest(message) }
        case .messageChanged(let id, let url):
            try recordChanged(id, in: url)
            changedMessages.insert(id)
            report.channelsToBackfill.append(url)
        case .messageDeleted(let id, let url, let time):
            try delete(id, in: url, at: time, messageSource(.eventMessageDeleted))
            if !channelsWithLastMessage.contains(url) { try recordDeleted(id, in: url) }
        case .messageOrEditDeleted(let id, let url, let createdAt, let time):
            try recordChanges(byDeletionOf: id, in: url, createdAt: createdAt)
            try delete(id, in: url, at: time, messageSource(.eventMessageDeleted))
            if !channelsWithLastMessage.contains(url) { try recordDeleted(id, in: url) }
            report.channelsToBackfill.append(url)
        case .messagesDeleted(ofSender: let sender, in: let url, at: let time):
            let urls = if let url { [url] } else { try batch.channelURLs() }
            for url in urls {
                try deleteMessages(
                    of: sender, in: url, at: time,
                    changesLast: !channelsWithLastMessage.contains(url))
            }
        case .reaction(let reaction):
            if try applyReaction(reaction, messageSource(.eventReactionUpdated)) {
                report.channelsToBackfill.append(reaction.channelURL)
            }
        case .threadInfo(let thread):
            try changeThread(thread, by: event)
        case .truncation(let url):
            try openTruncation(in: url, since: previous)
            report.channelsToBackfill.append(url)
        case .historyChanged(let url, let from, let through):
            try changeHistory(of: url, from: from, through: through)
            report.channelsToBackfill.append(url)
        case .read(let userID, let url, let time):
            try recordRead(by: userID, in: url, at: time)
        case .delivered(let userID, let url, let time):
            try changeChannel(url, channelSource(.eventDeliveryReceiptUpdated)) {
                $0.deliveryReceipts.raise(userID, to: time)
            }
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

    /// Stores a new message, and returns whether it was relevant.
    private mutating func addReceived(_ message: Message) throws(StoreError) -> Bool {
        let isOwn = try batch.outboxItem(of: message, by: userID) != nil
        let source = messageSource(isOwn ? .eventMessageSent : .eventMessageReceived)
        guard try applyMessage(message, source, .unknown) else { return false }
        // The feed reports all reactions to a new message after the message itself.
        if let id = message.messageID {
            reactionChanges?.append(.insert(id, in: message.channelURL))
        }
        try recordReported(message)
        return true
    }

    /// Returns a Boolean value that indicates whether an edited message is stored, or its position
    /// is in a known or requested range of the history or of one of its kinds.
    func isRelevant(_ message: Message) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        if flights.hasRequests(in: url) { return true }
        guard try batch.isInGap(position, in: url) else { return true }
        if try batch.message(position.messageID, in: url) != nil { return true }
        // In the gap, the cache is to have each message of a kind that was fetched alone.
        // After an empty page, the cursor of the kind may have passed the message.
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
            // The time decides which summary is later. On some servers, the sender of a reply
            // chooses its time, so a summary with more replies may have an earlier time.
            try recordChanged(thread.parentMessageID, in: thread.channelURL)
        }
        try change(
            thread.parentMessageID, in: thread.channelURL, by: event,
            messageSource(.eventThreadInfoUpdated)
        ) { $0.apply(thread) }
        if stored == nil {
            try batch.limitKindCoverage(of: thread.channelURL, kinds: .thread)
        }
    }

    /// Removes all stored messages of a sender from a channel.
    ///
    /// If `changesLast` is true, the channel's last message may be one of them.
    ///
    /// - Complexity: O(*n*) in the number of the channel's stored messages.
    private mutating func deleteMessages(
        of sender: UserID, in url: ChannelURL, at time: Timestamp?, changesLast: Bool
    ) throws(StoreError) {
        // The answer to a request in flight may contain messages of the sender that are not stored.
        if flights.hasRequests(in: url) { flights.void(url) }
        for position in try batch.positions(in: url, from: .beginning, to: .end) {
            let message = try batch.message(position.messageID, in: url)
            guard message?.sender?.userID == sender else { continue }
            try delete(position.messageID, in: url, at: time, messageSource(.eventMessageDeleted))
        }
        guard changesLast, let last = try batch.groupChannel(url)?.lastMessage,
            last.sender?.userID == sender, let id = last.messageID
        else { return }
        try recordDeleted(id, in: url)
    }

    /// Marks a message as stale, because the feed has reported that it changed, but not its new
    /// content.
    private mutating func recordChanged(_ id: MessageID, in url: ChannelURL) throws(StoreError) {
        // The answer to a request in flight may contain the message before the change.
        if flights.hasRequests(in: url) { flights.void(url) }
        guard let position = try batch.message(id, in: url)?.position else {
            return try batch.limitKindCoverage(of: url)
        }
        try markStale(position, in: url)
    }

    /// Marks the messages as stale that the deletion of a message or of an edit has changed.
    ///
    /// If the message with the ID is stored, these are only the message that it replies to.
    /// Otherwise, they are the messages whose last edit has the time `createdAt`, and those whose
    /// thread may have had a reply at that time.
    private mutating func recordChanges(
        byDeletionOf id: MessageID, in url: ChannelURL, createdAt: Timestamp
    ) throws(StoreError) {
        if let held = try batch.message(id, in: url) {
            if let parent = held.parentMessageID { try recordChanged(parent, in: url) }
            return
        }
        try batch.limitKindCoverage(of: url)
        let older = try batch.messages(
            in: url, from: .beginning, to: Gap.Bound(after: createdAt), isNewestFirst: false)
        for message in older {
            let isEdited = message.updatedAt == createdAt
            let hasReply = message.threadInfo?.lastRepliedAt.map { createdAt <= $0 } ?? false
            guard let id = message.messageID, isEdited || hasReply else { continue }
            try recordChanged(id, in: url)
        }
    }

    /// Adds a gap that is newer than all known messages, because the feed has reported a
    /// truncation.
    ///
    /// If the server's clocks differ, omitted messages may be older than the gap. The known
    /// messages that are at most ``SyncOptions/clockSkew`` older than the gap therefore become
    /// stale, until a page covers them.
    mutating func openTruncation(
        in url: ChannelURL, since previous: FeedPoint?
    ) throws(StoreError) {
        flights.void(url)
        let lower = try newestKnownBound(of: url)
        try openNewestGap(
            in: url, from: lower, staleFrom: lower.earlier(by: options.clockSkew),
            since: previous)
    }

    /// Adds a gap from a bound to the newest end of a history, and marks the messages between
    /// `oldest` and that bound as stale.
    private mutating func openNewestGap(
        in url: ChannelURL, from lower: Gap.Bound, staleFrom oldest: Gap.Bound,
        since previous: FeedPoint? = nil
    ) throws(StoreError) {
        try batch.open(Gap(in: url, from: lower, to: .end, changesSince: previous))
        // The server may have accepted messages between a gap's backfill cursor and its upper bound,
        // so restart the backfill at that bound.
        for var gap in try batch.gaps(in: url)
        where gap.backfillCursor != nil && oldest < gap.upper {
            gap.backfillCursor = nil
            try batch.update(gap)
        }
        try markStale(from: oldest, to: lower, in: url)
        batch.setUnreported(nil, of: url)
        invalidateKnowledge(of: url)
    }

    /// Marks the messages between two bounds as stale.
    ///
    /// The epoch 0 means that no cursor was lost.
    private func markStale(
        from lower: Gap.Bound, to upper: Gap.Bound, in url: ChannelURL
    ) throws(StoreError) {
        guard lower < upper else { return }
        try batch.markStale(StaleRange(in: url, from: lower, to: upper, epoch: 0))
    }

    /// Returns the upper bound of the newest known range; the beginning of the history if no range
    /// is known.
    private func newestKnownBound(of url: ChannelURL) throws(StoreError) -> Gap.Bound {
        let gap = try batch.firstGap(below: .end, in: url)
        let unreported = try batch.unreported(of: url)
        let newest = try newestReported(in: url, before: unreported).map(Gap.Bound.position)
        var bound = newest ?? .beginning
        if let gap, gap.upper == .end {
            bound = gap.lower
        } else if let gap, unreported.map({ gap.upper < .position($0) }) ?? true {
            // The feed has reported all messages that are newer than the gap, unless the gap is due
            // to a push.
            bound = max(bound, gap.upper)
        }
        return bound
    }

    /// Records that a range of a history has changed without an event for each message.
    ///
    /// The range is from the time `from` through the time `through`; `nil` stands for an end of the
    /// history. The stored part of the range becomes stale. If the range extends beyond the newest
    /// stored message, a gap is added there.
    private mutating func changeHistory(
        of url: ChannelURL, from: Timestamp?, through: Timestamp?
    ) throws(StoreError) {
        // Answers to earlier requests may show the history before the change.
        flights.void(url)
        let lower = from.map { Gap.Bound(before: $0) } ?? .beginning
        let upper = through.map { Gap.Bound(after: $0) } ?? .end
        // If the bounds are not in order, the whole history may have changed.
        let range = lower < upper ? (lower, upper) : (.beginning, .end)
        let newest = try newestKnownBound(of: url)
        if newest < range.1 { try openNewestGap(in: url, from: newest, staleFrom: newest) }
        for var gap in try batch.gaps(in: url)
        where gap.backfillCursor != nil && gap.lower < range.1 && range.0 < gap.upper {
            // If the backfill continued at its cursor, it would skip new messages that are newer
            // than the cursor.
            gap.backfillCursor = nil
            try batch.update(gap)
        }
        // Extend the range by a millisecond, so that it is fetched as a page: messages may have
        // been added. A stale range with a single position is fetched by looking up its message, as
        // after `recordChanged`.
        try markKnownHistoryStale(of: url, from: range.0.earlier(by: .milliseconds(1)), to: range.1)
    }

    // MARK: Messages that arrive before the feed reports them

    /// Records that the feed has reported a message, and therefore all messages that the server
    /// accepted before it.
    private func recordReported(_ message: Message) throws(StoreError) {
        guard let position = message.position,
            let unreported = try batch.unreported(of: message.channelURL), unreported <= position
        else { return }
        let next = try batch.neighbor(
            of: position, in: message.channelURL, isOlder: false)
        batch.setUnreported(next, of: message.channelURL)
    }

    /// Returns the position of the newest stored message that the feed has reported.
    func newestReported(
        in url: ChannelURL, before unreported: Position?
    ) throws(StoreError) -> Position? {
        guard let unreported else { return try batch.newestPosition(in: url) }
        return try batch.neighbor(of: unreported, in: url, isOlder: true)
    }
}

extension Message {
    /// A Boolean value that indicates whether the message may be a channel's last message.
    ///
    /// Replies and silent messages may not.
    var countsAsLast: Bool {
        (parentMessageID == nil || isReplyToChannel) && (!isSilent || forcesLastMessage)
    }
}

extension [UserID: Timestamp] {
    /// Sets the time of a user, unless the user has a later one.
    mutating func raise(_ userID: UserID, to time: Timestamp) {
        self[userID] = Swift.max(self[userID] ?? .distantPast, time)
    }
}

extension Gap.Bound {
    /// Returns the bound that is older than this one by a duration.
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
