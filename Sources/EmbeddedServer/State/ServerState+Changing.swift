import Models
import Store

extension ServerState {
    func update(
        _ id: MessageID, in url: ChannelURL, with update: MessageUpdate, by userID: UserID
    ) throws(BackendError) -> Message {
        let channel = try writableChannel(url, for: userID)
        let (old, location) = try visibleMessage(id, in: channel, for: userID)
        guard old.sender?.userID == userID else { throw notOwner(userID, id) }
        var message = old
        switch (update, old.type) {
        case (.text(let params), .text):
            try apply(params, to: &message, channel)
        case (.file(let params), .file):
            try apply(params, to: &message, channel)
        default:
            throw BackendError(
                .refused,
                "the update does not match message \(id): text messages and file messages have "
                    + "different updates",
                detail: .invalidParameterValue)
        }
        message.updatedAt = (old.updatedAt ?? old.createdAt).next(at: now())
        let position = Position(createdAt: location.createdAt, messageID: id)
        store(message, at: position, in: channel)
        append(.updated(position), in: channel)
        return message
    }

    private func apply(
        _ params: some MessageUpdateParams, to message: inout Message, _ channel: ServerChannel
    ) throws(BackendError) {
        if let text = params.text {
            try checkLength(text, in: channel)
            message.text = text
        }
        if let data = params.data { message.data = data }
        if let customType = params.customType { message.customType = customType }
        if let mentionType = params.mentionType {
            message.mentionType = mentionType
            let mentions = mentionType == .users ? params.mentionedUserIDs : []
            try setMentions(mentions, of: &message, in: channel)
        }
        if let template = params.mentionedMessageTemplate {
            message.mentionedMessageTemplate = template
        }
    }

    func delete(
        _ id: MessageID, in url: ChannelURL, by userID: UserID
    ) throws(BackendError) {
        let channel = try readableChannel(url, for: userID)
        let (message, location) = try visibleMessage(id, in: channel, for: userID)
        guard message.sender?.userID == userID || channel.isOperator(userID) else {
            throw notOwner(userID, id)
        }
        try remove(message, location, from: channel, isReported: true)
    }

    private func notOwner(_ userID: UserID, _ id: MessageID) -> BackendError {
        BackendError(
            .refused, "message \(id) was not sent by \(userID)", detail: .notOwnerOfMessage)
    }

    /// A reported deletion keeps the location, marked as deleted; a purge is one entry for all of
    /// its messages.
    func remove(
        _ message: Message, _ location: MessageLocation, from channel: ServerChannel,
        isReported: Bool, isPartOfPurge: Bool = false
    ) throws(BackendError) {
        guard let position = message.position else { return }
        database.remove { $0.message(channel.number, position) }
        if !channel.isOpen { setPinned(false, position.messageID, in: channel, by: nil) }
        if location.sequence > 0 {
            // A device that has not received the message does not need its entries, and it no
            // longer counts as unread.
            database.remove { $0.log(location.sequence) }
            database.remove { $0.channelLog(channel.number, location.sequence) }
            channel.unread = [:]
        }
        if isReported {
            var location = location
            location.isDeleted = true
            database.put({ $0.location(position.messageID) }, location.write)
            database.put(
                { $0.deletedMessage(channel.number, position) },
                { $0.integer(location.sequence) })
            // The deletion must not precede the message's last edit, whose time may be later than
            // the clock's.
            counters.time = max(counters.time, message.updatedAt ?? message.createdAt)
            if !isPartOfPurge { append(.deleted(position.messageID), in: channel) }
        } else {
            database.remove { $0.location(position.messageID) }
        }
        if case .known(let last?) = channel.lastMessage, last.messageID == message.messageID {
            channel.lastMessage = .unknown
        }
        if let parentID = message.parentMessageID {
            database.remove { $0.reply(parentID, position) }
            try updateThread(of: parentID, in: channel, adding: -1, isReported: true)
        }
    }

    func react(
        _ action: ReactionEventAction, with key: String, to id: MessageID, in url: ChannelURL,
        by userID: UserID, requestID: RequestID?
    ) throws(BackendError) -> ReactionEvent {
        let channel = try readableChannel(url, for: userID)
        if !channel.isOpen { _ = try joinedChannel(url, by: userID) }
        if key.isEmpty || key.utf8.count > Self.nameLimit {
            throw BackendError(
                .refused, "a reaction key must have 1 to \(Self.nameLimit) bytes",
                detail: .invalidParameterValue)
        }
        var (message, location) = try visibleMessage(id, in: channel, for: userID)
        let last = message.reactionHistory.first { $0.key == key }?.updatedAt
        let event = ReactionEvent(
            action, key, by: userID, to: id, in: url,
            at: (last ?? .distantPast).next(at: now()), requestID: requestID)
        message.apply(event)
        let position = Position(createdAt: location.createdAt, messageID: id)
        store(message, at: position, in: channel)
        append(.reacted(position, event), in: channel)
        return event
    }
}
