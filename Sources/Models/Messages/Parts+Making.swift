extension Reaction {
    /// Creates a reaction.
    public init(key: String, userIDs: [UserID] = [], updatedAt: Timestamp = 0) {
        self.init { fields in
            fields.put(1, key)
            fields.put(2, userIDs)
            fields.put(3, updatedAt)
        }
    }
}

extension ReactionEvent {
    /// Creates an event.
    public init(
        _ operation: ReactionEventAction, _ key: String, by userID: UserID,
        to messageID: MessageID, in channelURL: ChannelURL, at updatedAt: Timestamp,
        requestID: RequestID? = nil
    ) {
        self.init { fields in
            fields.put(1, messageID)
            fields.put(2, key)
            fields.put(3, userID)
            fields.put(4, operation)
            fields.put(5, updatedAt)
            fields.put(6, channelURL)
            fields.put(7, requestID)
        }
    }
}

extension ThreadInfo {
    /// Creates the state of a thread.
    public init(
        replyCount: Int, mostRepliedUsers: [User] = [], lastRepliedAt: Timestamp?,
        updatedAt: Timestamp
    ) {
        self.init { fields in
            fields.put(1, replyCount)
            fields.put(2, mostRepliedUsers)
            fields.put(3, lastRepliedAt)
            fields.put(4, updatedAt)
        }
    }
}

extension ThreadInfoUpdateEvent {
    /// Creates an update of a thread.
    public init(
        parentMessageID: MessageID, channelURL: ChannelURL, channelType: ChannelType = .group,
        threadInfo: ThreadInfo
    ) {
        self.init { fields in
            fields.put(1, parentMessageID)
            fields.put(2, channelURL)
            fields.put(3, channelType)
            fields.put(4, Optional(threadInfo))
        }
    }
}

extension MetaArray {
    /// Creates a list of texts under a key.
    public init(key: String, values: [String] = []) {
        self.init { fields in
            fields.put(1, key)
            fields.put(2, values)
        }
    }
}

extension FileInfo {
    /// Creates a file of a message.
    public init(url: String, name: String? = nil, mimeType: String? = nil, size: Int? = nil) {
        self.init { fields in
            fields.put(1, url)
            fields.put(2, name)
            fields.put(3, mimeType)
            fields.put(4, size)
        }
    }
}
