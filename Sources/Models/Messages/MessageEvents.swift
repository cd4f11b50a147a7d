/// The effect of a message on push notifications, unread counts and the channel's last message.
public struct MessageEvents: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<MessageEvents>()

    /// Creates a record without any fields.
    public init() {}

    /// The recipients of push notifications in the server's format, such as "receivers".
    public var sendPushNotification: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

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

    /// The fields of this type.
    public static let schema = Schema(
        "MessageEvents",
        [
            Field(1, "send_push_notification", \MessageEvents.sendPushNotification),
            Field(2, "update_unread_count", \MessageEvents.updatesUnreadCount, default: true),
            Field(3, "update_mention_count", \MessageEvents.updatesMentionCount, default: true),
            Field(4, "update_last_message", \MessageEvents.updatesLastMessage, default: true),
        ])
}

extension MessageEvents: SingularValue {}

/// The sound of a message's critical alert on Apple platforms.
public struct AppleCriticalAlertOptions: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<AppleCriticalAlertOptions>()

    /// Creates a record without any fields.
    public init() {}

    /// The name of the sound.
    public var name: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The volume from 0 to 1.
    public var volume: Double {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "AppleCriticalAlertOptions",
        [
            Field(1, "critical_sound", \AppleCriticalAlertOptions.name),
            Field(2, "volume", \AppleCriticalAlertOptions.volume),
        ])
}

extension AppleCriticalAlertOptions: SingularValue {}
