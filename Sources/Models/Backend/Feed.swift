/// A batch of feed events, and the cursor that follows them.
public struct FeedBatch: Hashable, Sendable {
    /// The events, oldest first.
    public var events: [FeedEvent]

    /// The cursor that resumes the feed.
    ///
    /// Commit it in the same write as the effects of ``events``.
    public var cursor: FeedCursor

    /// The server's current epoch.
    public var epoch: ServerEpoch

    /// A Boolean value that indicates whether all missed events were replayed.
    public var isLive: Bool

    /// Creates a batch.
    public init(events: [FeedEvent], cursor: FeedCursor, epoch: ServerEpoch, isLive: Bool) {
        self.events = events
        self.cursor = cursor
        self.epoch = epoch
        self.isLive = isLive
    }
}

/// An event of a backend's feed.
public enum FeedEvent: Hashable, Sendable {
    // MARK: Channels

    /// A group channel that the user has joined or is invited to was created or changed.
    case channel(ChannelUpdate)
    /// The user is no longer a member of a group channel.
    case channelRemoved(ChannelURL, ChannelRemoval)
    /// The complete list of the user's group channels; the user has lost cached channels that it
    /// omits.
    case channels(Set<ChannelURL>)
    /// All of the user's joined group channels, from a server that does not list invitations.
    ///
    /// The user has lost cached channels that it omits, except those with an invitation.
    case joinedChannels(Set<ChannelURL>)
    /// An open channel that the user has entered has changed; reported only while the feed is live.
    case openChannel(OpenChannel)

    // MARK: Messages

    /// The server accepted a message of any user.
    ///
    /// The feed reports all new messages of a channel, unless it also reports a
    /// ``truncation(in:)``.
    case messageReceived(Message)
    /// A message has changed; this is its complete new version.
    case messageUpdated(Message)
    /// A message of a group channel was changed or deleted; only its ID is known.
    ///
    /// The client fetches a cached message again when a list shows it. A later
    /// ``messageUpdated(_:)`` in the batch replaces even a newer version, because an edit was
    /// removed.
    case messageChanged(MessageID, in: ChannelURL)
    /// A message was deleted; the time is `nil` if unknown.
    case messageDeleted(MessageID, in: ChannelURL, at: Timestamp?)
    /// A message or an edit of a message was deleted; the backend does not know which, nor whether
    /// the message was in a thread.
    ///
    /// `createdAt` is the time of the message or of the edit, and `at` the time of the deletion. If
    /// the message is not cached, the client fetches again the messages that may have changed:
    /// those whose last edit has the time `createdAt`, and those with a reply since then.
    case messageOrEditDeleted(MessageID, in: ChannelURL, createdAt: Timestamp, at: Timestamp)
    /// All messages that a user had sent were deleted, in one channel or, if it is `nil`, in all;
    /// the time is `nil` if unknown.
    case messagesDeleted(ofSender: UserID, in: ChannelURL?, at: Timestamp?)
    /// A reaction was added or removed.
    case reaction(ReactionEvent)
    /// A thread has gained or lost a reply.
    case threadInfo(ThreadInfoUpdateEvent)
    /// The feed may have omitted messages of a channel at this point.
    ///
    /// The client then fetches pages from the newest message toward older ones and, for changes of
    /// cached messages, the changelog since the cursor of the previous batch.
    case truncation(in: ChannelURL)
    /// Messages of a channel were added, changed or removed without an event for each, as by an
    /// import, a bulk deletion, or the end of a retention period.
    ///
    /// The messages were created between the two times, both inclusive; a time of `nil` extends the
    /// range to the oldest or the newest message. The client fetches the range again.
    case historyChanged(in: ChannelURL, from: Timestamp?, through: Timestamp?)

    // MARK: People

    /// A user has read a channel up to a time.
    case read(by: UserID, in: ChannelURL, at: Timestamp)
    /// The messages of a channel up to a time were delivered to a user.
    case delivered(to: UserID, in: ChannelURL, at: Timestamp)
    /// All users who are typing in a channel; reported only while the feed is live.
    ///
    /// The list is valid until the channel's next one or the end of the connection, but at most for
    /// the engine's `typingTimeout`.
    case typing([User], in: ChannelURL)
    /// Users entered or exited an open channel that the current user has entered; reported only
    /// while the feed is live.
    case participants(entered: [User], exited: [User], in: ChannelURL)
}

extension FeedEvent {
    /// The URL of the event's channel; `nil` if it concerns several.
    public var channelURL: ChannelURL? {
        switch self {
        case .channel(let update): update.channelURL
        case .openChannel(let channel): channel.url
        case .messageReceived(let message), .messageUpdated(let message): message.channelURL
        case .reaction(let event): event.channelURL
        case .threadInfo(let event): event.channelURL
        case .channelRemoved(let url, _), .messageDeleted(_, in: let url, at: _),
            .messageChanged(_, in: let url),
            .messageOrEditDeleted(_, in: let url, createdAt: _, at: _),
            .truncation(in: let url), .historyChanged(in: let url, from: _, through: _),
            .read(by: _, in: let url, at: _),
            .delivered(to: _, in: let url, at: _), .typing(_, in: let url),
            .participants(entered: _, exited: _, in: let url):
            url
        case .messagesDeleted(ofSender: _, in: let url, at: _): url
        case .channels, .joinedChannels: nil
        }
    }

    /// `true` if the event concerns only the present, so that a repeated request does not report it
    /// again.
    package var isReportedOnce: Bool {
        switch self {
        case .typing, .participants, .openChannel: true
        default: false
        }
    }
}

/// A change of a group channel, and its cause.
public struct ChannelUpdate: Hashable, Sendable {
    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The changed fields; for a channel that is new to the user, all known fields.
    public var patch: Patch<GroupChannel>

    /// The cause of the change: a source of live events.
    public var source: CollectionEventSource

    /// The affected users, such as those who joined, left, were invited or were muted.
    public var users: [User]

    /// The user who made the change; `nil` if unknown.
    public var actor: User?

    /// The actor's reason, if any.
    public var reason: String?

    /// Creates an update.
    public init(
        _ channelURL: ChannelURL, _ patch: Patch<GroupChannel>,
        source: CollectionEventSource = .eventChannelChanged, users: [User] = [],
        actor: User? = nil, reason: String? = nil
    ) {
        self.channelURL = channelURL
        self.patch = patch
        self.source = source
        self.users = users
        self.actor = actor
        self.reason = reason
    }
}

/// Why the user is no longer a member of a group channel.
public struct ChannelRemoval: Hashable, Sendable {
    /// A kind of removal.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// The channel was deleted.
        case deleted
        /// The user left the channel or declined the invitation.
        case left
        /// Another user removed the user or withdrew the invitation.
        case removed
        /// The user was banned.
        case banned
        /// The cause is unknown.
        case unknown
    }

    /// The kind of removal.
    public var cause: Cause

    /// The user who removed or banned the user; `nil` if unknown.
    public var actor: User?

    /// The actor's reason, if any.
    public var reason: String?

    /// Creates a removal.
    public init(_ cause: Cause, by actor: User? = nil, reason: String? = nil) {
        self.cause = cause
        self.actor = actor
        self.reason = reason
    }
}
