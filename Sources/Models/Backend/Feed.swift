/// A part of what a backend's feed tells, and where the feed goes on after it.
public struct FeedBatch: Hashable, Sendable {
    /// What happened, in this order.
    public var events: [FeedEvent]

    /// Where the feed goes on.
    ///
    /// To be stored with what the ``events`` do, in one batch.
    public var cursor: FeedCursor

    /// Which history of the server this is.
    public var epoch: ServerEpoch

    /// Whether the feed has told all that was missed, and tells from now on what happens.
    public var isLive: Bool

    /// Creates a part of a feed.
    public init(events: [FeedEvent], cursor: FeedCursor, epoch: ServerEpoch, isLive: Bool) {
        self.events = events
        self.cursor = cursor
        self.epoch = epoch
        self.isLive = isLive
    }
}

/// One thing that a backend's feed tells.
public enum FeedEvent: Hashable, Sendable {
    // MARK: Channels

    /// A group channel that the user has joined, or was invited to, is new or has changed.
    case channel(ChannelUpdate)
    /// A group channel is the user's no more.
    case channelRemoved(ChannelURL, ChannelRemoval)
    /// These are all group channels of the user: any other is the user's no more.
    case channels(Set<ChannelURL>)
    /// An open channel that the user has entered has changed; told live, and never replayed.
    case openChannel(OpenChannel)
    /// How much the user has not seen, over all channels.
    case unreadCount(UnreadItemCount)

    // MARK: Messages

    /// A message was accepted by the server, from whomever.
    ///
    /// Those of a channel follow each other without a gap, but for a ``hole(in:walk:)``.
    case messageReceived(Message)
    /// A message is no more what it was: the whole of it, as it now is.
    case messageUpdated(Message)
    /// A message was deleted; when, if the backend knows.
    case messageDeleted(MessageID, in: ChannelURL, at: Timestamp?)
    /// A reaction was given or taken back.
    case reaction(ReactionEvent)
    /// A thread has got a reply, or lost one.
    case threadInfo(ThreadInfoUpdateEvent)
    /// Messages may be missing between what the feed told of a channel before, and what it tells next.
    ///
    /// They are found by walking from the cursor towards older ones. What changed meanwhile in the
    /// messages before the hole, the message changelog tells since the cursor of the batch before.
    case hole(in: ChannelURL, walk: PageCursor)

    // MARK: People

    /// A user has read a channel up to a time.
    case read(by: UserID, in: ChannelURL, at: Timestamp)
    /// The messages of a channel up to a time were delivered to a user.
    case delivered(to: UserID, in: ChannelURL, at: Timestamp)
    /// These users are typing in a channel, and no others; told live, and never replayed.
    case typing([User], in: ChannelURL)
    /// These users have entered an open channel that the user has entered, and those have exited; told
    /// live, and never replayed.
    case participants(entered: [User], exited: [User], in: ChannelURL)
}

extension FeedEvent {
    /// The channel it speaks of; `nil` where it speaks of many.
    public var channelURL: ChannelURL? {
        switch self {
        case .channel(let update): update.channelURL
        case .openChannel(let channel): channel.url
        case .messageReceived(let message), .messageUpdated(let message): message.channelURL
        case .reaction(let event): event.channelURL
        case .threadInfo(let event): event.channelURL
        case .channelRemoved(let url, _), .messageDeleted(_, in: let url, at: _),
            .hole(in: let url, walk: _), .read(by: _, in: let url, at: _),
            .delivered(to: _, in: let url, at: _), .typing(_, in: let url),
            .participants(entered: _, exited: _, in: let url):
            url
        case .channels, .unreadCount: nil
        }
    }
}

/// What changed in a group channel, and why.
public struct ChannelUpdate: Hashable, Sendable {
    /// The channel.
    public var channelURL: ChannelURL

    /// What is known to have changed; what it does not name stays as it is.
    ///
    /// Of a channel that was not the user's before, all there is to know.
    public var patch: Patch<GroupChannel>

    /// What happened, in the words of collections; one of the live events.
    public var source: CollectionEventSource

    /// The users that it happened to: who joined, left, was invited, was muted.
    public var users: [User]

    /// Who did it; `nil` where that is not told.
    public var actor: User?

    /// Creates what changed in a channel.
    public init(
        _ channelURL: ChannelURL, _ patch: Patch<GroupChannel>,
        source: CollectionEventSource = .eventChannelChanged, users: [User] = [],
        actor: User? = nil
    ) {
        self.channelURL = channelURL
        self.patch = patch
        self.source = source
        self.users = users
        self.actor = actor
    }
}

/// Why a group channel is the user's no more.
public enum ChannelRemoval: Hashable, Sendable, CaseIterable {
    /// It was deleted.
    case deleted
    /// The user left it, or declined to join.
    case left
    /// The user was banned.
    case banned
    /// Nobody said.
    case unknown
}
