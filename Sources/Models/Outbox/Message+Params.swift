// Creating and editing unsent messages, as lists show them.
extension Message {
    /// Creates a user message as lists show it until it is sent.
    ///
    /// The message contains `params`. `time` is the time at which the user wrote it, on this
    /// device's clock.
    public init(
        _ params: UserMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .user, params.text, channelURL, channelType, sender, time)
        if !params.translationTargetLanguages.isEmpty {
            translationTargetLanguages = params.translationTargetLanguages
        }
        userMessageParams = params
    }

    /// Creates a file message as lists show it until it is sent.
    public init(
        _ params: FileMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .file, params.text, channelURL, channelType, sender, time)
        file = params.file.map(FileInfo.init)
        fileMessageParams = params
    }

    /// Creates a message with several files as lists show it until it is sent.
    public init(
        _ params: MultipleFilesMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .file, params.text, channelURL, channelType, sender, time)
        files = params.files.map(FileInfo.init)
        multipleFilesMessageParams = params
    }

    /// Replaces a file of an unsent message, both in its parameters and in its list of files.
    mutating func replaceFile(at index: Int, with new: UploadableFile) {
        if var params = fileMessageParams {
            params.file = new
            fileMessageParams = params
            file = FileInfo(new)
        } else if var params = multipleFilesMessageParams {
            params.files[index] = new
            multipleFilesMessageParams = params
            // The list of files of a message that was read from disk may be shorter than the list
            // in its parameters.
            files = params.files.map(FileInfo.init)
        }
    }

    private init(
        _ params: some MessageCreateParams, _ type: MessageType, _ text: String,
        _ channelURL: ChannelURL, _ channelType: ChannelType, _ sender: Sender?, _ time: Timestamp
    ) {
        self.init(
            type: type, id: nil, channelURL: channelURL, channelType: channelType, sender: sender,
            text: text, data: params.data, customType: params.customType, createdAt: time,
            parentMessageID: params.parentMessageID)
        if params.mentionType != .users { mentionType = params.mentionType }
        if !params.mentionedUserIDs.isEmpty { mentionedUserIDs = params.mentionedUserIDs }
        mentionedMessageTemplate = params.mentionedMessageTemplate
        if !params.metaArrays.isEmpty { metaArrays = params.metaArrays }
        if params.isReplyToChannel { isReplyToChannel = true }
        if params.pushNotificationDeliveryOption == .suppress { isSilent = true }
    }

    /// Applies an edit.
    ///
    /// The message's version does not change, because the server assigns it.
    ///
    /// - Returns: `true` if the edit is for a message of this kind. Otherwise, nothing changes.
    @discardableResult
    public mutating func apply(_ update: MessageUpdate) -> Bool {
        switch (update, type) {
        case (.user(let params), .user):
            apply(params)
            if var own = userMessageParams {
                own.text = text
                own.copyContent(from: self)
                userMessageParams = own
            }
        case (.file(let params), .file):
            apply(params)
            if var own = fileMessageParams {
                own.text = text
                own.copyContent(from: self)
                fileMessageParams = own
            }
            if var own = multipleFilesMessageParams {
                own.text = text
                own.copyContent(from: self)
                multipleFilesMessageParams = own
            }
        default: return false
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

extension MessageCreateParams {
    /// Copies those properties from an edited message that an edit can change.
    fileprivate mutating func copyContent(from message: Message) {
        data = message.data
        customType = message.customType
        mentionType = message.mentionType
        mentionedUserIDs = message.mentionedUserIDs
        mentionedMessageTemplate = message.mentionedMessageTemplate
    }
}

extension FileInfo {
    /// Creates a description of a file before its upload.
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
        if let params = userMessageUpdateParams { return .user(params) }
        return fileMessageUpdateParams.map { .file($0) }
    }
}
