public import Models
public import Store

/// A request that a caller outside the core sends through the engine.
enum SyncQuestion: Hashable, Sendable {
    /// Messages near an anchor.
    ///
    /// The edge is set if it is known that no message is between it and them.
    case messages(
        ChannelURL, MessageAnchor, older: Int, newer: Int, edge: Gap.Bound?, CollectionEventSource)
    case lookup([MessageID], ChannelURL)
    /// A lookup of messages that a page lacked, so that the page's extent is no longer stale,
    /// unless the server's history was lost again since the page.
    case settle([MessageID], ChannelURL, PageExtent, lossCount: Int64)
    /// A comparison of the stored messages with a page.
    case compare(ChannelURL, MessageAnchor, older: Int, edge: Gap.Bound)
    /// How the held row of a group channel differs from the server's.
    case compareChannel(ChannelURL)
    case messageChanges(ChannelURL, ChangelogPoint, MessageChangelogParams?)
    case channelChanges(ChangelogPoint, GroupChannelChangelogParams?)
    case channels(GroupChannelListQuery, PageCursor?)
    case channel(ChannelURL)
    /// The replies to a message.
    case replies(MessageID, ChannelURL, MessageAnchor, older: Int, newer: Int)
    case createChannel(GroupChannelCreateParams)
    case updateChannel(ChannelURL, Patch<GroupChannel>)
    case join(ChannelURL)

    var request: BackendRequest {
        switch self {
        case .messages(let url, let anchor, let older, let newer, _, _):
            .messages(url, anchor, older: older, newer: newer)
        case .lookup(let ids, let url), .settle(let ids, let url, _, _): .lookup(ids, url)
        case .compare(let url, let anchor, let older, _):
            .messages(url, anchor, older: older, newer: 0)
        case .messageChanges(let url, let point, let params): .messageChanges(url, point, params)
        case .channelChanges(let point, let params): .channelChanges(point, params)
        case .channels(let query, let cursor): .channels(query, cursor)
        case .channel(let url), .compareChannel(let url): .channel(url)
        case .replies(let id, let url, let anchor, let older, let newer):
            .replies(id, url, anchor, older: older, newer: newer)
        case .createChannel(let params): .createChannel(params)
        case .updateChannel(let url, let patch): .updateChannel(url, patch)
        case .join(let url): .join(url)
        }
    }
}

extension SyncQuestion {
    /// The question to ask again after the answer was void.
    ///
    /// The history may have changed next to a cursor, so the cursor has no edge any more.
    var repeated: SyncQuestion {
        guard
            case .messages(let url, .cursor(let cursor), let older, let newer, _, let source) = self
        else { return self }
        return .messages(url, .cursor(cursor), older: older, newer: newer, edge: nil, source)
    }
}

/// The answer to a ``SyncQuestion``.
enum SyncReply: Sendable {
    case messages(FetchedMessages)
    case lookup(MessageLookup)
    /// The differences, the cursor at which the comparison continues, and the bound from which on
    /// all was compared.
    case compared(HistoryDifferences, next: PageCursor?, from: Gap.Bound?)
    /// The server's row of a channel, if the held one differs; `nil` if it does not.
    case comparedChannel(ChannelDifference?)
    case messageChanges(MessageChangelog)
    case channelChanges(GroupChannelChangelog)
    case channels(Page<GroupChannel>)
    case channel(GroupChannel)
    case replies(MessagePage)
    case deliveryResult(DeliveryResult)
    case caughtUp
}

/// Messages that were fetched and stored.
public struct FetchedMessages: Hashable, Sendable {
    /// The page as the server returned it, the oldest message first.
    public var page: MessagePage

    /// The extent that the page covers, or `nil` if it covers nothing but its messages.
    var extent: PageExtent?

    /// The stored messages that the page lacks, and that may have been deleted.
    var doubtful: [MessageID]

    /// The number of times that the server's history had been lost when the page was stored.
    var lossCount: Int64

    /// The lower bound of the known history around the page, or `nil` if the page covers nothing
    /// but its messages.
    public var from: Gap.Bound? { extent?.from }

    /// The upper bound of the known history around the page, or `nil` if the page covers nothing
    /// but its messages.
    public var through: Gap.Bound? { extent?.through }
}
