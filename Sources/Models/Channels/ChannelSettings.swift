/// The setting that makes the messages of a channel disappear.
public struct DisappearingMessage: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<DisappearingMessage>()

    /// Creates a record without any fields.
    public init() {}

    /// The lifetime of a message in seconds; negative if messages do not disappear.
    public var survivalSeconds: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// A Boolean value that indicates whether a message's lifetime starts when all members have
    /// read it.
    public var isTriggeredByRead: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "DisappearingMessage",
        [
            Field(1, "message_survival_seconds", \DisappearingMessage.survivalSeconds),
            Field(2, "is_triggered_by_message_read", \DisappearingMessage.isTriggeredByRead),
        ])
}

extension DisappearingMessage: SingularValue {}

/// The setting that sends unread messages of a channel as SMS.
public struct SMSFallback: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<SMSFallback>()

    /// Creates a record without any fields.
    public init() {}

    /// The number of seconds for which a message must be unread before it is sent as SMS.
    public var waitSeconds: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The users who never receive an SMS.
    public var excludedUserIDs: [UserID] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "SMSFallback",
        [
            Field(1, "wait_seconds", \SMSFallback.waitSeconds),
            Field(2, "exclude_user_ids", \SMSFallback.excludedUserIDs),
        ])
}

extension SMSFallback: SingularValue {}
