import Models
import Store

extension ServerState {
    func importMessages(
        _ messages: [Message], members: [UserID], isReported: Bool, skipsKnown: Bool
    ) throws(BackendError) -> Int {
        var count = 0
        var batch = ImportedBatch()
        for message in messages {
            if skipsKnown, let id = message.messageID, let location = try location(of: id),
                location.channel == numbers[message.channelURL]
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
            if let sender = message.sender, try importSender(sender, into: channel) {
                batch.grown.insert(channel.number)
            }
            if message.messageID == nil {
                message.messageID = MessageID(String(counters.nextMessage))
                counters.nextMessage += 1
            }
            if message.sendingStatus != .succeeded { message.sendingStatus = .succeeded }
            guard let position = message.position else { continue }
            try checkName(position.messageID.rawValue, "the message's id")
            if let location = try location(of: position.messageID) {
                let url = channels[location.channel]?.url.rawValue ?? "a deleted channel"
                throw BackendError(
                    .refused, "message \(position.messageID) already exists, in \(url)",
                    detail: .duplicatedData)
            }
            // New IDs must be greater than all IDs in use, including those of parents that are
            // imported later.
            for id in [position.messageID, message.parentMessageID ?? ""] {
                guard let number = UInt64(id.rawValue) else { continue }
                guard number < 1 << 62 else {
                    throw BackendError(
                        .refused, "message \(id) has a greater number than the server can assign",
                        detail: .invalidParameterValue)
                }
                counters.nextMessage = max(counters.nextMessage, number + 1)
            }
            // Report a `historyChanged` if a message is older than existing ones: a device
            // backfills a truncation only down to messages that it has. Pages in the order of
            // arrival need none.
            let newest = try newest(of: channel)
            let isOlder =
                conditions.federationDelay == .zero && newest.map { position < $0 } ?? false
            if !isReported || isOlder { batch.add(message, at: position.createdAt, channel.number) }
            try insert(message, at: position, in: channel, isReported: isReported)
            // Replies may have been imported before their parent.
            if try hasReplies(position.messageID) {
                try updateThread(
                    of: position.messageID, in: channel, adding: nil, isReported: isReported)
            }
        }
        try report(batch)
        return count
    }

    private func report(_ batch: ImportedBatch) throws(BackendError) {
        for (number, part) in batch.parts.sorted(by: { $0.key < $1.key }) {
            guard let channel = channels[number] else { continue }
            append(
                .historyChanged(from: part.times.lowerBound, through: part.times.upperBound),
                in: channel)
            for parentID in part.parents.sorted() {
                guard let (_, location) = try find(parentID, in: channel),
                    !part.times.contains(location.createdAt)
                else { continue }
                append(
                    .threadChanged(Position(createdAt: location.createdAt, messageID: parentID)),
                    in: channel)
            }
        }
        for number in batch.grown.sorted() where batch.parts[number] == nil {
            guard let channel = channels[number] else { continue }
            append(.changed(.members, cause(.eventUserJoined, by: nil)), in: channel)
        }
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
        register(channel)
        if !channel.isOpen {
            for userID in members { try importMember(userID, into: channel) }
        }
        return channel
    }

    /// Returns `true` if the sender has become a member.
    private func importSender(
        _ sender: Sender, into channel: ServerChannel
    ) throws(BackendError) -> Bool {
        let userID = sender.userID
        if accounts[userID] == nil {
            try makeAccount(userID).user = User(person: sender)
            if let account = accounts[userID] { store(account) }
        }
        guard !channel.isOpen && channel.members[userID] == nil else { return false }
        try importMember(userID, into: channel)
        return true
    }

    private func importMember(
        _ userID: UserID, into channel: ServerChannel
    ) throws(BackendError) {
        if accounts[userID] == nil { _ = try makeAccount(userID) }
        guard channel.members[userID] == nil else { return }
        var member = newMember(userID, of: channel, .joined)
        setTimes(&member, .joined, invitedBy: nil)
        channel.members[userID] = member
        notifyGained(userID, of: channel, .joined, by: nil)
    }
}

/// The changes of an import without an event for each message.
private struct ImportedBatch {
    struct Part {
        var times: ClosedRange<Timestamp>
        var parents: Set<MessageID> = []
    }

    var parts: [ChannelNumber: Part] = [:]
    var grown: Set<ChannelNumber> = []

    mutating func add(_ message: Message, at time: Timestamp, _ number: ChannelNumber) {
        var part = parts[number] ?? Part(times: time...time)
        part.times = min(part.times.lowerBound, time)...max(part.times.upperBound, time)
        if let parentID = message.parentMessageID { part.parents.insert(parentID) }
        parts[number] = part
    }
}
