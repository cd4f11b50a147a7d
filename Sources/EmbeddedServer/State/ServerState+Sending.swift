import Models
import Store

extension ServerState {
    /// Sends a message, or returns the existing one for a repeated request ID.
    func send(
        _ item: OutboxItem, by userID: UserID, deduplicates: Bool = true
    ) throws(BackendError) -> Message {
        let account = try account(userID)
        if deduplicates, let sent = try message(sentBy: userID, item.requestID),
            !hasForgotten(sent)
        {
            return sent
        }
        let channel = try writableChannel(item.channelURL, for: userID)
        var message = try content(of: item, in: channel)
        message.sender = Sender(
            account.user, role: channel.isOperator(userID) ? .operator : .none)
        if channel.isOperator(userID) { message.isOperatorMessage = true }
        if let id = item.message?.newMessage?.pollID {
            message.poll = try poll(id, by: userID)
        }
        message = try accept(message, in: channel)
        if channel.typing.contains(userID) { endTyping(of: userID, in: channel) }
        return message
    }

    private func hasForgotten(_ message: Message) -> Bool {
        guard let period = conditions.deduplicationPeriod else { return false }
        return message.createdAt.duration(to: now()) > period
    }

    private func message(
        sentBy userID: UserID, _ requestID: RequestID
    ) throws(BackendError) -> Message? {
        let text = try database.value(
            "request \(requestID) of \(userID)", { $0.request(userID, requestID) },
            { (reader) throws(ByteReader.Damage) in try reader.text() })
        guard let id = text.map({ MessageID($0) }) else { return nil }
        guard let location = try location(of: id), let channel = channels[location.channel],
            let found = try find(id, in: channel)
        else {
            throw BackendError(
                .notFound,
                "message \(id) was sent with the request id \(requestID) and deleted since",
                detail: .messageNotFound)
        }
        _ = try readableChannel(channel.url, for: userID)
        return found.message
    }

    private func content(
        of item: OutboxItem, in channel: ServerChannel
    ) throws(BackendError) -> Message {
        guard item.operation == .send, let template = item.message else {
            throw BackendError(
                .refused, "outbox item \(item.requestID) contains no message to send",
                detail: .missingParameter)
        }
        try checkName(item.requestID.rawValue, "the request id")
        var message = try self.message(template.newMessage ?? template.asNew, item, channel)
        var files: [FileInfo] = []
        for index in item.files.indices { files.append(try uploadedFile(at: index, of: item)) }
        message.files = files
        return message
    }

    private func uploadedFile(
        at index: Int, of item: OutboxItem
    ) throws(BackendError) -> FileInfo {
        if let file = item.uploadedFile(at: index) { return file }
        let files = item.files
        if files.indices.contains(index), let url = files[index].url {
            let file = files[index]
            return FileInfo(url: url, name: file.name, mimeType: file.mimeType, size: file.size)
        }
        throw BackendError(
            .refused, "file \(index) of outbox item \(item.requestID) was not uploaded before",
            detail: .missingParameter)
    }

    private func message(
        _ params: NewMessage, _ item: OutboxItem, _ channel: ServerChannel
    ) throws(BackendError) -> Message {
        try checkLength(params.text, in: channel)
        let parentID = params.parentMessageID
        var message = Message(
            type: params.files.isEmpty ? .text : .file, id: nil, channelURL: channel.url,
            channelType: channel.type, requestID: item.requestID, text: params.text,
            data: params.data,
            customType: params.customType, createdAt: 0, parentMessageID: parentID,
            sendingStatus: .succeeded)
        if params.mentionType != .users { message.mentionType = params.mentionType }
        try setMentions(params.mentionedUserIDs, of: &message, in: channel)
        if let template = params.mentionedMessageTemplate {
            message.mentionedMessageTemplate = template
        }
        let arrays = params.metaArrays
        if !arrays.isEmpty { message.metaArrays = arrays }
        if let parentID {
            guard let parent = try find(parentID, in: channel)?.message else {
                throw BackendError(
                    .refused,
                    "the parent message \(parentID) does not exist in channel \(channel.url)",
                    detail: .messageNotFound)
            }
            message.parentMessageInfo = ParentMessageInfo(parent)
            message.isReplyToChannel = params.isReplyToChannel
        }
        let languages = params.translationTargetLanguages
        if !languages.isEmpty { message.translationTargetLanguages = languages }
        if !params.extra.isEmpty { message.extra = params.extra }
        return message
    }

    func checkLength(_ text: String, in channel: ServerChannel) throws(BackendError) {
        let limit = conditions.maximumMessageLength
        // The number of bytes is faster to determine than that of characters, and never less.
        if text.utf8.count > limit && text.count > limit {
            throw BackendError(
                .refused,
                "the message for channel \(channel.url) has \(text.count) characters; the limit is "
                    + "\(limit)",
                detail: .parameterTooLong)
        }
    }

    /// Sets the mentioned users that the server knows.
    func setMentions(
        _ userIDs: [UserID], of message: inout Message, in channel: ServerChannel
    ) throws(BackendError) {
        try checkMentions(userIDs)
        guard !userIDs.isEmpty || !message.mentionedUserIDs.isEmpty else { return }
        message.mentionedUserIDs = userIDs
        message.mentionedUsers = userIDs.compactMap { accounts[$0]?.user }
    }

    func checkMentions(_ userIDs: [UserID]) throws(BackendError) {
        for userID in userIDs { try checkName(userID.rawValue, "the id of a mentioned user") }
    }
}

extension Message {
    fileprivate var asNew: NewMessage {
        var new = NewMessage(text)
        new.data = data
        new.customType = customType
        new.mentionType = mentionType
        new.mentionedUserIDs = mentionedUserIDs
        new.metaArrays = metaArrays
        new.parentMessageID = parentMessageID
        new.isReplyToChannel = isReplyToChannel
        return new
    }
}
