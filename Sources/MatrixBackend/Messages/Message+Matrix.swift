import Models

extension Message {
    /// Creates the message of an event, with the content of its latest edit.
    ///
    /// - Parameters:
    ///   - event: An event that appears as a message.
    ///   - room: The ID of its room.
    ///   - sender: The author, with the name in the room.
    ///   - me: The current user. Only the user's own messages get a request ID.
    init(_ event: RoomEvent, in room: String, sender: Sender, me: UserID) {
        let content = event.replacement?.content ?? event.content
        let (type, text, customType, data) = Self.kind(of: event, content)
        self.init(
            type: type, id: MessageID(event.id), channelURL: ChannelURL(room),
            requestID: sender.userID == me
                ? event.content.own?.requestID.map { RequestID($0) } : nil,
            sender: sender, text: text, data: content.own?.data ?? data,
            customType: content.own?.customType ?? customType, createdAt: event.time,
            updatedAt: event.replacement?.time)
        if type == .file { file = FileInfo(content) }
        metaArrays = content.own?.metaArrays ?? []
        setMentions(content)
        setParent(event.content.relation)
        if let thread = event.thread {
            threadInfo = ThreadInfo(
                replyCount: thread.count, lastRepliedAt: thread.latestAt, updatedAt: thread.latestAt
            )
        }
    }

    /// Returns the type, text, custom type and data of an event's message.
    private static func kind(
        of event: RoomEvent, _ content: EventContent
    ) -> (MessageType, String, customType: String, data: String) {
        let body = content.body ?? ""
        if event.type == "m.room.encrypted" {
            return (.user, "This message is encrypted.", event.type, "")
        }
        if event.type == "m.sticker" { return (.file, body, event.type, "") }
        switch content.messageType {
        case "m.text": return (.user, content.text, "", "")
        case "m.file", "m.image", "m.video", "m.audio":
            // If the content has a separate file name, the body is the caption.
            let isCaption = content.filename != nil && content.filename != body
            let isFile = content.messageType == "m.file"
            return (.file, isCaption ? body : "", isFile ? "" : content.messageType!, "")
        case "m.location": return (.user, body, "m.location", content.geoURI ?? "")
        case let other: return (.user, content.text, other ?? "", "")
        }
    }

    private mutating func setMentions(_ content: EventContent) {
        guard let mentions = content.mentions else { return }
        mentionType = mentions.isRoom ? .channel : .users
        mentionedUserIDs = mentions.userIDs.map { UserID($0) }
        mentionedMessageTemplate = content.own?.mentionTemplate
    }

    /// Sets the parent message.
    ///
    /// A message in a thread is a reply to the thread's first message, unless the sender has
    /// explicitly replied to another message. A reply outside of a thread is also shown in the
    /// channel.
    private mutating func setParent(_ relation: EventContent.Relation?) {
        guard let relation else { return }
        let isThread = relation.type == "m.thread"
        let answered = isThread && relation.isFallback ? nil : relation.repliesTo
        guard let parent = answered ?? (isThread ? relation.eventID : nil) else { return }
        parentMessageID = MessageID(parent)
        isReplyToChannel = !isThread
    }
}

extension EventContent {
    /// The text without the quotation at the start of a reply from an old client.
    fileprivate var text: String {
        let body = body ?? ""
        guard relation?.repliesTo != nil, body.hasPrefix("> ") else { return body }
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.drop { $0.hasPrefix("> ") || $0 == ">" }
        return rest.dropFirst(rest.first == "" ? 1 : 0).joined(separator: "\n")
    }
}

extension FileInfo {
    init(_ content: EventContent) {
        self.init(
            url: content.url ?? "", name: content.filename ?? content.body,
            mimeType: content.info?.mimeType, size: content.info?.size)
        requiresAuth = true
        guard let url = content.info?.thumbnailURL else { return }
        var thumbnail = Thumbnail()
        thumbnail.url = url
        thumbnail.requiresAuth = true
        thumbnails = [thumbnail]
    }
}
