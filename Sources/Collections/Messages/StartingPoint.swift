public import Models

/// The position at which the window of a message collection starts.
public enum StartingPoint: Hashable, Sendable {
    /// The newest message, so that new messages are shown as they arrive.
    case latest
    /// A time on the server's clock, with the messages around it.
    case time(Timestamp)
    /// The position up to which the user has read; the newest message if that is unknown.
    case lastRead
    /// A message, with those around it; if it is not cached, the list is empty until the server
    /// responds.
    case message(MessageID)
}
