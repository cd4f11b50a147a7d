public import Models

/// The changes of one commit, or an event that is not stored.
public struct Change: Hashable, Sendable {
    /// The sequence number of the change since the store was opened, starting at 1.
    ///
    /// An observer receives only the numbers of changes of the part that it observes. Changes of
    /// tokens, tombstones, pins and access times are not reported, but their commits have numbers.
    public let number: Int

    /// The operations of the commit with their sources, in the order of the batch.
    public let entries: [Entry]

    /// The operations without their sources, in the order of the batch.
    public var operations: [Operation] { entries.map(\.operation) }

    /// Whether the change has no entries.
    public var isEmpty: Bool { entries.isEmpty }

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

        /// The source, as collections report it; `nil` if the batch did not specify it.
        public let source: CollectionEventSource?

        /// The affected users and the user who caused the change; `nil` if the batch did not
        /// specify them.
        public let people: EventPeople?

        package init(
            operation: Operation, source: CollectionEventSource? = nil, people: EventPeople? = nil
        ) {
            self.operation = operation
            self.source = source
            self.people = people
        }

        /// Returns whether the entry saves the message that the entry directly before it saved,
        /// from the same source.
        func replaces(_ previous: Entry) -> Bool {
            guard case .savedMessage(let message) = operation,
                case .savedMessage(let earlier) = previous.operation
            else { return false }
            return message.messageID == earlier.messageID
                && message.channelURL == earlier.channelURL
                && (source, people) == (previous.source, previous.people)
        }
    }

    /// An operation of a batch; later versions may add operations.
    public enum Operation: Hashable, Sendable {
        /// A message was saved, which may replace the stored message with the same ID.
        ///
        /// Find the replaced message by its ID, because its position may have changed. A
        /// replacement that changes only the times of reactions is not reported.
        case savedMessage(Message)
        /// A message was removed from the position at which it was stored.
        case removedMessage(MessageID, at: Position, in: ChannelURL)
        /// The messages in a closed range were removed.
        case removedMessages(in: ChannelURL, from: Gap.Bound, through: Gap.Bound)
        /// All messages, gaps and stale ranges of a channel were removed, without separate
        /// operations: its history is one gap.
        case clearedMessages(in: ChannelURL)

        /// A group channel was saved.
        case savedGroupChannel(GroupChannel)
        /// An open channel was saved.
        case savedOpenChannel(OpenChannel)
        /// A channel was removed with all its data, without separate operations for its messages
        /// and gaps.
        case removedChannel(ChannelURL)

        /// A gap was saved, which replaces any gap with the same upper bound.
        case savedGap(Gap)
        /// A gap was removed, because it was closed or replaced by others.
        case removedGap(Gap)
        /// A stale range was saved.
        case savedStaleRange(StaleRange)
        /// A stale range was removed.
        case removedStaleRange(StaleRange)
        /// The coverage of a kind was saved.
        case savedKindCoverage(KindCoverage)
        /// The coverage of a kind was removed: messages of the kind may be missing in each gap.
        case removedKindCoverage(KindCoverage)

        /// A user was saved.
        case savedUser(User)
        /// A user was removed.
        case removedUser(UserID)

        /// Channels with all their data, users and tokens were removed without separate operations,
        /// but not outbox items.
        case clearedCachedData

        /// The cache was damaged, and was replaced by an empty one.
        ///
        /// An observer may keep showing earlier data until they are fetched again.
        case replacedCache

        /// An outbox item was saved.
        case savedOutboxItem(OutboxItem)
        /// An outbox item was removed.
        case removedOutboxItem(OutboxItem)

        /// The draft of a channel, or of the thread of a parent message, was saved, or removed if
        /// empty.
        case savedDraft(Draft, of: ChannelURL, inThreadOf: MessageID?)

        /// The local labels of a channel were saved, or removed if empty; the channel is `nil` if
        /// it is not a stored group channel.
        case savedLabels(ChannelLabels, of: ChannelURL, GroupChannel?)

        /// A row of a table of the app was saved or removed; reported only if the table or
        /// everything was observed when the batch began.
        case changedRow(StoreRowChange)

        /// An event that is not stored.
        case ephemeral(Ephemeral)

        /// Changes are missing, because the observer's buffer was full or the files were closed
        /// temporarily: the observer must read all data again.
        case missed
    }
}

/// An event that is not stored.
public enum Ephemeral: Hashable, Sendable {
    /// The list of all users who are typing in a channel has changed.
    case typing([User], in: ChannelURL)
    /// Users have entered or exited an open channel.
    case participants(entered: [User], exited: [User], in: ChannelURL)
    /// A channel that changed while the client was offline is now up to date.
    case caughtUp(ChannelURL)
    /// A part of a file was uploaded: `bytes` of `total` bytes so far.
    case uploadProgress(RequestID, in: ChannelURL, bytes: Int, total: Int)
    /// The state of the connection has changed.
    case connection(ConnectionState)
}

// MARK: The channel of an operation

extension Change.Operation {
    /// The URL of the affected channel; `nil` if there is none.
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
        case .savedKindCoverage(let coverage), .removedKindCoverage(let coverage):
            coverage.channelURL
        case .savedOutboxItem(let item), .removedOutboxItem(let item): item.channelURL
        case .savedDraft(_, let url, _), .savedLabels(_, let url, _): url
        case .ephemeral(.typing(_, let url)), .ephemeral(.participants(_, _, let url)),
            .ephemeral(.caughtUp(let url)), .ephemeral(.uploadProgress(_, let url, _, _)):
            url
        case .savedUser, .removedUser, .clearedCachedData, .replacedCache, .changedRow,
            .ephemeral(.connection), .missed:
            nil
        }
    }
}
