import Models
import Store

/// The one way in: what a server says, made a part of a batch.
///
/// Feed, pages, changelogs, lookups, imports and pushes all end here. It may be done again, and in
/// another order: what is held is replaced only by what is as new, what was deleted stays so, and
/// what is before the beginning of the user's history does not come in.
struct Ingest {
    let batch: Batch
    let options: SyncOptions
    /// The user, as far as is known.
    let userID: UserID?
    var flights: Flights
    /// What waits behind a message that is not sent, by the request of that.
    let changes: [RequestID: [RequestID]]
    /// What waited in the outbox until now, and the messages that it has become.
    private(set) var landed: [(draft: Draft, message: Message)] = []
    /// Whether what comes is the feed's.
    var isTelling = false
    /// Whether what comes is a message without those around it.
    var isAlone = false
    /// How many tombstones a channel has at the most, where they were counted.
    private(set) var tombstoneCounts: [ChannelURL: Int]
    private var channels: [ChannelURL: ChannelKnowledge] = [:]

    /// How many tombstones of a channel are kept.
    static let tombstoneLimit = 1000

    /// What decides whether a channel's messages may come in.
    struct ChannelKnowledge {
        /// Where the user's history begins; `nil` if nothing was reset or forgotten.
        var beginning: Gap.Bound?
        var hasTombstones: Bool
        /// What is held there may be of a history that the server has no more.
        var stale: [StaleRange]
        /// Up to where the feed has told it, if that is of interest.
        var told: Told?

        /// Whether what is held at a position may be of a history that the server has no more.
        ///
        /// What came after the last loss may be in doubt, but is of the history of now.
        func mayBeOfAnotherHistory(_ position: Position?) -> Bool {
            stale.contains { $0.epoch > 0 && $0.contains(position) }
        }
    }

    /// Up to where the feed has told a history.
    struct Told {
        /// The gap at the newest end, if there is one: all that is in it may be told or not.
        var gap: Gap?
        /// The newest message that was told.
        var newest: Position?
        /// The oldest message that is held and was not told.
        var untold: Position?
    }

    /// How sure one may be that what comes is the newest there is.
    enum Freshness {
        /// It was asked for after all that is held was told.
        case fresh
        /// It may be older than what is held.
        case unknown
        /// It may be older than all that the feed has told: it says nothing of what is now.
        case hearsay
    }

    init(
        _ batch: Batch, _ options: SyncOptions, _ userID: UserID?, _ flights: Flights,
        tombstoneCounts: [ChannelURL: Int] = [:], changes: [RequestID: [RequestID]] = [:]
    ) {
        self.batch = batch
        self.options = options
        self.userID = userID
        self.flights = flights
        self.tombstoneCounts = tombstoneCounts
        self.changes = changes
    }

    // MARK: Channels

    mutating func knowledge(of url: ChannelURL) throws(StoreError) -> ChannelKnowledge {
        if let known = channels[url] { return known }
        let knowledge = ChannelKnowledge(
            beginning: try batch.groupChannel(orNil: url)?.historyBeginning,
            hasTombstones: try batch.hasTombstones(in: url),
            stale: try batch.staleRanges(orNone: url))
        channels[url] = knowledge
        return knowledge
    }

    mutating func forget(_ url: ChannelURL) { channels[url] = nil }

    /// Finds out up to where the feed has told a history, before anything is added to it.
    private mutating func noteWhatIsTold(of url: ChannelURL) throws(StoreError) {
        guard channels[url]?.told == nil else { return }
        let gap = try batch.newestGap(in: url)
        let untold = try batch.untold(of: url)
        let newest = try newestTold(in: url, before: untold)
        channels[url]?.told = Told(
            gap: gap?.upper == .end ? gap : nil, newest: newest, untold: untold)
    }

    /// Notes that a message is held which the feed has yet to tell: what was accepted just before it may
    /// not be held.
    private mutating func noteUntold(_ position: Position, in url: ChannelURL) {
        guard let told = channels[url]?.told else { return }
        // A hole would begin below it anyway; but what came alone may outlive the gap.
        if !isAlone, told.gap?.contains(position) ?? false { return }
        if let newest = told.newest, position < newest { return }
        if let untold = told.untold, untold <= position { return }
        batch.setUntold(position, of: url)
        channels[url]?.told?.untold = position
    }

    // MARK: Messages

    /// Takes over a message, if nothing newer is known of it.
    ///
    /// - Returns: Whether it is held now, as it came or newer.
    @discardableResult
    mutating func take(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        let known = try knowledge(of: url)
        guard try admit(message, at: position, known, freshness) else { return false }
        if !isTelling { try noteWhatIsTold(of: url) }
        // An answer that the feed has overtaken may be older than what it told.
        let isNow = freshness == .fresh || isTelling
        var isHeld = false
        do throws(StoreError) {
            let saved = try batch.save(message, source: source) { held in
                isHeld = true
                if isNow, known.mayBeOfAnotherHistory(held.position) { return message }
                if freshness == .fresh, message.version >= held.version {
                    return held.replaced(by: message)
                }
                // Of equal times, what the feed tells is the newer one.
                return isTelling ? held.merged(with: message) : message.merged(with: held)
            }
            if saved != nil, !isHeld, !isTelling { noteUntold(position, in: url) }
        } catch {
            // What no store can hold is left out, rather than stop all that comes after it.
            guard error.code == .invalid else { throw error }
            return false
        }
        // Said again it is touched too. Hearsay is no reason to doubt an answer that comes after it.
        if freshness != .hearsay { flights.noteTouched(position.messageID, in: url) }
        if isNow, !known.stale.isEmpty { try verify(position, in: url) }
        try land(message)
        return true
    }

    /// Lets a message in, unless it lies before the beginning, or was deleted.
    private func admit(
        _ message: Message, at position: Position, _ known: ChannelKnowledge,
        _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        let url = message.channelURL
        if let beginning = known.beginning, .position(position) < beginning { return false }
        guard known.hasTombstones,
            let tombstone = try batch.tombstone(orNil: position.messageID, in: url)
        else { return true }
        // What was asked for later has it again; of the feed, that may be what it told before.
        guard isTelling ? message.version > tombstone.deletedAt : freshness == .fresh else {
            return false
        }
        try batch.removeTombstone(of: position.messageID, in: url)
        return true
    }

    /// Takes over a message that came alone: whatever lies between it and what is known may be missing.
    ///
    /// Among what is known it would say that all before it is known too, so it lies in a gap.
    @discardableResult
    mutating func takeAlone(
        _ message: Message, _ source: CollectionEventSource?, _ freshness: Freshness
    ) throws(StoreError) -> Bool {
        guard let position = message.position else { return false }
        let url = message.channelURL
        let isHeld = try batch.message(orNil: position.messageID, in: url) != nil
        isAlone = true
        defer { isAlone = false }
        guard try take(message, source, freshness) else { return false }
        if !isHeld, try !batch.isInGap(position, in: url) {
            let lower = try batch.positionOrNil(before: position, in: url)
            let upper = try batch.positionOrNil(after: position, in: url)
            try batch.open(
                Gap(
                    in: url, from: lower.map(Gap.Bound.position) ?? .beginning,
                    to: .position(upper ?? position)))
            forget(url)
        }
        return true
    }

    /// Takes the draft out of the outbox that a message was made from.
    private mutating func land(_ message: Message) throws(StoreError) {
        guard let userID, message.sender?.userID == userID, let id = message.requestID,
            let draft = try batch.draft(orNil: id), draft.isUnderstood, draft.operation == .send,
            draft.channelURL == message.channelURL
        else { return }
        try land(draft, as: message)
    }

    /// Takes a new message out of the outbox that the server has.
    mutating func land(_ draft: Draft, as message: Message) throws(StoreError) {
        try batch.removeDraft(draft.requestID, source: .eventMessageSent)
        // The message may not be held, or its row be lost with the power: the outbox is not.
        for id in changes[draft.requestID] ?? [] {
            guard var change = try batch.draft(orNil: id) else { continue }
            change.messageID = message.messageID
            try batch.save(change)
        }
        landed.append((draft, message))
    }

    /// Takes a message out of the stale ranges: it was told by the server of now.
    private mutating func verify(_ position: Position, in url: ChannelURL) throws(StoreError) {
        guard channels[url]?.stale.contains(where: { $0.contains(position) }) == true else {
            return
        }
        try batch.markVerified(url, from: .position(position), through: .position(position))
        channels[url]?.stale = try batch.staleRanges(orNone: url)
    }

    /// Takes a message out, and remembers that it was deleted where it might come back.
    mutating func delete(
        _ id: MessageID, in url: ChannelURL, at time: Timestamp?, _ source: CollectionEventSource?
    ) throws(StoreError) {
        let held = try batch.message(orNil: id, in: url)
        let isHeld = try batch.removeMessage(id, in: url, source: source)
        flights.noteDeleted(id, in: url)
        guard isHeld else { return }
        // Its id may be another message's now.
        if time == nil, try knowledge(of: url).mayBeOfAnotherHistory(held?.position) { return }
        // Where nobody says when, no version is known to be later.
        let deletedAt = time.map { max($0, held?.version ?? $0) } ?? .distantFuture
        try batch.save(
            Tombstone(id, in: url, deletedAt: deletedAt, position: held?.position))
        channels[url]?.hasTombstones = true
        try countTombstone(in: url)
    }

    /// Counts one more, and all of them only once: a channel may have many.
    private mutating func countTombstone(in url: ChannelURL) throws(StoreError) {
        if let counted = tombstoneCounts[url] {
            tombstoneCounts[url] = counted + 1
        } else {
            tombstoneCounts[url] = try batch.tombstoneCount(in: url)
        }
        if tombstoneCounts[url, default: 0] > Ingest.tombstoneLimit {
            try forgetOldTombstones(of: url)
        }
    }

    /// Forgets the older half of a channel's tombstones, where there are too many.
    ///
    /// What comes by the feed or is asked for needs none; only a push or an import that is older than
    /// all of these might bring a message back, until its stretch is fetched.
    private mutating func forgetOldTombstones(of url: ChannelURL) throws(StoreError) {
        let oldestFirst = try batch.tombstones(orNone: url).sorted { $0.deletedAt < $1.deletedAt }
        tombstoneCounts[url] = oldestFirst.count
        // Some were taken away meanwhile.
        guard oldestFirst.count > Ingest.tombstoneLimit else { return }
        for tombstone in oldestFirst.prefix(Ingest.tombstoneLimit / 2) {
            try batch.removeTombstone(of: tombstone.messageID, in: url)
        }
        tombstoneCounts[url] = oldestFirst.count - Ingest.tombstoneLimit / 2
    }

    /// Changes a message that is held, as an event says.
    mutating func change(
        _ id: MessageID, in url: ChannelURL, by event: FeedEvent, _ source: CollectionEventSource,
        _ change: (inout Message) -> Bool
    ) throws(StoreError) {
        // An answer may bring it, or more of it, that was given before.
        flights.note(event, of: id, in: url)
        guard var message = try batch.message(orNil: id, in: url) else { return }
        guard change(&message) else { return }
        try batch.save(message, source: source)
    }
}

extension GroupChannel {
    /// Where the user's history begins; `nil` if it begins where the channel does.
    var historyBeginning: Gap.Bound? {
        historyOffset.map { .position(Position(createdAt: $0, messageID: "")) }
    }
}

extension StaleRange {
    /// Whether a position lies in the range.
    func contains(_ position: Position?) -> Bool {
        guard let position else { return false }
        return lower < .position(position) && .position(position) < upper
    }
}
