/// What a backend can do beside what every backend can.
public struct BackendCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates capabilities from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(bit: UInt32) { self.init(rawValue: 1 << bit) }

    /// Sending the same request id twice makes one message, however late the second attempt.
    ///
    /// Without it, a message whose fate is unknown is not sent again by itself.
    public static let deduplicatesRequests = BackendCapabilities(bit: 0)
    /// Answers message changelogs since a time, and not only since a token or cursor.
    public static let messageChangelogByTime = BackendCapabilities(bit: 1)
    /// Answers channel changelogs since a time, and not only since a token or cursor.
    public static let channelChangelogByTime = BackendCapabilities(bit: 2)
    /// Counts the messages of a part of a history.
    public static let counts = BackendCapabilities(bit: 3)
    /// Has reactions.
    public static let reactions = BackendCapabilities(bit: 4)
    /// Has threads: messages that answer others, and their lists.
    public static let threads = BackendCapabilities(bit: 5)
    /// Takes files.
    public static let files = BackendCapabilities(bit: 6)
    /// Tells up to when others have read.
    public static let readReceipts = BackendCapabilities(bit: 7)
    /// Tells up to when messages were delivered to others.
    public static let deliveryReceipts = BackendCapabilities(bit: 8)
    /// Tells who is typing.
    public static let typing = BackendCapabilities(bit: 9)
    /// Counts what the user has not read.
    public static let unreadCounts = BackendCapabilities(bit: 10)
    /// Has channels created, changed and deleted by its users.
    public static let channelManagement = BackendCapabilities(bit: 11)
    /// Has users invited who then join or decline; where it is missing, whoever is invited has joined.
    public static let invitations = BackendCapabilities(bit: 12)
    /// Has channels hidden by a user.
    public static let hiding = BackendCapabilities(bit: 13)
    /// Has channels frozen, and users muted and banned.
    public static let moderation = BackendCapabilities(bit: 14)
    /// Has the history of a channel reset for one user.
    public static let historyReset = BackendCapabilities(bit: 15)
    /// Has open channels.
    public static let openChannels = BackendCapabilities(bit: 16)
}

extension BackendCapabilities: CustomStringConvertible {
    /// The names of those that are there, such as "counts, threads".
    public var description: String {
        BackendCapabilities.names.filter { contains($0.capability) }.map(\.name)
            .joined(separator: ", ")
    }

    /// Each with its name, in the order of their bits.
    package static let names: [(capability: BackendCapabilities, name: String)] = [
        (.deduplicatesRequests, "deduplicatesRequests"),
        (.messageChangelogByTime, "messageChangelogByTime"),
        (.channelChangelogByTime, "channelChangelogByTime"),
        (.counts, "counts"), (.reactions, "reactions"), (.threads, "threads"), (.files, "files"),
        (.readReceipts, "readReceipts"), (.deliveryReceipts, "deliveryReceipts"),
        (.typing, "typing"), (.unreadCounts, "unreadCounts"),
        (.channelManagement, "channelManagement"), (.invitations, "invitations"),
        (.hiding, "hiding"), (.moderation, "moderation"), (.historyReset, "historyReset"),
        (.openChannels, "openChannels"),
    ]
}
