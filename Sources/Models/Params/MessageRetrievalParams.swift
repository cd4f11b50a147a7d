/// The message to fetch, and the data that it includes.
public struct MessageRetrievalParams: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<MessageRetrievalParams>()

    /// Creates a record without any fields.
    public init() {}

    /// The URL of the channel.
    public var channelURL: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The type of the channel.
    public var channelType: ChannelType {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The ID of the message.
    public var messageID: MessageID {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// A Boolean value that indicates whether the message includes its meta arrays.
    public var includesMetaArrays: Bool {
        get { self[10, default: true] }
        set { self[10, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the message includes its reactions.
    public var includesReactions: Bool {
        get { self[11, default: true] }
        set { self[11, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the message includes information about its replies.
    public var includesThreadInfo: Bool {
        get { self[12, default: true] }
        set { self[12, default: true] = newValue }
    }

    /// A Boolean value that indicates whether a reply includes a summary of its parent message.
    public var includesParentMessageInfo: Bool {
        get { self[13, default: true] }
        set { self[13, default: true] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "MessageRetrievalParams",
        [
            Field(1, "channel_url", \MessageRetrievalParams.channelURL),
            Field(2, "channel_type", \MessageRetrievalParams.channelType),
            Field(3, "message_id", \MessageRetrievalParams.messageID),
            Field(
                10, "include_meta_array", \MessageRetrievalParams.includesMetaArrays, default: true),
            Field(
                11, "include_reactions", \MessageRetrievalParams.includesReactions, default: true),
            Field(
                12, "include_thread_info", \MessageRetrievalParams.includesThreadInfo, default: true
            ),
            Field(
                13, "include_parent_message_info",
                \MessageRetrievalParams.includesParentMessageInfo, default: true),
        ])
}

extension MessageRetrievalParams: SingularValue {}
