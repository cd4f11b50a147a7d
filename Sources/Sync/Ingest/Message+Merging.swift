import Models

// Two copies of one message, made at different times, in whichever order they arrive.
extension Message {
    /// How new what it says of itself is: when it was last edited or, if never, created.
    var version: Timestamp { updatedAt ?? createdAt }

    /// The latest time that anything about it names.
    private var latestTime: Timestamp {
        var latest = version
        for reaction in reactionHistory { latest = max(latest, reaction.updatedAt) }
        if let threadInfo { latest = max(latest, threadInfo.updatedAt) }
        if let time = poll?.updatedAt { latest = max(latest, time) }
        return latest
    }

    /// What is known of the message from two copies of it, of which nobody knows the newer.
    ///
    /// What was edited has the version of the edit; reactions, thread and poll have times of their
    /// own. Equal in all of them, the other copy wins.
    func merged(with other: Message) -> Message {
        let isNewer = other.version >= version
        var result = isNewer ? other : self
        let rest = isNewer ? self : other
        result.requestID = result.requestID ?? rest.requestID
        let history = Message.merged(
            reactionHistory, latestTime, other.reactionHistory, other.latestTime)
        if history != result.reactionHistory { result.reactionHistory = history }
        if let info = rest.threadInfo, info.updatedAt > result.threadInfo?.updatedAt ?? .distantPast
        {
            result.threadInfo = info
        }
        if let poll = rest.poll,
            poll.updatedAt ?? .distantPast > result.poll?.updatedAt ?? .distantPast
        {
            result.apply(poll)
        }
        return result
    }

    /// What replaces the message where the other copy is known to be the newer one.
    func replaced(by other: Message) -> Message {
        guard other.requestID == nil, let requestID else { return other }
        // Not every server tells it to all of a user's devices, or at all times.
        var result = other
        result.requestID = requestID
        return result
    }

    private static func merged(
        _ held: [Reaction], _ heldTime: Timestamp, _ other: [Reaction], _ otherTime: Timestamp
    ) -> [Reaction] {
        if held.isEmpty && otherTime >= heldTime { return other }
        let heldByKey = Dictionary(held.map { ($0.key, $0) }) { first, _ in first }
        let otherKeys = Set(other.map(\.key))
        // A key that only one of them has was taken back and forgotten, if the other knows of later.
        var result = other.compactMap { reaction -> Reaction? in
            guard let old = heldByKey[reaction.key] else {
                return reaction.updatedAt > heldTime || otherTime >= heldTime ? reaction : nil
            }
            return old.updatedAt > reaction.updatedAt ? old : reaction
        }
        result += held.filter { !otherKeys.contains($0.key) && $0.updatedAt > otherTime }
        return result
    }
}
