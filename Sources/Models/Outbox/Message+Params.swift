extension Message {
    /// Creates a message as lists show it until it is sent; the time is on this device's clock.
    package init(
        _ new: NewMessage, in channelURL: ChannelURL, channelType: ChannelType = .group,
        by sender: Sender?, at time: Timestamp
    ) {
        self.init(
            type: new.files.isEmpty ? .text : .file, id: nil, channelURL: channelURL,
            channelType: channelType, sender: sender, text: new.text, data: new.data,
            customType: new.customType, createdAt: time, parentMessageID: new.parentMessageID)
        if new.mentionType != .users { mentionType = new.mentionType }
        if !new.mentionedUserIDs.isEmpty { mentionedUserIDs = new.mentionedUserIDs }
        mentionedMessageTemplate = new.mentionedMessageTemplate
        if !new.metaArrays.isEmpty { metaArrays = new.metaArrays }
        if new.isReplyToChannel { isReplyToChannel = true }
        if new.pushNotificationDeliveryOption == .suppress { isSilent = true }
        if !new.translationTargetLanguages.isEmpty {
            translationTargetLanguages = new.translationTargetLanguages
        }
        if !new.extra.isEmpty { extra = new.extra }
        show(new.files)
        newMessage = new
    }

    mutating func replaceFile(at index: Int, with new: UploadableFile) {
        guard var message = newMessage else { return }
        message.files[index] = new
        newMessage = message
        show(message.files)
    }

    private mutating func show(_ new: [UploadableFile]) {
        if new.count == 1 {
            file = FileInfo(new[0])
        } else if !new.isEmpty {
            files = new.map(FileInfo.init)
        }
    }

    /// Applies an edit, and returns `true` if it is for a message of this kind.
    ///
    /// The message's version does not change, because the server assigns it.
    @discardableResult
    package mutating func apply(_ update: MessageUpdate) -> Bool {
        switch (update, type) {
        case (.text(let params), .text): apply(params)
        case (.file(let params), .file): apply(params)
        default: return false
        }
        if var new = newMessage {
            new.copyContent(from: self)
            newMessage = new
        }
        return true
    }

    private mutating func apply(_ params: some MessageUpdateParams) {
        if let text = params.text { self.text = text }
        if let data = params.data { self.data = data }
        if let customType = params.customType { self.customType = customType }
        if let mentionType = params.mentionType {
            self.mentionType = mentionType
            mentionedUserIDs = mentionType == .users ? params.mentionedUserIDs : []
        }
        if let template = params.mentionedMessageTemplate { mentionedMessageTemplate = template }
    }
}

extension NewMessage {
    fileprivate mutating func copyContent(from message: Message) {
        text = message.text
        data = message.data
        customType = message.customType
        mentionType = message.mentionType
        mentionedUserIDs = message.mentionedUserIDs
        mentionedMessageTemplate = message.mentionedMessageTemplate
    }
}

extension FileInfo {
    fileprivate init(_ file: UploadableFile) {
        self.init(
            url: file.url ?? "", name: file.name, mimeType: file.mimeType,
            size: file.size ?? file.data?.count)
    }
}

extension OutboxItem {
    /// The edit; `nil` if the item is not an edit.
    public var update: MessageUpdate? {
        guard operation == .update else { return nil }
        if let params = userMessageUpdateParams { return .text(params) }
        return fileMessageUpdateParams.map { .file($0) }
    }
}
