import Models
import Store

extension ServerState {
    /// Takes in messages as they are, with the users and channels that they name.
    func importMessages(
        _ messages: [Message], members: [UserID], tellsFeed: Bool, passesOverKnown: Bool
    ) throws(BackendError) -> Int {
        var count = 0
        for message in messages {
            if passesOverKnown, let id = message.messageID, let place = try place(of: id),
                place.channel == numbers[message.channelURL]
            {
                continue
            }
            count += 1
            try checkName(message.channelURL.rawValue, "the channel's URL")
            try checkMentions(message.mentionedUserIDs)
            if let parentID = message.parentMessageID {
                try checkName(parentID.rawValue, "the id of the parent message")
            }
            let channel = try importedChannel(message, members)
            var message = message
            if let sender = message.sender { try importSender(sender, into: channel) }
            if message.messageID == nil {
                message.messageID = MessageID(String(counters.nextMessage))
                counters.nextMessage += 1
            }
            if message.sendingStatus != .succeeded { message.sendingStatus = .succeeded }
            guard let position = message.position else { continue }
            try checkName(position.messageID.rawValue, "the message's id")
            if let place = try place(of: position.messageID) {
                let url = channels[place.channel]?.url.rawValue ?? "a channel that is gone"
                throw BackendError(
                    .refused, "there is a message \(position.messageID) already, in \(url)",
                    detail: .duplicatedData)
            }
            // What the server gives from now on is above all numbers that there are, those of
            // parents that may be still to come too.
            for id in [position.messageID, message.parentMessageID ?? ""] {
                guard let number = UInt64(id.rawValue), number < 1 << 62 else { continue }
                counters.nextMessage = max(counters.nextMessage, number + 1)
            }
            try insert(message, at: position, in: channel, tellsFeed: tellsFeed)
            // Replies may have come before it.
            if try hasReplies(position.messageID) {
                try updateThread(of: position.messageID, in: channel, tellsFeed: tellsFeed)
            }
        }
        return count
    }

    private func importedChannel(
        _ message: Message, _ members: [UserID]
    ) throws(BackendError) -> ServerChannel {
        if let number = numbers[message.channelURL], let channel = channels[number] {
            return channel
        }
        let number = counters.nextChannel
        counters.nextChannel += 1
        let url = message.channelURL
        let channel =
            message.channelType == .open
            ? ServerChannel(
                number, OpenChannel(url: url, name: url.rawValue, createdAt: message.createdAt))
            : ServerChannel(
                number, GroupChannel(url: url, name: url.rawValue, createdAt: message.createdAt))
        channel.newest = .known(nil)
        channel.lastMessage = .known(nil)
        channel.lastSequence = 0
        register(channel)
        if !channel.isOpen {
            for userID in members { try importMember(userID, into: channel) }
        }
        return channel
    }

    private func importSender(
        _ sender: Sender, into channel: ServerChannel
    ) throws(BackendError) {
        let userID = sender.userID
        if accounts[userID] == nil {
            try makeAccount(userID).user = User(person: sender)
            if let account = accounts[userID] { store(account) }
        }
        if !channel.isOpen && channel.members[userID] == nil {
            try importMember(userID, into: channel)
        }
    }

    func importMember(_ userID: UserID, into channel: ServerChannel) throws(BackendError) {
        if accounts[userID] == nil { _ = try makeAccount(userID) }
        guard channel.members[userID] == nil else { return }
        var member = newMember(userID, of: channel, .joined)
        setTimes(&member, .joined, invitedBy: nil)
        channel.members[userID] = member
        channel.shared = nil
        tellGained(userID, of: channel, .joined, by: nil)
    }
}
