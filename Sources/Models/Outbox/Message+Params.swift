// What a message looks like before the server has said so.
extension Message {
    /// Creates a new user message, as lists show it until it is sent.
    ///
    /// - Parameters:
    ///   - params: What it is made from; the message keeps it.
    ///   - channelURL: The channel.
    ///   - channelType: The kind of that channel.
    ///   - sender: Who writes it.
    ///   - time: When, by the clock of this device.
    public init(
        _ params: UserMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .user, params.text, channelURL, channelType, sender, time)
        if !params.translationTargetLanguages.isEmpty {
            translationTargetLanguages = params.translationTargetLanguages
        }
        if let payload = params.extendedMessagePayload { extendedMessagePayload = payload }
        userMessageParams = params
    }

    /// Creates a new file message, as lists show it until it is sent.
    public init(
        _ params: FileMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .file, params.text, channelURL, channelType, sender, time)
        file = params.file.map(FileInfo.init)
        fileMessageParams = params
    }

    /// Creates a new message with several files, as lists show it until it is sent.
    public init(
        _ params: MultipleFilesMessageCreateParams, in channelURL: ChannelURL,
        channelType: ChannelType = .group, by sender: Sender?, at time: Timestamp
    ) {
        self.init(params, .file, params.text, channelURL, channelType, sender, time)
        files = params.files.map(FileInfo.init)
        multipleFilesMessageParams = params
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
        appleCriticalAlertOptions = params.appleCriticalAlertOptions
        if params.isReplyToChannel { isReplyToChannel = true }
        if params.pushNotificationDeliveryOption == .suppress { isSilent = true }
    }

    /// Changes what an edit names; the server decides of the version.
    ///
    /// - Returns: Whether the edit is for a message of this kind.
    @discardableResult
    public mutating func apply(_ update: MessageUpdate) -> Bool {
        switch (update, type) {
        case (.user(let params), .user):
            take(params)
            if var own = userMessageParams {
                own.text = text
                own.take(from: self)
                userMessageParams = own
            }
        case (.file(let params), .file):
            take(params)
            if var own = fileMessageParams {
                own.text = text
                own.take(from: self)
                fileMessageParams = own
            }
            if var own = multipleFilesMessageParams {
                own.text = text
                own.take(from: self)
                multipleFilesMessageParams = own
            }
        default: return false
        }
        return true
    }

    private mutating func take(_ params: some MessageUpdateParams) {
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
    /// Takes over what an edit has made of the message that is made from it.
    fileprivate mutating func take(from message: Message) {
        data = message.data
        customType = message.customType
        mentionType = message.mentionType
        mentionedUserIDs = message.mentionedUserIDs
        mentionedMessageTemplate = message.mentionedMessageTemplate
    }
}

extension FileInfo {
    /// What is known of a file before it is uploaded.
    fileprivate init(_ file: UploadableFile) {
        self.init(
            url: file.url ?? "", name: file.name, mimeType: file.mimeType,
            size: file.size ?? file.data?.count)
    }
}

extension Draft {
    /// What an edit changes; `nil` if the draft is none.
    public var update: MessageUpdate? {
        guard operation == .update else { return nil }
        if let params = userMessageUpdateParams { return .user(params) }
        return fileMessageUpdateParams.map { .file($0) }
    }
}
