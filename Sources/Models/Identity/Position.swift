/// The place of a message in its channel's history: by time, ties by id.
///
/// A strict total order, the same on every device, and fixed for the life of a message.
public struct Position: Hashable, Comparable, Codable, Sendable {
    /// When the server accepted the message.
    public let createdAt: Timestamp

    /// The message; it decides between messages of the same millisecond.
    public let messageID: MessageID

    /// Creates a position.
    public init(createdAt: Timestamp, messageID: MessageID) {
        self.createdAt = createdAt
        self.messageID = messageID
    }

    /// Whether the left position is the older one.
    public static func < (left: Position, right: Position) -> Bool {
        if left.createdAt != right.createdAt { return left.createdAt < right.createdAt }
        return left.messageID < right.messageID
    }
}

extension Position {
    private enum CodingKeys: String, CodingKey {
        case createdAt = "created_at"
        case messageID = "message_id"
    }
}

extension Position: CustomStringConvertible {
    /// The time and the id, such as "1700000000123/7001".
    public var description: String { "\(createdAt)/\(messageID)" }
}
