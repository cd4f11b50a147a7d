/// A kind of call of a backend, named like the method of `Backend`.
///
/// `disconnect` is missing, because it does not use the network. Later versions may add kinds: a
/// `switch` over them needs a `default`.
public enum BackendCall: String, CaseIterable, Hashable, Sendable {
    /// Connects the user.
    case connect
    /// Returns events after a cursor.
    case feed
    /// Returns a page of a channel's history.
    case messages
    /// Returns messages by their IDs.
    case lookup
    /// Returns the reactions to messages.
    case reactions
    /// Returns a page of a thread.
    case replies
    /// Counts messages.
    case countMessages
    /// Returns a page of the messages that match a search.
    case searchMessages
    /// Returns a page of the message changelog.
    case messageChanges
    /// Returns a page of the channel changelog.
    case channelChanges
    /// Returns a page of the channel list.
    case channels
    /// Returns a channel.
    case channel
    /// Returns a page of a channel's members.
    case members
    /// Sends a message.
    case send
    /// Edits a message.
    case update
    /// Deletes a message.
    case delete
    /// Adds or removes a reaction.
    case react
    /// Uploads a file.
    case upload
    /// Downloads a file.
    case download
    /// Marks a channel as read.
    case markAsRead
    /// Marks messages as delivered.
    case markAsDelivered
    /// Reports whether the user is typing.
    case setTyping
    /// Creates a group channel.
    case createChannel
    /// Changes a group channel.
    case updateChannel
    /// Deletes a group channel.
    case deleteChannel
    /// Invites users.
    case invite
    /// Accepts or declines an invitation.
    case answerInvitation
    /// Joins a group channel.
    case join
    /// Leaves a group channel.
    case leave
    /// Hides a group channel or shows it again.
    case hide
    /// Resets the user's history of a channel.
    case resetMyHistory
    /// Freezes or unfreezes a channel.
    case setFrozen
    /// Mutes or bans a user.
    case restrict
    /// Ends a mute or a ban.
    case lift
    /// Marks messages as unread.
    case markAsUnread
    /// Pins or unpins a message.
    case setPinned
    /// Sets the role of members of a channel.
    case setRole
    /// Returns a page of the muted or banned users.
    case restrictedUsers
    /// Blocks or unblocks a user.
    case setBlocked
    /// Returns a page of the blocked users.
    case blockedUsers
    /// Reports a message, a user or a channel.
    case report
    /// Creates a poll.
    case createPoll
    /// Votes in a poll.
    case vote
    /// Returns a page of the open channels.
    case openChannels
    /// Returns an open channel.
    case openChannel
    /// Creates an open channel.
    case createOpenChannel
    /// Enters an open channel.
    case enter
    /// Exits an open channel.
    case exit
}

extension BackendCall: CustomStringConvertible {
    /// The name of the call, such as "send".
    public var description: String { rawValue }
}

extension Set<BackendCall> {
    /// All calls.
    public static let all = Set(BackendCall.allCases)

    /// The calls that have no effect on the server, and can therefore be repeated.
    public static let reads: Set = [
        .feed, .messages, .lookup, .reactions, .replies, .countMessages, .searchMessages,
        .messageChanges, .channelChanges, .channels, .channel, .members, .restrictedUsers,
        .blockedUsers, .download, .openChannels, .openChannel,
    ]

    /// The calls that change data on the server; `connect` is not one of them.
    public static let writes = all.subtracting(reads).subtracting([.connect])
}
