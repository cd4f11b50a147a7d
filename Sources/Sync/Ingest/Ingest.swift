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
    /// Whether what comes is the feed's.
    var isTelling = false
    private var channels: [ChannelURL: ChannelKnowledge] = [:]

    /// What decides whether a channel's messages may come in.
    struct ChannelKnowledge {
        /// Where the user's history begins; `nil` if nothing was reset or forgotten.
        var beginning: Gap.Bound?
        var hasTombstones: Bool
        /// What is held there may be of a history that the server has no more.
        var stale: [StaleRange]
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

    init(_ batch: Batch, _ options: SyncOptions, _ userID: UserID?, _ flights: Flights) {
        self.batch = batch
        self.options = options
        self.userID = userID
        self.flights = flights
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
        if let beginning = known.beginning, .position(position) < beginning { return false }
        if known.hasTombstones,
            let tombstone = try batch.tombstone(orNil: position.messageID, in: url)
        {
            // What was asked for later has it again; of the feed, that may be what it told before.
            guard isTelling ? message.version > tombstone.deletedAt : freshness == .fresh else {
                return false
            }
            try batch.removeTombstone(of: position.messageID, in: url)
        }
        var isNew = true
        let saved: Message?
        do throws(StoreError) {
            saved = try batch.save(message, source: source) { held in
                isNew = false
                if freshness != .hearsay,
                    known.stale.contains(where: { $0.contains(held.position) })
                {
                    return message
                }
                if freshness == .fresh, message.version >= held.version {
                    return held.replaced(by: message)
                }
                // Of equal times, what the feed tells is the newer one.
                return isTelling ? held.merged(with: message) : message.merged(with: held)
            }
        } catch {
            // What no store can hold is left out, rather than stop all that comes after it.
            guard error.code == .invalid else { throw error }
            return false
        }
        // What the feed tells again is news for answers that may be older than that.
        if saved != nil || isTelling { flights.noteTouched(position.messageID, in: url) }
        if saved != nil, isNew, !isTelling { try noteUntold(position, in: url) }
        if saved != nil, isNew, freshness == .hearsay, let newest = try newestTold(in: url),
            position < newest, try !batch.isInGap(position, in: url)
        {
            // Where all is known, it may be something that was deleted.
            try markStale(position, in: url)
        }
        if freshness != .hearsay, !known.stale.isEmpty { try verify(position, in: url) }
        return true
    }

    /// Marks a message as stale: it came without the others, and may be gone.
    mutating func markStale(_ position: Position, in url: ChannelURL) throws(StoreError) {
        let bound = Gap.Bound.position(position)
        try batch.markStale(
            StaleRange(
                in: url, from: bound.before, to: bound.after, epoch: try batch.lossCount()))
        forget(url)
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
        // Where nobody says when, no version is known to be later.
        let deletedAt = time.map { max($0, held?.version ?? $0) } ?? .distantFuture
        try batch.save(
            Tombstone(id, in: url, deletedAt: deletedAt, position: held?.position))
        channels[url]?.hasTombstones = true
    }

    /// Changes a message that is held, as an event says.
    mutating func change(
        _ id: MessageID, in url: ChannelURL, by event: FeedEvent, _ source: CollectionEventSource,
        _ change: (inout Message) -> Bool
    ) throws(StoreError) {
        guard var message = try batch.message(orNil: id, in: url) else {
            // An answer may bring it that was given before.
            return flights.note(event, of: id, in: url)
        }
        flights.noteTouched(id, in: url)
        guard change(&message) else { return }
        try batch.save(message, source: source)
    }
}

extension GroupChannel {
    /// Where the user's history begins; `nil` if it begins where the channel does.
    var historyBeginning: Gap.Bound? {
        guard let time = [messageOffset, messagePurgeOffset].compactMap({ $0 }).max() else {
            return nil
        }
        return .position(Position(createdAt: time, messageID: ""))
    }
}

extension StaleRange {
    /// Whether a position lies in the range.
    func contains(_ position: Position?) -> Bool {
        guard let position else { return false }
        return lower < .position(position) && .position(position) < upper
    }
}
