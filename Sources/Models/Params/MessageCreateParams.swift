/// What a user may say of a new message of any kind.
public protocol MessageCreateParams: Record {}

extension MessageCreateParams {
    /// What the application attaches, in whatever form it likes.
    public var data: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// What the application sorts its messages by; empty for none.
    public var customType: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether it mentions single users or all of the channel.
    public var mentionType: MentionType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The users it mentions.
    public var mentionedUserIDs: [UserID] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The text with places for the mentioned users' names.
    public var mentionedMessageTemplate: String? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// What the application attaches, by key, in its order.
    public var metaArrays: [MetaArray] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Whether others are notified.
    public var pushNotificationDeliveryOption: PushNotificationDeliveryOption {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The message it answers; `nil` if none.
    public var parentMessageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether a reply is shown in the channel too.
    public var isReplyToChannel: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// How it sounds as a critical alert; `nil` if it is none.
    public var appleCriticalAlertOptions: AppleCriticalAlertOptions? {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// Whether it is pinned in the channel.
    public var isPinned: Bool {
        get { self[11] }
        set { self[11] = newValue }
    }

    static var createFields: [Field] {
        [
            Field(1, "data", \Self.data),
            Field(2, "custom_type", \Self.customType),
            Field(3, "mention_type", \Self.mentionType),
            Field(4, "mentioned_user_ids", \Self.mentionedUserIDs),
            Field(5, "mentioned_message_template", \Self.mentionedMessageTemplate),
            Field(6, "sorted_metaarray", \Self.metaArrays),
            Field(7, "push_option", \Self.pushNotificationDeliveryOption),
            Field(8, "parent_message_id", \Self.parentMessageID),
            Field(9, "reply_to_channel", \Self.isReplyToChannel, aliases: ["is_reply_to_channel"]),
            Field(10, "apple_critical_alert_options", \Self.appleCriticalAlertOptions),
            Field(11, "is_pinned_message", \Self.isPinned),
        ]
    }
}

/// Whether others are notified of a message.
public enum PushNotificationDeliveryOption: Int, CaseIterable, Sendable {
    /// As their settings say.
    case `default` = 0
    /// Nobody is.
    case suppress = 1
}

extension PushNotificationDeliveryOption: WireEnum {
    static var names: [String] { ["default", "suppress"] }
}
