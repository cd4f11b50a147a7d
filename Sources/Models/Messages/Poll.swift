/// A question with options to vote for.
public struct Poll: Record {
    /// The binary form.
    public var fields = RecordFields<Poll>()

    /// Creates an empty record.
    public init() {}

    /// The poll's ID.
    public var id: Int64 {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The question.
    public var title: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The application's custom data.
    public var data: JSONValue? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Whether the poll accepts votes.
    public var status: PollStatus {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// A Boolean value that indicates whether a user can vote for several options.
    public var allowsMultipleVotes: Bool {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The options of the poll.
    public var options: [PollOption] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The number of users who have voted.
    public var voterCount: Int {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The IDs of the options that the current user voted for.
    public var votedOptionIDs: [Int64] {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The time at which the poll closes; negative if never.
    public var closeAt: Timestamp? {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// The user who created the poll.
    public var createdBy: UserID? {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// The time at which the poll was created.
    public var createdAt: Timestamp? {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The time of the last change.
    public var updatedAt: Timestamp? {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The ID of the message that contains the poll.
    public var messageID: MessageID? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Poll",
        [
            Field(1, "id", \Poll.id),
            Field(2, "title", \Poll.title),
            Field(3, "data", \Poll.data),
            Field(4, "status", \Poll.status),
            // Number 5 was `allow_user_suggestion`. Do not use it again.
            Field(6, "allow_multiple_votes", \Poll.allowsMultipleVotes),
            Field(7, "options", \Poll.options),
            Field(8, "voter_count", \Poll.voterCount),
            Field(9, "voted_option_ids", \Poll.votedOptionIDs),
            Field(10, "close_at", \Poll.closeAt),
            Field(11, "created_by", \Poll.createdBy),
            Field(12, "created_at", \Poll.createdAt),
            Field(13, "updated_at", \Poll.updatedAt),
            Field(14, "message_id", \Poll.messageID, meaning: .zeroIsNone),
        ])
}

extension Poll: SingularValue {}

/// An option of a poll.
public struct PollOption: Record {
    /// The binary form.
    public var fields = RecordFields<PollOption>()

    /// Creates an empty record.
    public init() {}

    /// The option's ID; unique within its poll.
    public var id: Int64 {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The text of the option.
    public var text: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The number of users who voted for the option.
    public var voteCount: Int {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "PollOption",
        [
            Field(1, "id", \PollOption.id),
            // Number 2 was the poll's ID, and 5 to 7 were for options of users. Do not use them
            // again.
            Field(3, "text", \PollOption.text),
            Field(4, "vote_count", \PollOption.voteCount),
        ])
}

extension PollOption: SingularValue {}

/// Whether a poll accepts votes.
public struct PollStatus: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The poll accepts votes.
    public static let open = Self(rawValue: 0)
    /// The poll is closed.
    public static let closed = Self(rawValue: 1)
}

extension PollStatus: OpenWireEnum {
    static var names: [String] { ["open", "closed"] }
}
