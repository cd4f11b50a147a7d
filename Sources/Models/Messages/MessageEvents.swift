/// The effect of a message on notifications, unread counts and the channel's last message.
public struct MessageEvents: Record {
    /// The binary form.
    public var fields = RecordFields<MessageEvents>()

    /// Creates an empty record.
    public init() {}

    /// A Boolean value that indicates whether the message increases the unread count.
    public var updatesUnreadCount: Bool {
        get { self[2, default: true] }
        set { self[2, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the message increases the mention count.
    public var updatesMentionCount: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the message becomes the channel's last message.
    public var updatesLastMessage: Bool {
        get { self[4, default: true] }
        set { self[4, default: true] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "MessageEvents",
        [
            Field(2, "update_unread_count", \MessageEvents.updatesUnreadCount, default: true),
            Field(3, "update_mention_count", \MessageEvents.updatesMentionCount, default: true),
            Field(4, "update_last_message", \MessageEvents.updatesLastMessage, default: true),
        ])
}

extension MessageEvents: SingularValue {}
