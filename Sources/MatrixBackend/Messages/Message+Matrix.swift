import Models

extension Message {
    /// Creates a message with its latest edit; only messages of `me` get a request ID.
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
        // Any member can write such a value: it must not be read as one of the message's own
        // fields.
        let extra = content.own?.extra.filter { !Message.schema.hasField(named: $0.key) }
        if let extra, !extra.isEmpty { self.extra = extra }
        if let html = content.formattedBody {
            metaArrays.append(MetaArray(key: MetaArrayKey.html, values: [html]))
        }
        setMentions(content)
        setParent(event.content.relation)
        threadInfo = event.thread.map(ThreadInfo.init)
    }

    private static func kind(
        of event: RoomEvent, _ content: EventContent
    ) -> (MessageType, String, customType: String, data: String) {
        let body = content.body ?? ""
        if event.type == "m.room.encrypted" {
            return (.text, "This message is encrypted.", event.type, "")
        }
        if event.type == "m.sticker" { return (.file, body, event.type, "") }
        switch content.messageType {
        case "m.text": return (.text, content.text, "", "")
        case "m.file", "m.image", "m.video", "m.audio":
            // If the content has a separate file name, the body is the caption. Comparing long
            // texts with many marks as Unicode texts takes quadratic time.
            let isCaption = content.filename.map { !$0.utf8.elementsEqual(body.utf8) } ?? false
            let isFile = content.messageType == "m.file"
            return (.file, isCaption ? body : "", isFile ? "" : content.messageType!, "")
        case "m.location": return (.text, body, "m.location", content.geoURI ?? "")
        case let other: return (.text, content.text, other ?? "", "")
        }
    }

    private mutating func setMentions(_ content: EventContent) {
        guard let mentions = content.mentions else { return }
        mentionType = mentions.isRoom ? .channel : .users
        mentionedUserIDs = mentions.userIDs.map { UserID($0) }
        mentionedMessageTemplate = content.own?.mentionTemplate
    }

    /// A message in a thread is a reply to the thread's first message.
    ///
    /// If it also answers another one of the thread, the meta array `m.in_reply_to` has that
    /// message's ID. A reply outside of a thread is also shown in the channel.
    private mutating func setParent(_ relation: EventContent.Relation?) {
        guard let relation else { return }
        guard relation.type == "m.thread", let root = relation.eventID else {
            parentMessageID = relation.repliesTo.map { MessageID($0) }
            isReplyToChannel = relation.repliesTo != nil
            return
        }
        parentMessageID = MessageID(root)
        guard !relation.isFallback, let answered = relation.repliesTo, answered != root else {
            return
        }
        metaArrays.append(MetaArray(key: MetaArrayKey.answered, values: [answered]))
    }
}

extension RoomEvent {
    var mentionsRoom: Bool { (replacement?.content ?? content).mentions?.isRoom ?? false }
}

enum MetaArrayKey {
    /// The message of a thread that a reply in the thread answers.
    static let answered = "m.in_reply_to"
    /// The text in HTML.
    static let html = "formatted_body"

    static let all = [answered, html]
}

extension ThreadInfo {
    init(_ thread: RoomEvent.ThreadSummary) {
        self.init(
            replyCount: thread.count, lastRepliedAt: thread.latestAt, updatedAt: thread.latestAt)
    }
}

extension EventContent {
    /// The text without the quotation that old clients add to a reply.
    fileprivate var text: String {
        let body = body ?? ""
        let scalars = body.unicodeScalars
        guard relation?.repliesTo != nil, scalars.starts(with: "> ".unicodeScalars) else {
            return body
        }
        // Comparing characters with many marks takes quadratic time, too.
        let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        var rest = lines.drop {
            $0.starts(with: "> ".unicodeScalars) || $0.elementsEqual(">".unicodeScalars)
        }
        if rest.first?.isEmpty == true { rest = rest.dropFirst() }
        return rest.first.map { String(body[$0.startIndex...]) } ?? ""
    }
}

extension FileInfo {
    static let encryptedType = "m.encrypted"

    init(_ content: EventContent) {
        let info = content.info
        self.init(
            url: content.url ?? "", name: content.filename ?? content.body,
            mimeType: info?.mimeType, size: info?.size)
        requiresAuth = true
        if content.isFileEncrypted { customType = Self.encryptedType }
        var properties: [String: JSONValue] = [:]
        properties["width"] = info?.width.map { .int(Int64($0)) }
        properties["height"] = info?.height.map { .int(Int64($0)) }
        properties["duration"] = info?.duration.map { .int(Int64($0)) }
        if content.isVoice { properties["is_voice"] = true }
        if !properties.isEmpty { data = JSONValue.object(properties).description }
        guard let url = info?.thumbnailURL else { return }
        var thumbnail = Thumbnail()
        thumbnail.url = url
        thumbnail.requiresAuth = true
        thumbnail.width = info?.thumbnailWidth ?? 0
        thumbnail.height = info?.thumbnailHeight ?? 0
        thumbnails = [thumbnail]
    }
}
