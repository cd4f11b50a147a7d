/// The position of a message in its channel's history: its time, then its ID.
///
/// It is unique, never changes, and has the same order on every device.
public struct Position: Hashable, Comparable, Codable, Sendable {
    /// The time at which the server accepted the message.
    public let createdAt: Timestamp

    /// The message's ID.
    public let messageID: MessageID

    /// Creates a position.
    public init(createdAt: Timestamp, messageID: MessageID) {
        self.createdAt = createdAt
        self.messageID = messageID
    }

    /// Compares times and, if they are equal, IDs.
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
    /// The time in milliseconds and the ID, such as "1700000000123/7001".
    public var description: String { "\(createdAt)/\(messageID)" }
}
