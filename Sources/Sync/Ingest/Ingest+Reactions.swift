import Models
import Store

extension Ingest {
    /// Applies a reaction event to a stored message, and returns `true` if the reactions must be
    /// requested again.
    ///
    /// On servers that return reactions separately, events may arrive out of order: federated
    /// servers have different clocks, and the answer to the user's own request may precede an
    /// earlier event of the feed. An older event cannot be merged, because a message lacks the time
    /// of each user's reaction.
    mutating func applyReaction(
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

    /// Applies the answer to the user's own reaction, and returns `true` if the reactions must be
    /// requested again.
    ///
    /// The feed reports the reaction again, after older reactions of other users. These must not be
    /// rejected, so the stored reaction keeps the time of the last reported one, or all are
    /// requested again if the server returns reactions separately.
    mutating func applyAnsweredReaction(_ reaction: ReactionEvent) throws(StoreError) -> Bool {
        guard reactionChanges == nil else {
            return try applyReaction(reaction, .eventReactionUpdated)
        }
        let stored = try batch.message(reaction.messageID, in: reaction.channelURL)
        let reported = stored?.reactionHistory.first { $0.hasKey(reaction.key) }
        // No reaction is older than its message, except for the difference of two clocks.
        let earliest = stored?.createdAt.earlier(by: options.clockSkew) ?? 0
        var reaction = reaction
        reaction.updatedAt = min(reaction.updatedAt, reported?.updatedAt ?? earliest)
        return try applyReaction(reaction, .eventReactionUpdated)
    }
}

extension Message {
    /// Returns whether the user has, or after a removal lacks, the reaction of an event; true if
    /// the message only has the number of users.
    func reflects(_ event: ReactionEvent) -> Bool {
        guard let reaction = reactionHistory.first(where: { $0.hasKey(event.key) }) else {
            return event.operation == .delete
        }
        return reaction.totalCount != nil
            || reaction.userIDs.contains(event.userID) == (event.operation == .add)
    }
}
