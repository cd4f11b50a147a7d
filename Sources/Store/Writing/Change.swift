public import Models

/// What one commit did, or what was told without being stored: the only notification there is.
public struct Change: Hashable, Sendable {
    /// Counts the changes of a store from its opening, beginning with 1.
    ///
    /// An observer of a part of the store is told of the changes there, so it sees some numbers
    /// only, always growing. Tokens, tombstones, pins and accesses are told to nobody: a commit of
    /// these alone has a number, and no entries.
    public let number: Int

    /// What was done, in the order the batch did it, each with its reason.
    public let entries: [Entry]

    /// What was done, in the order the batch did it.
    public var operations: [Operation] { entries.map(\.operation) }

    /// Whether nothing was done.
    public var isEmpty: Bool { entries.isEmpty }

    /// Creates a change as a store would tell it, so that who folds changes needs no store to be
    /// tested.
    package init(number: Int, entries: [Entry]) {
        self.number = number
        self.entries = entries
    }
}

extension Change {
    /// One thing that was done.
    public struct Entry: Hashable, Sendable {
        /// What was done.
        public let operation: Operation

        /// Why, as collections tell their delegates; `nil` if the batch did not say.
        public let source: CollectionEventSource?

        /// Whom it happened to, and who did it; `nil` if the batch did not say.
        public let people: EventPeople?

        /// Creates an entry.
        package init(
            operation: Operation, source: CollectionEventSource? = nil, people: EventPeople? = nil
        ) {
            self.operation = operation
            self.source = source
            self.people = people
        }
    }

    /// A thing that a batch can do.
    ///
    /// Later versions may add some.
    public enum Operation: Hashable, Sendable {
        /// A message is there, new or instead of what was there under its id.
        ///
        /// Find the old one by its id: its position may have changed.
        case savedMessage(Message)
        /// A message is gone; where it was.
        case removedMessage(MessageID, at: Position, in: ChannelURL)
        /// The messages from one bound through another are gone.
        case removedMessages(in: ChannelURL, from: Gap.Bound, through: Gap.Bound)
        /// All messages of a channel are gone, with its gaps and stale ranges, which are not told
        /// one by one; its history is one gap.
        case clearedMessages(in: ChannelURL)

        /// A group channel is there, new or changed.
        case savedGroupChannel(GroupChannel)
        /// An open channel is there, new or changed.
        case savedOpenChannel(OpenChannel)
        /// A channel is gone, with all that was held of it; nothing of that is told one by one.
        case removedChannel(ChannelURL)

        /// A gap is there, new or changed; it replaces the one with the same upper bound.
        case savedGap(Gap)
        /// A gap is no more: closed, or replaced by others.
        case removedGap(Gap)
        /// A stale range is there, new or changed.
        case savedStaleRange(StaleRange)
        /// A stale range is no more.
        case removedStaleRange(StaleRange)

        /// A user is there, new or changed.
        case savedUser(User)
        /// A user is gone.
        case removedUser(UserID)

        /// All that the server can give again is gone: channels with all that was held of them,
        /// users and tokens; nothing of that is told one by one. Drafts stay.
        case clearedCachedData

        /// A draft is in the outbox, new or changed.
        case savedDraft(Draft)
        /// A draft left the outbox.
        case removedDraft(Draft)

        /// Something was told that is not stored.
        case told(Ephemeral)

        /// More happened than this observer's inbox holds: it has to read everything again.
        case missed
    }
}

/// News that nobody stores.
public enum Ephemeral: Hashable, Sendable {
    /// These users are typing in a channel, and no others.
    case typing([User], in: ChannelURL)
    /// These users have entered an open channel, and those have exited.
    case participants(entered: [User], exited: [User], in: ChannelURL)
    /// So many bytes of a file are uploaded.
    case uploadProgress(RequestID, in: ChannelURL, bytes: Int, total: Int)
    /// The connection to the server is in another state.
    case connection(ConnectionState)
}

// MARK: What an operation is about

extension Change.Operation {
    /// The channel that it is about, if it is about one.
    public var channelURL: ChannelURL? {
        switch self {
        case .savedMessage(let message): message.channelURL
        case .removedMessage(_, _, let url), .removedMessages(let url, _, _),
            .clearedMessages(let url), .removedChannel(let url):
            url
        case .savedGroupChannel(let channel): channel.url
        case .savedOpenChannel(let channel): channel.url
        case .savedGap(let gap), .removedGap(let gap): gap.channelURL
        case .savedStaleRange(let range), .removedStaleRange(let range): range.channelURL
        case .savedDraft(let draft), .removedDraft(let draft): draft.channelURL
        case .told(.typing(_, let url)), .told(.participants(_, _, let url)),
            .told(.uploadProgress(_, let url, _, _)):
            url
        case .savedUser, .removedUser, .clearedCachedData, .told(.connection), .missed: nil
        }
    }
}
