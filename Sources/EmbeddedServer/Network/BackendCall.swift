/// A kind of call that a client makes, by the name it has in `Backend`.
///
/// Disconnecting is none: it is done on the device, whatever the network is like. Later versions may
/// add kinds, so a `switch` over them needs a `default`.
public enum BackendCall: String, CaseIterable, Hashable, Sendable {
    /// Lets the user in.
    case connect
    /// Tells what comes after a cursor.
    case feed
    /// A page of a channel's history.
    case messages
    /// Messages by their ids.
    case lookup
    /// A page of a thread.
    case replies
    /// The number of messages.
    case countMessages
    /// A page of a message changelog.
    case messageChanges
    /// A page of the channel changelog.
    case channelChanges
    /// A page of the channel list.
    case channels
    /// One channel.
    case channel
    /// A page of a channel's members.
    case members
    /// Makes a message.
    case send
    /// Edits a message.
    case update
    /// Deletes a message.
    case delete
    /// Gives a reaction, or takes it back.
    case react
    /// Uploads a file.
    case upload
    /// Downloads a file.
    case download
    /// Tells that the user has read.
    case markAsRead
    /// Tells that messages have come.
    case markAsDelivered
    /// Tells that the user is typing.
    case setTyping
    /// Creates a group channel.
    case createChannel
    /// Changes a group channel.
    case updateChannel
    /// Deletes a group channel.
    case deleteChannel
    /// Invites users.
    case invite
    /// Accepts or declines.
    case answerInvitation
    /// Joins a group channel.
    case join
    /// Leaves a group channel.
    case leave
    /// Hides a group channel, or shows it.
    case hide
    /// Begins the user's history anew.
    case resetMyHistory
    /// Freezes a channel.
    case setFrozen
    /// Mutes or bans.
    case restrict
    /// Ends what was a mute or ban.
    case lift
    /// A page of the open channels.
    case openChannels
    /// One open channel.
    case openChannel
    /// Creates an open channel.
    case createOpenChannel
    /// Enters an open channel.
    case enter
    /// Exits an open channel.
    case exit
}

extension BackendCall: CustomStringConvertible {
    /// The name, such as "send".
    public var description: String { rawValue }
}

extension Set<BackendCall> {
    /// All calls.
    public static let all = Set(BackendCall.allCases)

    /// The calls that only ask, and whose answer can be had again by asking again.
    public static let reads: Set = [
        .feed, .messages, .lookup, .replies, .countMessages, .messageChanges, .channelChanges,
        .channels, .channel, .members, .download, .openChannels, .openChannel,
    ]

    /// The calls that change something at the server; connecting is not one of them.
    public static let writes = all.subtracting(reads).subtracting([.connect])
}
