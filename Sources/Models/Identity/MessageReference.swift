/// Identifies a message, whether or not it has been sent.
///
/// A message has only the request ID of this device until the server assigns a message ID. The
/// request ID continues to identify the message after it was sent.
public enum MessageReference: Hashable, Codable, Sendable {
    /// A message that the server has accepted.
    case sent(MessageID)

    /// A message that the user wrote on this device, whether or not it was sent since.
    case written(RequestID)

    /// Creates a reference from a message's ID or, if it has none, from its request ID; `nil` if it
    /// has neither.
    public init?(_ message: Message) {
        if let id = message.messageID {
            self = .sent(id)
        } else if let id = message.requestID {
            self = .written(id)
        } else {
            return nil
        }
    }
}

extension Message: Identifiable {
    /// The identity of the message, for lists and selections; never `nil`.
    ///
    /// It is the request ID of a message that the user wrote, from the moment of writing, and
    /// otherwise the message ID. In the rows of a collection, it stays the same for as long as the
    /// message is listed, and is unique, whatever is learned about the message in the meantime.
    public var id: MessageReference {
        if let rowID { return rowID }
        if let requestID { return .written(requestID) }
        return .sent(messageID ?? "")
    }
}
