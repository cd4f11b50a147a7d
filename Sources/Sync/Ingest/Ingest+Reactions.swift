import Models
import Store

// Events of reactions, and the answers to those of the user.
extension Ingest {
    /// Applies a reaction event to a stored message.
    ///
    /// On servers that return reactions separately, the events of a reaction may arrive out of
    /// order: federated servers have different clocks, and the answer to the user's own request may
    /// arrive before the feed reports an earlier event of another user. An older event cannot be
    /// merged, because a message does not contain the time of each user's reaction. If the event is
    /// not part of the stored reactions, they therefore have to be requested again.
    ///
    /// - Returns: `true` if the reactions have to be requested again.
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

    /// Applies the answer to the user's own reaction to a stored message.
    ///
    /// The feed reports the reaction again, after older reactions of other users. The stored
    /// reaction therefore keeps the time of the last reported one, so that these are not rejected.
    /// If the server returns reactions separately, they are requested again instead.
    ///
    /// - Returns: `true` if the reactions have to be requested again.
    mutating func applyAnsweredReaction(_ reaction: ReactionEvent) throws(StoreError) -> Bool {
        guard reactionChanges == nil else {
            return try applyReaction(reaction, .eventReactionUpdated)
        }
        let held = try batch.message(reaction.messageID, in: reaction.channelURL)
        let reported = held?.reactionHistory.first { $0.hasKey(reaction.key) }
        // No reaction is older than its message, except for the difference of two clocks.
        let earliest = held?.createdAt.earlier(by: options.clockSkew) ?? 0
        var reaction = reaction
        reaction.updatedAt = min(reaction.updatedAt, reported?.updatedAt ?? earliest)
        return try applyReaction(reaction, .eventReactionUpdated)
    }
}

extension Message {
    /// Returns a Boolean value that indicates whether the user of a reaction event has the reaction
    /// if the event adds it, and does not have it if the event removes it.
    ///
    /// If the message only has the number of users, the result is `true`.
    func reflects(_ event: ReactionEvent) -> Bool {
        guard let reaction = reactionHistory.first(where: { $0.hasKey(event.key) }) else {
            return event.operation == .delete
        }
        return reaction.totalCount != nil
            || reaction.userIDs.contains(event.userID) == (event.operation == .add)
    }
}
