import Models
import Store

/// The merge of a received message with the stored one that has its ID, and what it found out.
struct MessageMerge {
    let message: Message
    let position: Position
    let known: Ingest.ChannelKnowledge
    /// True if the message came from the feed.
    let isFeed: Bool
    /// True if the feed reported that the message was changed, perhaps to an earlier version.
    let isReverted: Bool
    /// True if the message came alone from a source that may be outdated or forged, such as a push,
    /// a search, or a lookup before the feed has begun.
    let isUnverified: Bool
    /// True if the message ends an outbox item.
    let endsItem: Bool
    let hasSeparateReactions: Bool
    /// Only the server can confirm a copy with a later time.
    let latestTime: Timestamp

    var freshness: Ingest.Freshness
    private(set) var isStored = false
    private(set) var mustBeConfirmed = false
    private(set) var isConfirmed: Bool
    /// The position of the stored message that contradicts an unverified one.
    private(set) var contradicted: Position?
    private var storedFiles: [FileInfo] = []

    /// An answer that is not fresh may be older than events reported since the request.
    ///
    /// The events of the feed are current, although they may be repeated.
    private let isCurrent: Bool

    init(
        of message: Message, at position: Position, _ known: Ingest.ChannelKnowledge,
        in ingest: Ingest, freshness: Ingest.Freshness, isUnverified: Bool, endsItem: Bool
    ) {
        (self.message, self.position, self.known) = (message, position, known)
        (self.freshness, self.isUnverified, self.endsItem) = (freshness, isUnverified, endsItem)
        isFeed = ingest.isFeed
        isReverted = isFeed && ingest.changedMessages.contains(position.messageID)
        hasSeparateReactions = ingest.reactionChanges != nil
        latestTime = ingest.latestTime
        isCurrent = freshness == .fresh || isFeed
        // With `.unconfirmed`, the stored copy is doubtful, not this one.
        isConfirmed = isCurrent || freshness == .unconfirmed
    }

    /// Returns the message to store in place of `stored`.
    mutating func merged(with stored: Message) -> Message {
        storedFiles = stored.files
        let mayBeAnother = known.mayBeOfAnotherHistory(stored.position)
        // Messages do not move: the ID belongs to another message now.
        let isAnother = stored.isAnotherMessage(than: message)
        if isUnverified, isAnother || stored.position != position {
            contradicted = stored.position
            return stored
        }
        // A message that was stored since the request is newer than the answer.
        if isAnother, !isFeed, freshness == .unknown || freshness == .unconfirmed {
            isConfirmed = false
            if !endsItem { return stored }
            // Keep the row of the message that the user has just sent, until a lookup has found the
            // server's message.
            freshness = .untrusted
        }
        let isReused = isAnother || mayBeAnother && stored.position != position
        isStored = !isReused
        mustBeConfirmed = isReused
        return isReused || isCurrent && mayBeAnother ? message : mergedVersions(stored)
    }

    private mutating func mergedVersions(_ stored: Message) -> Message {
        var message = message
        if hasSeparateReactions { message.reactionHistory = stored.reactionHistory }
        // The version may be earlier than the stored one, because edits can be removed.
        if freshness == .fresh || isReverted { return stored.replaced(by: message) }
        // If the times are equal, the feed's version is newer.
        let merged = isFeed ? stored.merged(with: message) : message.merged(with: stored)
        if freshness == .unconfirmed, merged != stored.replaced(by: message) { isConfirmed = false }
        // A feed that reports an earlier version than the stored one, or other parts, does not
        // confirm the stored ones: they may come from a push.
        if isFeed, message.version < stored.version || merged.hasOtherParts(than: message) {
            isConfirmed = false
        }
        mustBeConfirmed =
            merged.version > latestTime && !(isFeed && merged == message)
            || isUnverified
                && (message.version > stored.version || merged.hasOtherParts(than: stored))
        isConfirmed = isConfirmed && !mustBeConfirmed
        return merged
    }

    /// The files that only the replaced version has.
    func replacedFiles(by saved: Message) -> [FileInfo] {
        guard !storedFiles.isEmpty else { return [] }
        let kept = Set(saved.files)
        return storedFiles.filter { !kept.contains($0) }
    }
}

extension Message {
    /// Returns whether parts differ that have times of their own, and so are merged separately.
    fileprivate func hasOtherParts(than other: Message) -> Bool {
        (threadInfo, poll) != (other.threadInfo, other.poll)
            || reactionHistory != other.reactionHistory
    }
}
