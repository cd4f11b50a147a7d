/// The identity of a message that was sent, or that may not have been sent yet.
///
/// A message gets its ID from the server. Until then it has the request ID that this device gave
/// it, which continues to identify it after it was sent.
public enum MessageReference: Hashable, Codable, Sendable {
    /// A message that the server has.
    case sent(MessageID)

    /// A message that the user wrote on this device, whether or not it has been sent since.
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
