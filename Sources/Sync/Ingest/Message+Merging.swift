import Models

// The result of a merge does not depend on the order in which the copies arrive.
extension Message {
    var version: Timestamp { updatedAt ?? createdAt }

    /// Returns whether another sender or request ID shows that the ID belongs to another message: a
    /// restored server may use the IDs of lost messages again.
    func isAnotherMessage(than other: Message) -> Bool {
        func differ<Value: Equatable>(_ first: Value?, _ second: Value?) -> Bool {
            first != nil && second != nil && first != second
        }
        return differ(requestID, other.requestID) || differ(sender?.userID, other.sender?.userID)
    }

    private var latestTime: Timestamp {
        var latest = version
        for reaction in reactionHistory { latest = max(latest, reaction.updatedAt) }
        if let threadInfo { latest = max(latest, threadInfo.updatedAt) }
        if let time = poll?.updatedAt { latest = max(latest, time) }
        return latest
    }

    /// Returns the message merged with a copy of unknown age.
    ///
    /// The copy that was edited later determines the edited properties; reactions, the thread and
    /// the poll are merged by their own times. If all times are equal, `other` wins.
    func merged(with other: Message) -> Message {
        let isNewer = other.version >= version
        var result = isNewer ? other : self
        let rest = isNewer ? self : other
        result.requestID = result.requestID ?? rest.requestID
        let history = Message.merged(
            reactionHistory, at: latestTime, with: other.reactionHistory, at: other.latestTime)
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
        result.copyUnknownFields(from: rest)
        return result
    }

    /// Returns `other`, a newer copy, with the fields of this copy that only newer versions of this
    /// code know and, if `other` has none, its request ID.
    func replaced(by other: Message) -> Message {
        var result = other
        // Some servers send the request ID only to some devices, or only sometimes.
        if result.requestID == nil, let requestID { result.requestID = requestID }
        result.copyUnknownFields(from: self)
        return result
    }

    private static func merged(
        _ stored: [Reaction], at storedTime: Timestamp, with other: [Reaction],
        at otherTime: Timestamp
    ) -> [Reaction] {
        if stored.isEmpty && otherTime >= storedTime { return other }
        let storedByKey = Dictionary(stored.map { ($0.keyBytes, $0) }) { first, _ in first }
        let otherKeys = Set(other.map(\.keyBytes))
        // A reaction that only the older copy has was removed.
        var result = other.compactMap { reaction -> Reaction? in
            guard let old = storedByKey[reaction.keyBytes] else {
                return reaction.updatedAt > storedTime || otherTime >= storedTime ? reaction : nil
            }
            return old.updatedAt > reaction.updatedAt ? old : reaction
        }
        result += stored.filter { !otherKeys.contains($0.keyBytes) && $0.updatedAt > otherTime }
        return result
    }
}
