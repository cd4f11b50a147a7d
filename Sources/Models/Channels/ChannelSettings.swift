/// When the messages of a channel disappear.
public struct DisappearingMessage: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<DisappearingMessage>()

    /// Creates a record without any field.
    public init() {}

    /// After how many seconds; negative for never.
    public var survivalSeconds: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Whether the time begins when everybody has read it.
    public var isTriggeredByRead: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "DisappearingMessage",
        [
            Field(1, "message_survival_seconds", \DisappearingMessage.survivalSeconds),
            Field(2, "is_triggered_by_message_read", \DisappearingMessage.isTriggeredByRead),
        ])
}

extension DisappearingMessage: SingularValue {}

/// When unread messages of a channel are sent as SMS.
public struct SMSFallback: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<SMSFallback>()

    /// Creates a record without any field.
    public init() {}

    /// How long a message may stay unread before, in seconds.
    public var waitSeconds: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Who never gets one.
    public var excludedUserIDs: [UserID] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "SMSFallback",
        [
            Field(1, "wait_seconds", \SMSFallback.waitSeconds),
            Field(2, "exclude_user_ids", \SMSFallback.excludedUserIDs),
        ])
}

extension SMSFallback: SingularValue {}
