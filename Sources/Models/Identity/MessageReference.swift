/// Identifies a message, whether or not it has been sent.
///
/// A request ID continues to identify the message after it was sent.
public enum MessageReference: Hashable, Codable, Sendable {
    /// A message that the server has accepted.
    case sent(MessageID)

    /// A message that the user wrote on this device.
    case written(RequestID)

    /// Creates a reference from the message ID or, without one, the request ID; `nil` without both.
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
    /// It is the request ID of a message that the user wrote, and otherwise the message ID. In a
    /// collection, it is unique and does not change while the message is listed.
    public var id: MessageReference {
        if let rowID { return rowID }
        if let requestID { return .written(requestID) }
        return .sent(messageID ?? "")
    }
}
