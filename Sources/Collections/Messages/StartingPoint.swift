public import Models

/// Where a message collection begins to show a history.
public enum StartingPoint: Hashable, Sendable {
    /// At the newest message: what comes is shown as it comes.
    case latest
    /// At a time, by the server's clock, with messages before and after it.
    case time(Timestamp)
    /// Where the user has read to; at the newest message if that is not known.
    case lastRead
}
