public import Models

/// The changes of one commit, or an event that is not stored.
///
/// The store notifies observers of everything in this form.
public struct Change: Hashable, Sendable {
    /// The sequence number of the change since the store was opened, starting at 1.
    ///
    /// An observer of a part of the store receives only changes of that part, so the numbers that
    /// it sees increase, but not always by one. Tokens, tombstones, pins and access times are not
    /// reported: a commit with only these has a number and no entries.
    public let number: Int

    /// The operations of the commit with their sources, in the order of the batch.
    public let entries: [Entry]

    /// The operations of the commit, in the order of the batch.
    public var operations: [Operation] { entries.map(\.operation) }

    /// A Boolean value that indicates whether there are no operations.
    public var isEmpty: Bool { entries.isEmpty }

    /// Creates a change like those that a store creates, for testing code that processes changes.
    package init(number: Int, entries: [Entry]) {
        self.number = number
        self.entries = entries
    }
}

extension Change {
    /// An operation with its source.
    public struct Entry: Hashable, Sendable {
        /// The operation.
        public let operation: Operation

        /// The source, as collections report it; `nil` if the batch has not specified one.
        public let source: CollectionEventSource?

        /// The affected users and the user who caused the change; `nil` if the batch has not
        /// specified them.
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

    /// An operation of a batch.
    ///
    /// Later versions may add operations.
    public enum Operation: Hashable, Sendable {
        /// A message was saved: it is new, or replaces the one with the same ID.
        ///
        /// Find the replaced message by its ID, since its position may have changed.
        case savedMessage(Message)
        /// A message was removed. The value includes its position.
        case removedMessage(MessageID, at: Position, in: ChannelURL)
        /// The messages in a closed range were removed.
        case removedMessages(in: ChannelURL, from: Gap.Bound, through: Gap.Bound)
        /// All messages, gaps and stale ranges of a channel were removed, without an operation for
        /// each. Its history is one gap.
        case clearedMessages(in: ChannelURL)

        /// A group channel was saved, new or changed.
        case savedGroupChannel(GroupChannel)
        /// An open channel was saved, new or changed.
        case savedOpenChannel(OpenChannel)
        /// A channel was removed with all its data, without an operation for each.
        case removedChannel(ChannelURL)

        /// A gap was saved, new or changed. It replaces the one with the same upper bound.
        case savedGap(Gap)
        /// A gap was removed: it was closed, or replaced by others.
        case removedGap(Gap)
        /// A stale range was saved, new or changed.
        case savedStaleRange(StaleRange)
        /// A stale range was removed.
        case removedStaleRange(StaleRange)

        /// A user was saved, new or changed.
        case savedUser(User)
        /// A user was removed.
        case removedUser(UserID)

        /// All data that can be fetched again was removed: channels with all their data, users and
        /// tokens, without an operation for each. Outbox items are kept.
        case clearedCachedData

        /// An outbox item was saved, new or changed.
        case savedOutboxItem(OutboxItem)
        /// An outbox item was removed.
        case removedOutboxItem(OutboxItem)

        /// The draft of a channel was saved; removed if the text is empty.
        case savedDraft(String, of: ChannelURL)

        /// An event that is not stored.
        case ephemeral(Ephemeral)

        /// The observer's buffer has overflowed, or the files were closed temporarily. The observer
        /// must read everything again.
        case missed
    }
}

/// An event that is not stored.
public enum Ephemeral: Hashable, Sendable {
    /// The users who are typing in a channel have changed; the list is complete.
    case typing([User], in: ChannelURL)
    /// Users have entered or exited an open channel.
    case participants(entered: [User], exited: [User], in: ChannelURL)
    /// A channel has changed while the client was offline, and is now up to date.
    case caughtUp(ChannelURL)
    /// Part of a file was uploaded: `bytes` of `total` so far.
    case uploadProgress(RequestID, in: ChannelURL, bytes: Int, total: Int)
    /// The state of the connection has changed.
    case connection(ConnectionState)
}

// MARK: The channel of an operation

extension Change.Operation {
    /// The URL of the channel that the operation is about; `nil` if there is none.
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
        case .savedOutboxItem(let item), .removedOutboxItem(let item): item.channelURL
        case .savedDraft(_, let url): url
        case .ephemeral(.typing(_, let url)), .ephemeral(.participants(_, _, let url)),
            .ephemeral(.caughtUp(let url)), .ephemeral(.uploadProgress(_, let url, _, _)):
            url
        case .savedUser, .removedUser, .clearedCachedData, .ephemeral(.connection), .missed: nil
        }
    }
}
