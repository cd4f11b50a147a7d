import Models
import Store

extension ServerState {
    /// Unhides a channel for users who had hidden it until the next message.
    func unhide(_ channel: ServerChannel) {
        for (userID, member) in channel.members where member.hidden == .hiddenAllowAutoUnhide {
            channel.members[userID]?.hidden = .unhidden
            storeMember(userID, of: channel)
        }
    }

    func unread(by userID: UserID, in channel: ServerChannel) throws(BackendError) -> Unread {
        guard let member = channel.members[userID], member.state == .joined else {
            return Unread()
        }
        let newest = try lastSequence(of: channel)
        guard member.readSequence < newest else { return Unread() }
        // Count only new entries: a channel may have many unread messages.
        var count = CountedUnread(
            readSequence: member.readSequence, countedSequence: member.readSequence)
        if let known = channel.unread[userID], known.readSequence == member.readSequence {
            count = known
        }
        guard count.countedSequence < newest else { return count.unread }
        try scanLog(of: channel, (count.countedSequence + 1)...newest) { _, entry in
            guard case .received(let receipt) = entry.event, receipt.sender != userID else {
                return true
            }
            if receipt.countsAsUnread { count.unread.messages += 1 }
            if receipt.mentions(userID) { count.unread.mentions += 1 }
            return true
        }
        count.countedSequence = newest
        channel.unread[userID] = count
        return count.unread
    }
}
