import Models
import Store
import Sync

extension ServerState {
    /// Marks a channel as read up to a time; `nil` for now.
    func markAsRead(
        _ url: ChannelURL, upTo end: Timestamp?, by userID: UserID
    ) throws(BackendError) {
        let channel = try joinedChannel(url, by: userID)
        guard let member = channel.members[userID] else { return }
        let time = try receiptTime(in: channel, upTo: end, after: member.readAt)
        channel.members[userID]?.readAt = time
        let sequence = append(.read(userID, time), in: channel)
        var read = sequence
        if end != nil {
            try scanLog(of: channel, (member.readSequence + 1)...sequence) { sequence, entry in
                guard case .received(let receipt) = entry.event, receipt.position.createdAt > time
                else { return true }
                read = sequence - 1
                return false
            }
        }
        channel.members[userID]?.readSequence = read
        storeMember(userID, of: channel)
    }

    /// Returns at most `end`, but no time before the last receipt.
    private func receiptTime(
        in channel: ServerChannel, upTo end: Timestamp?, after last: Timestamp?
    ) throws(BackendError) -> Timestamp {
        // The newest message, which the receipt includes, may be newer than the clock.
        let newest = max(now(), try newest(of: channel)?.createdAt ?? .distantPast)
        return max(min(end ?? newest, newest), last ?? .distantPast)
    }

    func markAsUnread(
        from id: MessageID, in url: ChannelURL, by userID: UserID
    ) throws(BackendError) {
        let channel = try joinedChannel(url, by: userID)
        let (_, location) = try visibleMessage(id, in: channel, for: userID)
        guard let member = channel.members[userID] else { return }
        let position = Position(createdAt: location.createdAt, messageID: id)
        var read = member.readSequence
        try scanLog(of: channel, 0...counters.sequence) { sequence, entry in
            guard case .received(let receipt) = entry.event, position <= receipt.position,
                sequence > 0
            else { return true }
            read = min(read, sequence - 1)
            return false
        }
        // An imported message may have no entry: its time then determines the unread messages.
        let before = Timestamp(milliseconds: location.createdAt.milliseconds.saturating(adding: -1))
        channel.members[userID]?.readSequence = read
        channel.members[userID]?.readAt = min(member.readAt ?? before, before)
        storeMember(userID, of: channel)
        append(
            .changed(.members, cause(.eventUserMarkedUnread, [userID], by: userID)), in: channel)
    }

    /// Marks messages as delivered up to a time; `nil` for now.
    func markAsDelivered(
        _ url: ChannelURL, upTo end: Timestamp?, to userID: UserID
    ) throws(BackendError) {
        let channel = try joinedChannel(url, by: userID)
        guard let member = channel.members[userID] else { return }
        let time = try receiptTime(in: channel, upTo: end, after: member.deliveredAt)
        channel.members[userID]?.deliveredAt = time
        append(.delivered(userID, time), in: channel)
        storeMember(userID, of: channel)
    }

    // MARK: Typing

    func setTyping(_ isTyping: Bool, in url: ChannelURL, by userID: UserID) throws(BackendError) {
        let channel = try readableChannel(url, for: userID)
        if !channel.isOpen { _ = try joinedChannel(url, by: userID) }
        if isTyping {
            let isNew = !channel.typing.contains(userID)
            if isNew { channel.typing.append(userID) }
            // A device forgets after a while that a user is typing.
            let last = channel.typingReports[userID] ?? .distantPast
            if isNew || last.duration(to: now()) >= Self.typingInterval {
                channel.typingReports[userID] = now()
                notifyTyping(in: channel, but: userID)
            }
        } else if !isTyping && channel.typing.contains(userID) {
            endTyping(of: userID, in: channel)
        }
    }

    /// The minimum time between two reports that a user is still typing.
    private static let typingInterval = Duration.seconds(10)

    func endTyping(of userID: UserID) {
        for channel in channels.values where channel.typing.contains(userID) {
            endTyping(of: userID, in: channel)
        }
    }

    func endTyping(of userID: UserID, in channel: ServerChannel) {
        channel.typing.removeAll { $0 == userID }
        channel.typingReports[userID] = nil
        notifyTyping(in: channel, but: userID)
    }

    private func notifyTyping(in channel: ServerChannel, but userID: UserID) {
        for (client, session) in sessions where session.userID != userID {
            guard
                session.entered[channel.number] != nil
                    || channel.members[session.userID] != nil
            else { continue }
            session.typingChanged.insert(channel.number)
            touched.clients.insert(client)
        }
    }
}
