/// Whether this device is connected to the server.
///
/// The raw values are those of the field's older interfaces; 2, closing, is closed.
public enum ConnectionState: Int, CaseIterable, Sendable {
    /// A connection is being made.
    case connecting = 0
    /// Connected.
    case open = 1
    /// Not connected.
    case closed = 3
}

/// Why a message, a user or a channel is reported.
public enum ReportCategory: String, CaseIterable, Sendable {
    /// Seems to be a fraud.
    case suspicious
    /// Harasses somebody.
    case harassing
    /// Was sent to too many who did not ask for it.
    case spam
    /// Does not belong here.
    case inappropriate
}

/// What a reply does to its channel's last message and unread count.
public enum ThreadReplyPolicy: Int, CaseIterable, Sendable {
    /// As the application's setting on the server says.
    case none = 0
    /// Every reply counts.
    case includeReply = 1
    /// No reply counts.
    case excludeReply = 2
    /// Only replies that are shown in the channel too count.
    case includeOnlyReplyToChannel = 3
}
