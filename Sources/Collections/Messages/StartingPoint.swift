public import Models

/// The position in a history at which a message collection starts.
public enum StartingPoint: Hashable, Sendable {
    /// The newest message: new messages are shown as they arrive.
    case latest
    /// A time on the server's clock, with messages before and after it.
    case time(Timestamp)
    /// The position up to which the user has read; the newest message if it is unknown.
    case lastRead
}
