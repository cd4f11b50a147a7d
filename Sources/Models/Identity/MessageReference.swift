/// The identity of a message, whether or not it has been sent.
///
/// The server assigns the ID of a message. Until then, the message has only the request ID that
/// this device assigned. A request ID continues to identify the message after it was sent.
public enum MessageReference: Hashable, Codable, Sendable {
    /// A message that the server has accepted.
    case sent(MessageID)

    /// A message that the user wrote on this device, even if it has been sent since.
    case written(RequestID)

    /// Returns the message ID of a message if it has one, and its request ID otherwise; `nil` if it
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
