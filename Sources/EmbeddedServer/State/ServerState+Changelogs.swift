import Models
import Store

extension DeletedMessage {
    fileprivate init(_ id: MessageID, at time: Timestamp) {
        self.init()
        messageID = id
        deletedAt = time
    }
}

extension ServerState {
    func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint,
        params: MessageChangelogParams?, for userID: UserID
    ) throws(BackendError) -> MessageChangelog {
        let channel = try readableChannel(url, for: userID)
        let since = try logCursor(point)
        var updated: [MessageID: Position] = [:]
        var order: [MessageID] = []
        var deleted: [DeletedMessage] = []
        var left = conditions.changelogPageSize
        var last = since
        var beforeLast = since
        var hasMore = false
        if since < counters.sequence {
            try scanLog(of: channel, (since + 1)...counters.sequence) { sequence, entry in
                guard left > 0 else {
                    hasMore = true
                    return false
                }
                left -= 1
                (beforeLast, last) = (last, sequence)
                switch entry.event {
                case .updated(let position), .reacted(let position, _),
                    .threadChanged(let position):
                    if updated.updateValue(position, forKey: position.messageID) == nil {
                        order.append(position.messageID)
                    }
                case .deleted(let id): deleted.append(DeletedMessage(id, at: entry.time))
                case .purged(_, let ids):
                    deleted += ids.map { DeletedMessage($0, at: entry.time) }
                default: break
                }
                return true
            }
        }
        var messages: [Message] = []
        for id in order {
            guard let position = updated[id], let message = try message(at: position, in: channel),
                isVisible(message, in: channel, to: userID), params?.belongsTo(message) ?? true
            else { continue }
            messages.append(view(message, for: userID))
        }
        let next =
            !hasMore ? counters.sequence : conditions.repeatsChangelogEntries ? beforeLast : last
        var changelog = MessageChangelog()
        changelog.updated = messages
        changelog.deleted = deleted
        changelog.hasMore = hasMore
        changelog.next = token(next)
        return changelog
    }

    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?, for userID: UserID
    ) throws(BackendError) -> GroupChannelChangelog {
        let since = try logCursor(point)
        let account = try account(userID)
        var changes: [(sequence: LogSequence, channel: ServerChannel?, url: ChannelURL)] = []
        for number in account.channels {
            guard let channel = channels[number], let member = channel.members[userID] else {
                continue
            }
            let last = max(
                try lastSequence(of: channel), max(member.lastSequence, member.visibleFrom))
            if last > since { changes.append((last, channel, channel.url)) }
        }
        try scanRemovals(of: userID, since: since) { sequence, url in
            // The user has joined the channel again.
            let isBack = numbers[url].map { account.channels.contains($0) } ?? false
            if !isBack { changes.append((sequence, nil, url)) }
        }
        changes.sort { $0.sequence < $1.sequence }
        let hasMore = changes.count > conditions.changelogPageSize
        let page = changes.prefix(conditions.changelogPageSize)
        var updated: [GroupChannel] = []
        var deleted: [ChannelURL] = []
        for change in page {
            if let channel = change.channel {
                let view = try view(channel, for: userID)
                if params?.belongsTo(view) ?? true { updated.append(view) }
            } else {
                deleted.append(change.url)
            }
        }
        var next = counters.sequence
        if hasMore {
            let reported = conditions.repeatsChangelogEntries ? page.dropLast() : page
            next = reported.last?.sequence ?? since
        }
        var changelog = GroupChannelChangelog()
        changelog.updated = updated
        changelog.deletedURLs = deleted
        changelog.hasMore = hasMore
        changelog.next = token(next)
        return changelog
    }

    private func scanRemovals(
        of userID: UserID, since: LogSequence, _ body: (LogSequence, ChannelURL) -> Void
    ) throws(BackendError) {
        let prefix = ByteWriter.key {
            $0.table(.removal)
            $0.measured(userID.rawValue)
        }
        guard since < .max else { return }
        let keys = KeyRange(
            ByteWriter.key { $0.removal(userID, since + 1) }, prefix.successorOfPrefix)
        try database.read { (rows) throws(StoreError) in
            try rows.scan(keys) { (key, value) throws(StoreError) in
                let sequence = try rows.decode(key.dropping(prefix.count), as: "a removal's key") {
                    (reader) throws(ByteReader.Damage) in try reader.integer(LogSequence.self)
                }
                let url = try rows.decode(value, as: "a removal") {
                    (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text())
                }
                body(sequence, url)
                return true
            }
        }
    }
}
