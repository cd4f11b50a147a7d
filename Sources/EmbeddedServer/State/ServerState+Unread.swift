import Models
import Store

extension ServerState {
    /// Adds a new message to the unread counts, and unhides the channel for users who had hidden it
    /// until the next message.
    func recordArrival(_ receipt: LogEntry.Receipt, in channel: ServerChannel) {
        guard !channel.isOpen else { return }
        // Change the members in place: copying all members for each message would be slow.
        var index = channel.members.startIndex
        while index < channel.members.endIndex {
            let userID = channel.members.keys[index]
            if channel.members.values[index].hidden == .hiddenAllowAutoUnhide {
                channel.members.values[index].hidden = .unhidden
                storeMember(userID, of: channel)
            }
            if let unread = receipt.unread(by: userID) {
                count(unread, for: userID, in: channel, +=)
            }
            channel.members.formIndex(after: &index)
        }
    }

    /// Subtracts a deleted message from the unread counts.
    func recordRemoval(
        _ receipt: LogEntry.Receipt, _ sequence: LogSequence, in channel: ServerChannel
    ) {
        for (userID, member) in channel.members where member.readSequence < sequence {
            if let unread = receipt.unread(by: userID) {
                count(unread, for: userID, in: channel, -=)
            }
        }
    }

    private func count(
        _ unread: Unread, for userID: UserID, in channel: ServerChannel,
        _ change: (inout Unread, Unread) -> Void
    ) {
        // If the count is not known yet, leave it unknown: it is computed when it is needed.
        guard let member = channel.members[userID], member.state == .joined else { return }
        guard var known = member.unread else {
            accounts[userID]?.unread = nil
            return
        }
        change(&known, unread)
        channel.members[userID]?.unread = known
        if var all = accounts[userID]?.unread {
            change(&all, unread)
            accounts[userID]?.unread = all
        }
    }

    /// Returns the number of messages and mentions that a user has not read in a channel.
    func unread(by userID: UserID, in channel: ServerChannel) throws(BackendError) -> Unread {
        guard let member = channel.members[userID], member.state == .joined else {
            return Unread()
        }
        if let known = member.unread { return known }
        var unread = Unread()
        if member.readSequence < counters.sequence {
            try scanLog(of: channel, (member.readSequence + 1)...counters.sequence) { _, entry in
                if case .received(let receipt) = entry.event,
                    let one = receipt.unread(by: userID)
                {
                    unread += one
                }
                return true
            }
        }
        channel.members[userID]?.unread = unread
        return unread
    }

    /// Invalidates the counts of a user whose channels or read position have changed.
    func resetUnread(of userID: UserID, in channel: ServerChannel) {
        channel.members[userID]?.unread = nil
        accounts[userID]?.unread = nil
    }

    /// Returns the number of unread messages and pending invitations of a user in all channels.
    func unreadItemCount(of userID: UserID) throws(BackendError) -> UnreadItemCount {
        let account = try account(userID)
        let unread: Unread
        if let known = account.unread {
            unread = known
        } else {
            var sum = Unread()
            for number in account.channels {
                guard let channel = channels[number] else { continue }
                sum += try self.unread(by: userID, in: channel)
            }
            account.unread = sum
            unread = sum
        }
        var count = UnreadItemCount()
        count.groupChannelUnreadMessageCount = unread.messages
        count.groupChannelUnreadMentionCount = unread.mentions
        count.groupChannelInvitationCount = account.channels.count {
            channels[$0]?.members[userID]?.state == .invited
        }
        return count
    }
}

extension LogEntry.Receipt {
    /// Returns what the message adds to the unread counts of a user; `nil` if it adds nothing.
    func unread(by userID: UserID) -> Unread? {
        guard sender != userID, countsAsUnread || mentions(userID) else { return nil }
        return Unread(messages: countsAsUnread ? 1 : 0, mentions: mentions(userID) ? 1 : 0)
    }
}
