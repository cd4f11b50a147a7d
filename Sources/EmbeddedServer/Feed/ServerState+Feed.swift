import Models
import Store

extension ServerState {
    /// The maximum number of a batch's entries that do not concern the user.
    private static let maximumSkippedEntryCount = 10_000

    private static let emptyBatches = 1000

    /// Returns the next batch; with a `session`, also events that are not stored.
    func feed(
        for userID: UserID, since cursor: FeedCursor?, session: Session? = nil
    ) throws(BackendError) -> FeedBatch {
        _ = try account(userID)
        var start = LogCursor(counters.sequence)
        if let cursor {
            start = try LogCursor(cursor.rawValue, counters)
        } else {
            start.beginning = ""
        }
        let batch =
            if start.beginning == nil {
                try feed(for: userID, from: start, session)
            } else {
                try beginning(for: userID, at: start)
            }
        session?.isLive = batch.isLive
        return batch
    }

    /// Returns the next batch, and skips empty ones.
    private func feed(
        for userID: UserID, from start: LogCursor, _ session: Session?
    ) throws(BackendError) -> FeedBatch {
        var batch = try feed(for: userID, after: start, session)
        var left = Self.emptyBatches
        // A batch is empty if a truncation omits all of its messages.
        while batch.events.isEmpty, !batch.isLive, left > 0 {
            left -= 1
            let next = try LogCursor(batch.cursor.rawValue, counters)
            batch = try feed(for: userID, after: next, session)
        }
        return batch
    }

    private func feed(
        for userID: UserID, after start: LogCursor, _ session: Session?
    ) throws(BackendError) -> FeedBatch {
        var builder = FeedBuilder(self, userID, entered: session?.entered ?? [:])
        var next = LogCursor(start.sequence)
        next.absence = absence(at: start)
        let truncations = next.absence.map { FeedTruncations($0, userID) }
        var left = conditions.feedBatchSize
        var leftToSkip = Self.maximumSkippedEntryCount
        var isAtEnd = true
        var entries: [(LogSequence, LogEntry)] = []
        if start.sequence < counters.sequence {
            try scanLog(from: start.sequence + 1) { sequence, entry in
                guard left > 0, leftToSkip > 0 else {
                    isAtEnd = false
                    return false
                }
                next.sequence = sequence
                if builder.channel(of: entry, sequence) != nil || entry.isLoss(for: userID) {
                    left -= 1
                    entries.append((sequence, entry))
                } else {
                    leftToSkip -= 1
                }
                return true
            }
        }
        for (sequence, entry) in entries {
            if let truncations, try truncations.hides(entry, at: sequence, of: self, &builder) {
                continue
            }
            try builder.add(entry, sequence)
        }
        if isAtEnd { next.sequence = counters.sequence }
        if let absence = next.absence, next.sequence >= absence.upTo { next.absence = nil }
        try builder.finish()
        if next.sequence == start.sequence { next.live = start.live }
        if isAtEnd, let session, session.hasPendingEvents {
            addPendingEvents(of: session, to: &builder)
            // A live event is not in the log and is reported once, so it needs its own cursor.
            if next.sequence == start.sequence { next.live &+= 1 }
        }
        return batch(builder, next, isLive: isAtEnd)
    }

    /// Returns the range of missed entries, if the feed limits the messages of such ranges.
    private func absence(at start: LogCursor) -> LogCursor.Absence? {
        if let absence = start.absence, absence.upTo > start.sequence { return absence }
        guard let limit = conditions.feedLimit else { return nil }
        return LogCursor.Absence(after: start.sequence, upTo: counters.sequence, limit: limit)
    }

    private func batch(_ builder: FeedBuilder, _ next: LogCursor, isLive: Bool) -> FeedBatch {
        FeedBatch(
            events: builder.events, cursor: FeedCursor(next.text(counters.epoch)), epoch: epoch,
            isLive: isLive)
    }

    private func addPendingEvents(of session: Session, to builder: inout FeedBuilder) {
        for number in session.typingChanged.sorted() {
            guard let channel = channels[number],
                channel.members[session.userID] != nil || session.entered[number] != nil
            else { continue }
            let others = channel.typing.filter { $0 != session.userID }
            builder.add(
                live: .typing(others.compactMap { accounts[$0]?.user }, in: channel.url))
        }
        for number in session.openChannelsChanged.sorted() {
            guard let channel = channels[number], session.entered[number] != nil else { continue }
            builder.add(live: .openChannel(view(channel)))
            guard let changed = session.participantsChanged[number] else { continue }
            func users(_ hasEntered: Bool) -> [User] {
                changed.filter { $0.value == hasEntered }.keys.sorted()
                    .compactMap { accounts[$0]?.user }
            }
            builder.add(
                live: .participants(entered: users(true), exited: users(false), in: channel.url))
        }
        session.typingChanged = []
        session.openChannelsChanged = []
        session.participantsChanged = [:]
    }
}

extension LogEntry {
    fileprivate func isLoss(for userID: UserID) -> Bool {
        guard only == userID, case .lost = event else { return false }
        return true
    }
}

// MARK: The beginning

extension ServerState {
    /// Returns a part of the initial channel list, sorted by the newest message.
    private func beginning(
        for userID: UserID, at start: LogCursor
    ) throws(BackendError) -> FeedBatch {
        var builder = FeedBuilder(self, userID, entered: [:])
        let last = start.beginning.flatMap { ChannelListCursor(text: $0) }
        let order = try channelOrder(for: userID, at: start.sequence, isFirst: last == nil)
        let cursors = order.drop { channel in last.map { !$0.key.precedes(channel.key) } ?? false }
        for listed in cursors.prefix(conditions.feedBatchSize) {
            guard let channel = channels[listed.channel],
                accounts[userID]?.channels.contains(listed.channel) ?? false
            else { continue }
            try builder.addWhole(channel)
        }
        var next = start
        if cursors.count > conditions.feedBatchSize {
            next.beginning = cursors.prefix(conditions.feedBatchSize).last?.text
            return batch(builder, next, isLive: false)
        }
        // No other part contains the channels that have moved to the top of the list since.
        if last != nil {
            for number in accounts[userID]?.channels.sorted() ?? [] {
                guard let channel = channels[number],
                    try lastSequence(of: channel) > start.sequence
                else { continue }
                try builder.addWhole(channel)
            }
        }
        builder.addAllChannels()
        next.beginning = nil
        newestOrder = nil
        let isLive = next.sequence == counters.sequence
        try builder.finish()
        return batch(builder, next, isLive: isLive)
    }

    /// Returns the order of the list, which all of its parts share: sorting it for each part would
    /// take quadratic time.
    private func channelOrder(
        for userID: UserID, at sequence: LogSequence, isFirst: Bool
    ) throws(BackendError) -> [ChannelListCursor] {
        if !isFirst, let known = newestOrder, known.userID == userID, known.sequence == sequence {
            return known.cursors
        }
        var cursors = try channelListCursors(
            for: userID, order: .latestLastMessage, metaDataKey: nil)
        cursors.sort { $0.key.precedes($1.key) }
        newestOrder = (userID, sequence, cursors)
        return cursors
    }
}
