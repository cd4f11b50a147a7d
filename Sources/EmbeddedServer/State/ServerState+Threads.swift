import Models
import Store

extension ServerState {
    private static let repliesCounted = 1000
    private static let usersNamed = 5

    /// Returns whether a message, which need not exist, has replies.
    func hasReplies(_ parentID: MessageID) throws(BackendError) -> Bool {
        var hasReplies = false
        try database.scan(KeyRange(prefix: ByteWriter.key { $0.replyPrefix(parentID) })) { _, _ in
            hasReplies = true
            return false
        }
        return hasReplies
    }

    /// Updates the summary of a thread after `added` replies were added to it, or removed from it;
    /// `nil` if the number of its replies is unknown.
    ///
    /// If it is known, only the newest replies are read, so that many of them take linear time.
    func updateThread(
        of parentID: MessageID, in channel: ServerChannel, adding added: Int?, isReported: Bool
    ) throws(BackendError) {
        guard let (parent, location) = try find(parentID, in: channel) else { return }
        var count = 0
        var lastRepliedAt: Timestamp?
        var byUser: [UserID: Int] = [:]
        let keys = KeyRange(prefix: ByteWriter.key { $0.replyPrefix(parentID) })
        try database.read { (rows) throws(StoreError) in
            try rows.scan(keys, isDescending: true) { (key, value) throws(StoreError) in
                if count == 0 {
                    lastRepliedAt = try rows.decode(key.dropping(1), as: "the key of a reply") {
                        (reader) throws(ByteReader.Damage) in
                        _ = try reader.measured()
                        return try reader.position().createdAt
                    }
                }
                count += 1
                if count <= Self.repliesCounted {
                    byUser[UserID(String(decoding: value, as: UTF8.self)), default: 0] += 1
                }
                return added == nil || count < Self.repliesCounted
            }
        }
        if let added, count == Self.repliesCounted {
            // An imported message may have any number.
            count = max(count, min(parent.threadInfo?.replyCount ?? 0, .max / 2) + added)
        }
        let most = byUser.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        let users = most.prefix(Self.usersNamed).compactMap { accounts[$0.key]?.user }
        let last = parent.threadInfo?.updatedAt ?? .distantPast
        var changed = parent
        changed.threadInfo = ThreadInfo(
            replyCount: count, mostRepliedUsers: users, lastRepliedAt: lastRepliedAt,
            updatedAt: last.next(at: now()))
        let position = Position(createdAt: location.createdAt, messageID: parentID)
        store(changed, at: position, in: channel)
        if isReported { append(.threadChanged(position), in: channel) }
    }
}

extension Timestamp {
    /// Returns the time of the next version: `now`, but at least a millisecond after this time.
    func next(at now: Timestamp) -> Timestamp {
        max(now, Timestamp(milliseconds: milliseconds.saturating(adding: 1)))
    }
}
