import Models
import Store

/// Merges data of the server into a write batch.
///
/// All data of the server enters the store here. The result depends neither on the order in which
/// data arrives nor on repetitions: a stored message is replaced only by a copy that is at least as
/// new; `admit` decides which deleted and old messages are rejected.
struct Ingest {
    let batch: Batch
    let options: SyncOptions
    let userID: UserID?
    /// The latest time that a message can have: the sender's server may choose any time.
    let latestTime: Timestamp
    var flights: Flights
    /// The changes to apply after the write; `nil` if messages come with their reactions.
    var reactionChanges: [KnownReactions.Change]?
    /// The outbox items that change an unsent message, by the message's request ID.
    let changesOfUnsent: [RequestID: [RequestID]]
    private(set) var endedItems: [(item: OutboxItem, result: DeliveryResult)] = []
    /// The URLs of the files of deleted messages and of replaced versions, and of the thumbnails.
    private(set) var unusedDownloads: [String] = []
    var addedChannels: [ChannelURL] = []
    /// The channels in which a gap was opened around a message, or a copy must be confirmed.
    private(set) var dividedChannels: [ChannelURL] = []
    /// The messages that answers contained and did not confirm.
    private(set) var unconfirmed: [ChannelURL: [Position]] = [:]
    var isFeed = false
    /// True while the feed reports events that were missed without a connection.
    var isCatchingUp = false
    /// The messages that this batch of the feed reports as changed, without their content.
    var changedMessages: Set<MessageID> = []
    /// The messages that were deleted since the last messages of channels were examined.
    var deletedMessages: [ChannelURL: Set<MessageID>] = [:]
    /// True while a message is stored that came neither from the feed nor on a page.
    var isAlone = false
    private var channels: [ChannelURL: ChannelKnowledge] = [:]

    struct ChannelKnowledge {
        /// The bound at which the user's history begins; `nil` for the beginning of the channel.
        var beginning: Gap.Bound?
        var hasTombstones: Bool
        var stale: [StaleRange]
        /// The server's former epoch; `nil` if no stale range can have messages of it.
        var formerEpoch: FormerEpoch?
        /// The part of the history that the feed has reported, once determined.
        var feedState: FeedState?

        /// Returns whether a stored message may belong to a history that the server no longer has;
        /// without a rollback, versions of stale messages are comparable.
        func mayBeOfAnotherHistory(_ position: Position?) -> Bool {
            guard let formerEpoch else { return false }
            return stale.contains {
                formerEpoch.losses.contains($0.lossNumber) && $0.contains(position)
            }
        }
    }

    struct FeedState {
        /// The gap at the newest end, in which the feed may have reported messages.
        var gap: Gap?
        /// The newest message that the feed has reported.
        var newest: Position?
        /// The oldest stored message that the feed has not reported.
        var unreported: Position?
    }

    enum Freshness {
        /// The data is at least as new as the stored data.
        case fresh
        /// The data may be older than the stored data.
        case unknown
        /// An untrusted copy was stored since the request, and either copy may be newer. If the
        /// stored one is kept, it becomes stale until a lookup confirms it.
        case unconfirmed
        /// The data may be older than events that the feed has reported, so it does not prove that
        /// a message still exists.
        case untrusted
    }

    private static let replacementMargin = Duration.seconds(24 * 60 * 60)

    init(
        _ batch: Batch, _ options: SyncOptions, of userID: UserID?, _ flights: Flights,
        hasSeparateReactions: Bool = false,
        changesOfUnsent: [RequestID: [RequestID]] = [:], now: Timestamp = .distantFuture
    ) {
        self.batch = batch
        self.options = options
        latestTime = options.latestTime(at: now)
        self.userID = userID
        self.flights = flights
        reactionChanges = hasSeparateReactions ? [] : nil
        self.changesOfUnsent = changesOfUnsent
    }

    // MARK: Channels

    mutating func knowledge(of url: ChannelURL) throws(StoreError) -> ChannelKnowledge {
        if let known = channels[url] { return known }
        let stale = try batch.staleRanges(in: url)
        let knowledge = ChannelKnowledge(
            beginning: try batch.groupChannel(url)?.historyBeginning,
            hasTombstones: try batch.hasTombstones(in: url), stale: stale,
            formerEpoch: stale.contains { $0.lossNumber > 0 } ? try batch.formerEpoch() : nil)
        channels[url] = knowledge
        return knowledge
    }

    mutating func invalidateKnowledge(of url: ChannelURL) { channels[url] = nil }

    /// Loads the feed's state, before messages are added.
    private mutating func loadFeedState(of url: ChannelURL) throws(StoreError) {
        guard channels[url]?.feedState == nil else { return }
        let gap = try batch.firstGap(below: .end, in: url)
        let unreported = try batch.unreported(of: url)
        let newest = try newestReported(in: url, before: unreported)
        channels[url]?.feedState = FeedState(
            gap: gap?.upper == .end ? gap : nil, newest: newest, unreported: unreported)
    }

    /// Records a stored message that the feed has not reported yet: messages that the server
    /// accepted just before it may be missing.
    private mutating func recordUnreported(_ position: Position, in url: ChannelURL) {
        guard let feedState = channels[url]?.feedState else { return }
        // A truncation adds a gap that includes any message in a gap at the newest end. A message
        // that was received alone may outlast that gap, so its position is recorded nevertheless.
        if !isAlone, feedState.gap?.contains(position) ?? false { return }
        if let newest = feedState.newest, position < newest { return }
        if let unreported = feedState.unreported, unreported <= position { return }
        batch.setUnreported(position, of: url)
        channels[url]?.feedState?.unreported = position
    }

    // MARK: Messages

    /// Stores a message, unless a newer version is known, and returns `true` if it is now stored,
    /// in the given version or a newer one, or if a newer message now has its ID.
    ///
    /// With `isSent`, the server has just accepted the message from the user. The beginning of the
    /// history and the tombstones are then ignored, because they may be of an earlier epoch.
    @discardableResult
    mutating func applyMessage(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness,
        isSent: Bool = false
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        var known = try knowledge(of: url)
        if isSent { known.beginning = nil }
        guard try admit(message, at: position, known, freshness, isSent: isSent)
        else { return false }
        if !isFeed { try loadFeedState(of: url) }
        let item = try batch.outboxItem(of: message, by: userID)
        let isUnverified = isAlone && freshness == .untrusted && !isSent
        var message = message
        if isUnverified {
            // The user's changes of the pending message would be sent as changes of this one.
            if let item, changesOfUnsent[item.requestID] != nil { return false }
            // Changes that name its request ID would be sent for this message, too.
            if item == nil { message.requestID = nil }
            if reactionChanges != nil { message.reactionHistory = [] }
        }
        var merge = MessageMerge(
            of: message, at: position, known, in: self, freshness: freshness,
            isUnverified: isUnverified, endsItem: item != nil)
        var isNew = false
        do throws(StoreError) {
            let saved = try batch.save(message, source: source) { merge.merged(with: $0) }
            if let saved { unusedDownloads += merge.replacedFiles(by: saved).downloadKeys }
            isNew = saved != nil && !merge.isStored
            if isNew, !isFeed { recordUnreported(position, in: url) }
        } catch {
            // If this threw an error, none of the following messages could be stored.
            guard error.code == .invalid else { throw error }
            return false
        }
        if let contradicted = merge.contradicted {
            // Only a lookup can show which of the messages has the ID.
            try markStale(contradicted, in: url)
            dividedChannels.append(url)
            return false
        }
        let isUntrusted = merge.freshness == .untrusted
        let isUnclear = merge.freshness == .unconfirmed && !merge.isConfirmed
        // Also record an unchanged message, for the requests in flight.
        flights.record(
            isUntrusted || isUnclear ? .unconfirmed(isNew: isNew) : .touched,
            of: position.messageID, in: url)
        if isUnclear || isUntrusted && merge.mustBeConfirmed {
            try markStale(position, in: url)
            dividedChannels.append(url)
        }
        if !isFeed, !merge.isConfirmed { unconfirmed[url, default: []].append(position) }
        // A reverted message stays stale: a later answer may still contain the removed edit.
        if merge.isConfirmed, !merge.isReverted, !known.stale.isEmpty {
            try removeFromStale(position, in: url)
        }
        if let item { try removeEnded(item, with: .sent(message)) }
        return true
    }

    /// Returns whether a message may be stored: it is not older than the user's history, and has no
    /// valid tombstone.
    ///
    /// If the message exists again, its tombstone is removed.
    private func admit(
        _ message: Message, at position: Position, _ known: ChannelKnowledge,
        _ freshness: Freshness, isSent: Bool
    ) throws(StoreError) -> Bool {
        let url = message.channelURL
        if let beginning = known.beginning, .position(position) < beginning { return false }
        guard known.hasTombstones,
            let tombstone = try batch.tombstone(of: position.messageID, in: url)
        else { return true }
        // The tombstone may be that of an earlier epoch's message with the same ID.
        if isSent { return true }
        if isFeed {
            // The feed may repeat earlier events. A message at another position is another message,
            // whose ID a false push had named.
            let isOther = tombstone.position.map { $0 != position } ?? false
            guard isOther || message.version > tombstone.deletedAt else { return false }
        } else {
            // Only the answer to a request made after the deletion proves that the message exists
            // again.
            guard freshness == .fresh else { return false }
        }
        try batch.removeTombstone(of: position.messageID, in: url)
        return true
    }

    /// Returns whether a message may have been deleted before the tombstones were replaced or
    /// cleared, so that only the server knows whether it exists.
    ///
    /// The margin allows for a slow clock of the device, which set the time of the replacement.
    func mayBeDeleted(_ message: Message) throws(StoreError) -> Bool {
        guard let replacedAt = try batch.replacedAt(), let position = message.position,
            position.createdAt.earlier(by: Ingest.replacementMargin) <= replacedAt
        else { return false }
        return try batch.message(position.messageID, in: message.channelURL) == nil
    }

    /// Stores a message that was received alone, in a gap, because its neighbors may be missing.
    ///
    /// If no newer message is stored, the gap ends at the message. The page that closes the gap
    /// then lacks the message, so an untrusted one becomes stale, and the engine looks it up.
    @discardableResult
    mutating func applyAlone(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness,
        isSent: Bool = false
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        let isStored = try batch.message(position.messageID, in: url)?.position == position
        isAlone = true
        defer { isAlone = false }
        guard try applyMessage(message, source, freshness, isSent: isSent) else {
            return false
        }
        if !isStored, try !batch.isInGap(position, in: url) {
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

    mutating func isOlderThanHistory(_ message: Message) throws(StoreError) -> Bool {
        guard let position = message.position,
            let beginning = try knowledge(of: message.channelURL).beginning
        else { return false }
        return .position(position) < beginning
    }

    /// Removes an item that has ended, and gives the changes of its message, which wait for it, the
    /// ID of the sent message.
    mutating func removeEnded(_ item: OutboxItem, with result: DeliveryResult) throws(StoreError) {
        guard !endedItems.contains(where: { $0.item.requestID == item.requestID }) else { return }
        let source = item.operation == .request ? nil : result.source(of: item)
        try batch.removeOutboxItem(item.requestID, source: source)
        if case .sent(let message) = result, item.operation == .send, let id = message.messageID,
            let changeIDs = changesOfUnsent[item.requestID]
        {
            // Later, the cache may lack the message, or may have lost its row in a power failure.
            let epoch = try batch.unlessDamaged { () throws(StoreError) in
                try batch.epoch(of: id, in: item.channelURL)
            }
            for changeID in changeIDs {
                guard var change = try batch.readableOutboxItem(changeID) else { continue }
                change.messageID = id
                change.targetEpoch = epoch
                try batch.save(change)
            }
        }
        endedItems.append((item, result))
    }

    private mutating func removeFromStale(
        _ position: Position, in url: ChannelURL
    ) throws(StoreError) {
        guard let range = channels[url]?.stale.first(where: { $0.contains(position) }) else {
            return
        }
        // The rest of a range without missing messages is stale only if it has other messages.
        var isWhole = range.lossNumber == StaleRange.singleMessage
        if isWhole {
            let stored = try batch.positions(in: url, from: range.lower, to: range.upper)
            isWhole = stored == [position]
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
        let stored = try batch.message(id, in: url)
        // The ID may now belong to another message, which an answer in flight may contain.
        var isOfAnotherHistory = false
        if time == nil {
            isOfAnotherHistory =
                if let stored {
                    try knowledge(of: url).mayBeOfAnotherHistory(stored.position)
                } else {
                    try batch.formerEpoch() != nil
                }
        }
        let isStored = try batch.removeMessage(id, in: url, source: source)
        unusedDownloads += stored?.files.downloadKeys ?? []
        deletedMessages[url, default: []].insert(id)
        guard !isOfAnotherHistory else { return }
        flights.record(.deleted, of: id, in: url)
        guard isStored else { return }
        // A deletion at an unknown time counts as later than every version.
        let deletedAt = time.map { max($0, stored?.version ?? $0) } ?? .distantFuture
        try batch.save(
            Tombstone(id, in: url, deletedAt: deletedAt, position: stored?.position))
        channels[url]?.hasTombstones = true
    }

    mutating func change(
        _ id: MessageID, in url: ChannelURL, by event: FeedEvent, _ source: CollectionEventSource,
        _ change: (inout Message) -> Bool
    ) throws(StoreError) {
        // The answer to an earlier request may contain this message without the event.
        flights.record(.event(event), of: id, in: url)
        guard var message = try batch.message(id, in: url) else { return }
        guard change(&message) else { return }
        try batch.save(message, source: source)
    }
}

extension Ingest {
    /// Stores the server's message for an item; `interim` is `nil` for a void answer.
    mutating func applySent(
        _ message: Message, to item: OutboxItem, since interim: Flights.Interim?, isShown: Bool
    ) throws(StoreError) {
        guard let id = message.messageID else { return }
        let url = item.channelURL
        let source = DeliveryResult.sent(message).source(of: item)
        let isSend = item.operation == .send
        let isDeleted = interim?.deleted.contains(id) ?? false
        guard isSend || !isDeleted else { return }
        let stored = try batch.message(id, in: url)
        let isOlder = try isOlderThanHistory(message)
        if isSend, isDeleted || isOlder || stored?.isAnotherMessage(than: message) ?? false {
            // The stored history may be that of an earlier epoch. Lists keep the row until a page
            // or a lookup shows whether the message exists.
            try applyAlone(message, source, .untrusted, isSent: true)
        } else if let interim, interim.feedHadBegun {
            // The feed reports the messages next to this one, so no gap is opened.
            isAlone = true
            defer { isAlone = false }
            try applyAnswer(message, since: interim, source, opensGap: false)
            // The feed reports all reactions to a new message.
            if isSend { reactionChanges?.append(.insert(id, in: url)) }
        } else {
            // The feed does not report all events since the call began. The message's neighbors are
            // unknown, so it is stored inside a gap, until a page or a lookup shows whether it
            // still exists.
            //
            // Until the feed has reported all channels, also store a message that the user has
            // written or that a viewer shows, so that lists keep showing it. Afterwards, the user
            // has lost the channel.
            let isGroup = try batch.groupChannel(url) != nil
            let isOpen = try batch.openChannel(url) != nil
            let isUnreported = try !batch.hasAllChannels()
            let isExpected = isGroup || isOpen || (isUnreported && (isShown || isSend))
            // A void answer to an edit does not prove that the message still exists.
            let exists = interim != nil || isSend || stored != nil
            if isExpected && exists { try applyAlone(message, source, .untrusted, isSent: isSend) }
        }
    }
}

extension GroupChannel {
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
