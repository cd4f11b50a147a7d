/// The parameters of a list of messages in a channel.
public struct MessageListParams: MessageSelectionParams {
    /// The binary form.
    public var fields = RecordFields<MessageListParams>()

    /// Creates an empty record.
    public init() {}

    /// The number of messages older than the anchor: 40 by default, clamped to 0...10,000.
    public var previousResultSize: Int {
        get { self[1, default: 40] }
        set { self[1, default: 40] = newValue }
    }

    /// The number of messages newer than the anchor: 40 by default, clamped to 0...10,000.
    public var nextResultSize: Int {
        get { self[2, default: 40] }
        set { self[2, default: 40] = newValue }
    }

    /// The replies to list; by default ``ReplyType/onlyReplyToChannel``.
    public var replyType: ReplyType {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "MessageListParams",
        selectionFields + [
            Field(1, "prev_result_size", \MessageListParams.previousResultSize, default: 40),
            Field(2, "next_result_size", \MessageListParams.nextResultSize, default: 40),
            Field(8, "reply_type", \MessageListParams.replyType),
        ])
}

extension MessageListParams: SingularValue {}

/// A kind of messages to list.
public enum MessageTypeFilter: CaseIterable, Sendable {
    /// Messages of all kinds.
    case all
    /// Texts of users.
    case text
    /// Files of users.
    case file
    /// Administrative messages.
    case admin
}

extension MessageTypeFilter: IndexedWireEnum {
    static var names: [String] { ["all", "user", "file", "admin"] }
}

/// A kind of replies to list.
public enum ReplyType: CaseIterable, Sendable {
    /// Only replies that are also shown in the channel.
    case onlyReplyToChannel
    /// All replies.
    case all
    /// No replies.
    case none
}

extension ReplyType: IndexedWireEnum {
    static var names: [String] { ["only_reply_to_channel", "all", "none"] }
}

extension MessageTypeFilter: Codable {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try Self.decode(from: decoder) }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try encodeJSON(to: encoder) }
}
