/// Identifies a message, whether or not it has been sent.
///
/// The request ID, which a message has from the moment of writing, continues to identify it after
/// it was sent.
public enum MessageReference: Hashable, Codable, Sendable {
    /// A message that the server has accepted.
    case sent(MessageID)

    /// A message that the user wrote on this device.
    case written(RequestID)

    /// Creates a reference from a message's ID or, without one, its request ID; `nil` if it has
    /// neither.
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
    /// It is the request ID of a message that the user wrote, and otherwise the message ID. In the
    /// rows of a collection, it is unique and does not change while the message is listed.
    public var id: MessageReference {
        if let rowID { return rowID }
        if let requestID { return .written(requestID) }
        return .sent(messageID ?? "")
    }
}
