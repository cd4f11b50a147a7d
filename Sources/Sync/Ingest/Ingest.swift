import Models
import Store

/// Merges data of the server into a write batch.
///
/// All data of the server enters the store through this type: data of the feed, pages, changelogs,
/// lookups, imports and pushes. The result depends neither on the order in which data arrives nor
/// on repetitions: a stored message is replaced only by a copy that is at least as new, a deleted
/// message stays deleted, and messages that are older than the user's history are rejected.
struct Ingest {
    let batch: Batch
    let options: SyncOptions
    /// The ID of the user; `nil` if unknown.
    let userID: UserID?
    var flights: Flights
    /// The changes to make to ``KnownReactions`` when the write has succeeded; `nil` if the server
    /// returns messages with their reactions.
    var reactionChanges: [KnownReactions.Change]?
    /// The IDs of the outbox items that change an unsent message, by the request ID of that
    /// message.
    let changes: [RequestID: [RequestID]]
    /// The items that this batch has removed from the outbox, with their delivery results.
    private(set) var endedItems: [(item: OutboxItem, result: DeliveryResult)] = []
    /// The group channels that this batch has added.
    var addedChannels: [ChannelURL] = []
    /// The channels in which this batch has opened a gap around a message, or kept a copy that must
    /// be confirmed.
    private(set) var dividedChannels: [ChannelURL] = []
    /// A Boolean value that indicates whether the data comes from the feed.
    var isFeed = false
    /// A Boolean value that indicates whether the feed reports events that were missed without a
    /// connection, rather than live events.
    var isCatchingUp = false
    /// The messages that the feed has reported as changed, in this batch.
    var changedMessages: Set<MessageID> = []
    /// A Boolean value that indicates whether the messages were received alone, that is, without
    /// the messages next to them in the history.
    var isAlone = false
    private var channels: [ChannelURL: ChannelKnowledge] = [:]

    /// The state of a channel that determines whether a message is stored.
    struct ChannelKnowledge {
        /// The bound at which the user's history begins; `nil` for the beginning of the channel's
        /// history.
        var beginning: Gap.Bound?
        var hasTombstones: Bool
        var stale: [StaleRange]
        /// The server's former epoch; `nil` if no stale range can have messages of it.
        var formerEpoch: FormerEpoch?
        /// The part of the history that the feed has reported; `nil` if it was not determined yet.
        var feedState: FeedState?

        /// Returns a Boolean value that indicates whether a stored message at a position may belong
        /// to a history that the server no longer has.
        ///
        /// If the server's history was not rolled back, a stale message belongs to the current
        /// history, and its version can be compared with others.
        func mayBeOfAnotherHistory(_ position: Position?) -> Bool {
            guard let formerEpoch else { return false }
            return stale.contains { formerEpoch.losses.contains($0.epoch) && $0.contains(position) }
        }
    }

    /// The part of a history that the feed has reported.
    struct FeedState {
        /// The gap at the newest end of the history; `nil` if there is none.
        ///
        /// The feed may have reported messages in this gap.
        var gap: Gap?
        /// The position of the newest stored message that the feed has reported.
        var newest: Position?
        /// The position of the oldest stored message that the feed has not reported.
        var unreported: Position?
    }

    /// The age of the data to store, compared with the stored data.
    enum Freshness {
        /// The data is at least as new as the stored data, because the feed has reported nothing
        /// since the request.
        case fresh
        /// The data may be older than the stored data.
        case unknown
        /// An untrusted copy was stored since the request, and either copy may be newer.
        ///
        /// If the stored copy is newer, it is kept, and becomes stale until a lookup confirms it.
        case unconfirmed
        /// The data may be older than events that the feed has reported earlier, so it does not
        /// prove that a message still exists.
        case untrusted
    }

    init(
        _ batch: Batch, _ options: SyncOptions, _ userID: UserID?, _ flights: Flights,
        hasSeparateReactions: Bool = false,
        changes: [RequestID: [RequestID]] = [:]
    ) {
        self.batch = batch
        self.options = options
        self.userID = userID
        self.flights = flights
        reactionChanges = hasSeparateReactions ? [] : nil
        self.changes = changes
    }

    // MARK: Channels

    mutating func knowledge(of url: ChannelURL) throws(StoreError) -> ChannelKnowledge {
        if let known = channels[url] { return known }
        let stale = try batch.staleRanges(in: url)
        let knowledge = ChannelKnowledge(
            beginning: try batch.groupChannel(url)?.historyBeginning,
            hasTombstones: try batch.hasTombstones(in: url), stale: stale,
            formerEpoch: stale.contains { $0.epoch > 0 } ? try batch.formerEpoch() : nil)
        channels[url] = knowledge
        return knowledge
    }

    mutating func invalidateKnowledge(of url: ChannelURL) { channels[url] = nil }

    /// Determines which part of the history the feed has reported, before messages are added.
    private mutating func loadFeedState(of url: ChannelURL) throws(StoreError) {
        guard channels[url]?.feedState == nil else { return }
        let gap = try batch.firstGap(below: .end, in: url)
        let unreported = try batch.unreported(of: url)
        let newest = try newestReported(in: url, before: unreported)
        channels[url]?.feedState = FeedState(
            gap: gap?.upper == .end ? gap : nil, newest: newest, unreported: unreported)
    }

    /// Records the position of a stored message that the feed has not reported yet.
    ///
    /// Messages that the server accepted just before this message may be missing.
    private mutating func recordUnreported(_ position: Position, in url: ChannelURL) {
        guard let feedState = channels[url]?.feedState else { return }
        // If a gap at the newest end contains the message, a truncation adds a gap that includes
        // the message even if its position is not recorded. A message that was received alone is
        // recorded nevertheless, because it may stay stored after that gap was closed.
        if !isAlone, feedState.gap?.contains(position) ?? false { return }
        if let newest = feedState.newest, position < newest { return }
        if let unreported = feedState.unreported, unreported <= position { return }
        batch.setUnreported(position, of: url)
        channels[url]?.feedState?.unreported = position
    }

    // MARK: Messages

    /// Stores a message, unless a newer version is known.
    ///
    /// - Returns: `true` if the message is now stored, in the given version or a newer one.
    @discardableResult
    mutating func apply(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        let known = try knowledge(of: url)
        guard try admit(message, at: position, known, freshness) else { return false }
        if !isFeed { try loadFeedState(of: url) }
        // An answer that is not fresh may be older than events that were reported since the
        // request.
        let isCurrent = freshness == .fresh || isFeed
        let isReverted = isFeed && changedMessages.contains(position.messageID)
        let hasSeparateReactions = reactionChanges != nil
        var isHeld = false
        var isNew = false
        var isConfirmed = isCurrent || freshness == .unconfirmed
        do throws(StoreError) {
            let saved = try batch.save(message, source: source) { held in
                let mayBeAnother = known.mayBeOfAnotherHistory(held.position)
                // Messages do not move: the ID belongs to another message now.
                let isReused = mayBeAnother && held.position != position
                isHeld = !isReused
                if isReused || isCurrent && mayBeAnother { return message }
                var message = message
                if hasSeparateReactions { message.reactionHistory = held.reactionHistory }
                // The version may be earlier than the stored one, because edits can be removed.
                if freshness == .fresh || isReverted { return held.replaced(by: message) }
                // If the times are equal, the feed's version is newer.
                let merged = isFeed ? held.merged(with: message) : message.merged(with: held)
                if freshness == .unconfirmed, merged != held.replaced(by: message) {
                    isConfirmed = false
                }
                return merged
            }
            isNew = saved != nil && !isHeld
            if isNew, !isFeed { recordUnreported(position, in: url) }
        } catch {
            // Skip a message that the store rejects as invalid. If this threw an error, none of the
            // following messages could be stored.
            guard error.code == .invalid else { throw error }
            return false
        }
        // Record the message for requests in flight, even if it has not changed.
        if freshness == .untrusted {
            flights.recordUnconfirmed(position.messageID, in: url, isNew: isNew)
        } else {
            flights.recordTouched(position.messageID, in: url)
        }
        if freshness == .unconfirmed, !isConfirmed {
            try markStale(position, in: url)
            dividedChannels.append(url)
        }
        // A reverted message stays stale: a later answer may still contain the removed edit.
        if isConfirmed, !isReverted, !known.stale.isEmpty { try verify(position, in: url) }
        try acknowledge(message)
        return true
    }

    /// Returns a Boolean value that indicates whether a message may be stored: if it is not older
    /// than the user's history, and has no valid tombstone.
    ///
    /// If the message exists again, its tombstone is removed.
    private func admit(
        _ message: Message, at position: Position, _ known: ChannelKnowledge,
        _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        let url = message.channelURL
        if let beginning = known.beginning, .position(position) < beginning { return false }
        guard known.hasTombstones,
            let tombstone = try batch.tombstone(of: position.messageID, in: url)
        else { return true }
        // The answer to a request that was made after the deletion proves that the message exists
        // again. An event of the feed does not prove it, because the feed may repeat earlier
        // events.
        guard isFeed ? message.version > tombstone.deletedAt : freshness == .fresh else {
            return false
        }
        try batch.removeTombstone(of: position.messageID, in: url)
        return true
    }

    /// Returns a Boolean value that indicates whether a message may have been deleted before the
    /// cache was replaced, so that its tombstone is gone.
    ///
    /// Such a message is not stored until the server returns it.
    func mayBeDeleted(_ message: Message) throws(StoreError) -> Bool {
        guard let replacedAt = try batch.replacedAt(), let position = message.position,
            position.createdAt.earlier(by: options.clockSkew) <= replacedAt
        else { return false }
        return try batch.message(position.messageID, in: message.channelURL) == nil
    }

    /// Stores a message that was received alone.
    ///
    /// The message is stored in a gap, because messages between it and the known history may be
    /// missing. If no newer message is stored, the gap ends at the message, so that a page that
    /// closes the gap does not find out whether the message exists. An untrusted message then also
    /// becomes stale.
    @discardableResult
    mutating func applyAlone(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        let isHeld = try batch.message(position.messageID, in: url)?.position == position
        isAlone = true
        defer { isAlone = false }
        guard try apply(message, source, freshness) else { return false }
        if !isHeld, try !batch.isInGap(position, in: url) {
            let lower = try batch.neighbor(of: position, in: url, isOlder: true)
            let upper = try batch.neighbor(of: position, in: url, isOlder: false)
            try batch.open(
                Gap(
                    in: url, from: lower.map(Gap.Bound.position) ?? .beginning,
                    to: .position(upper ?? position)))
            invalidateKnowledge(of: url)
            dividedChannels.append(url)
            if upper == nil, freshness == .untrusted { try markStale(position, in: url) }
        }
        return true
    }

    /// Removes the outbox item that a message acknowledges.
    private mutating func acknowledge(_ message: Message) throws(StoreError) {
        if let item = try outboxItem(of: message) { try end(item, with: .sent(message)) }
    }

    /// Returns the outbox item from which a message was created; `nil` if the outbox does not
    /// contain it.
    func outboxItem(of message: Message) throws(StoreError) -> OutboxItem? {
        guard let userID, message.sender?.userID == userID, let id = message.requestID,
            let item = try batch.readableOutboxItem(id), item.isUnderstood, item.operation == .send,
            item.channelURL == message.channelURL
        else { return nil }
        return item
    }

    /// Removes an outbox item, and records its delivery result, unless this batch has already done
    /// so.
    mutating func end(_ item: OutboxItem, with result: DeliveryResult) throws(StoreError) {
        guard !endedItems.contains(where: { $0.item.requestID == item.requestID }) else { return }
        let source = item.operation == .request ? nil : result.source(of: item)
        try batch.removeOutboxItem(item.requestID, source: source)
        if case .sent(let message) = result, item.operation == .send {
            // Save the message's ID in the outbox items that change the message. They could not
            // look it up in the cache later: the cache may not contain the message, or may lose its
            // row in a power failure.
            for id in changes[item.requestID] ?? [] {
                guard var change = try batch.readableOutboxItem(id) else { continue }
                change.messageID = message.messageID
                change.targetEpoch = try batch.lastEpoch()
                try batch.save(change)
            }
        }
        endedItems.append((item, result))
    }

    /// Removes a message from the stale ranges, because the server has just returned it.
    private mutating func verify(_ position: Position, in url: ChannelURL) throws(StoreError) {
        guard let range = channels[url]?.stale.first(where: { $0.contains(position) }) else {
            return
        }
        // The rest of a range without missing messages is only stale if it has other messages.
        var isWhole = range.epoch == StaleRange.singleMessage
        if isWhole {
            let held = try batch.positions(in: url, from: range.lower, to: range.upper)
            isWhole = held == [position]
        }
        let bound = Gap.Bound.position(position)
        try batch.markVerified(
            url, from: isWhole ? range.lower : bound, through: isWhole ? range.upper : bound)
        channels[url]?.stale = try batch.staleRanges(in: url)
    }

    /// Removes a message, and saves a tombstone if an older copy might arrive.
    mutating func delete(
        _ id: MessageID, in url: ChannelURL, at time: Timestamp?, _ source: CollectionEventSource?
    ) throws(StoreError) {
        let held = try batch.message(id, in: url)
        // After a loss of the history, the ID may belong to another message, which the answer to a
        // request in flight may contain.
        var isOfAnotherHistory = false
        if time == nil {
            isOfAnotherHistory = try knowledge(of: url).mayBeOfAnotherHistory(held?.position)
        }
        let isHeld = try batch.removeMessage(id, in: url, source: source)
        if !isOfAnotherHistory { flights.recordDeleted(id, in: url) }
        guard isHeld, !isOfAnotherHistory else { return }
        // A deletion at an unknown time counts as later than every version.
        let deletedAt = time.map { max($0, held?.version ?? $0) } ?? .distantFuture
        try batch.save(
            Tombstone(id, in: url, deletedAt: deletedAt, position: held?.position))
        channels[url]?.hasTombstones = true
    }

    /// Applies an event to a stored message.
    mutating func change(
        _ id: MessageID, in url: ChannelURL, by event: FeedEvent, _ source: CollectionEventSource,
        _ change: (inout Message) -> Bool
    ) throws(StoreError) {
        // Record the event, because the answer to an earlier request may contain this message
        // without it.
        flights.record(event, of: id, in: url)
        guard var message = try batch.message(id, in: url) else { return }
        guard change(&message) else { return }
        try batch.save(message, source: source)
    }

    /// Applies a reaction event to a stored message.
    ///
    /// On servers that return reactions separately, the events of a reaction may arrive out of
    /// order: federated servers have different clocks, and the answer to the user's own request may
    /// arrive before the feed reports an earlier event of another user. An older event cannot be
    /// merged, because a message does not contain the time of each user's reaction. If the event is
    /// not part of the stored reactions, they therefore have to be requested again.
    ///
    /// - Returns: `true` if the reactions have to be requested again.
    mutating func apply(
        _ reaction: ReactionEvent, _ source: CollectionEventSource
    ) throws(StoreError) -> Bool {
        let (id, url) = (reaction.messageID, reaction.channelURL)
        var isMissing = false
        try change(id, in: url, by: .reaction(reaction), source) { message in
            if message.apply(reaction) { return true }
            isMissing = !message.reflects(reaction)
            return false
        }
        guard isMissing, reactionChanges != nil else { return false }
        reactionChanges?.append(.remove(id, in: url))
        return true
    }
}

extension Ingest {
    /// Applies the answer to the user's own reaction to a stored message.
    ///
    /// The feed reports the reaction again, after older reactions of other users. The stored
    /// reaction therefore keeps the time of the last reported one, so that these are not rejected.
    /// If the server returns reactions separately, they are requested again instead.
    ///
    /// - Returns: `true` if the reactions have to be requested again.
    mutating func apply(answered reaction: ReactionEvent) throws(StoreError) -> Bool {
        guard reactionChanges == nil else { return try apply(reaction, .eventReactionUpdated) }
        let held = try batch.message(reaction.messageID, in: reaction.channelURL)
        let reported = held?.reactionHistory.first { $0.key == reaction.key }
        // No reaction is older than its message, except for the difference of two clocks.
        let earliest = held?.createdAt.earlier(by: options.clockSkew) ?? 0
        var reaction = reaction
        reaction.updatedAt = min(reaction.updatedAt, reported?.updatedAt ?? earliest)
        return try apply(reaction, .eventReactionUpdated)
    }
}

extension Message {
    /// Returns a Boolean value that indicates whether the user of a reaction event has the reaction
    /// if the event adds it, and does not have it if the event removes it.
    ///
    /// If the message only has the number of users, the result is `true`.
    func reflects(_ event: ReactionEvent) -> Bool {
        guard let reaction = reactionHistory.first(where: { $0.key == event.key }) else {
            return event.operation == .delete
        }
        return reaction.totalCount != nil
            || reaction.userIDs.contains(event.userID) == (event.operation == .add)
    }
}

extension GroupChannel {
    /// The bound at which the user's history begins; `nil` for the channel's first message.
    var historyBeginning: Gap.Bound? {
        historyOffset.map { .position(Position(createdAt: $0, messageID: "")) }
    }
}

extension StaleRange {
    func contains(_ position: Position?) -> Bool {
        guard let position else { return false }
        return lower < .position(position) && .position(position) < upper
    }
}
