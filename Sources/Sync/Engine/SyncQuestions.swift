public import Models
public import Store

/// A request that a caller of the engine makes, and not the engine itself.
enum SyncQuestion: Hashable, Sendable {
    /// A page of messages or replies, which is stored.
    ///
    /// Observers are notified with the given source of the change.
    case page(PageRequest, CollectionEventSource)
    case lookup([MessageID], ChannelURL)
    /// The last lookup of stored messages that a page did not contain.
    ///
    /// After it, the page's extent is no longer stale, unless the store's loss count differs from
    /// `lossCount`, its value when the page was stored.
    case lookupUnconfirmed([MessageID], ChannelURL, PageExtent, lossCount: Int64)
    /// A page to compare with the stored messages.
    case compare(PageRequest)
    /// A lookup whose answer is not stored.
    case confirm([MessageID], ChannelURL)
    /// A group channel to compare with the cached one.
    case compareChannel(ChannelURL)
    /// A search on the server.
    case search(MessageSearchParams, PageCursor?, limit: Int)
    case messageChanges(ChannelURL, ChangelogPoint, MessageChangelogParams?)
    case channelChanges(ChangelogPoint, GroupChannelChangelogParams?)
    case channels(GroupChannelListQuery, PageCursor?)
    case channel(ChannelURL)
    case createChannel(GroupChannelCreateParams)
    case updateChannel(ChannelURL, Patch<GroupChannel>)
    case join(ChannelURL)

    var request: BackendRequest {
        switch self {
        case .page(let page, _), .compare(let page): page.call
        case .lookup(let ids, let url), .lookupUnconfirmed(let ids, let url, _, _),
            .confirm(let ids, let url):
            .lookup(ids, url)
        case .search(let params, let cursor, let limit): .search(params, cursor, limit: limit)
        case .messageChanges(let url, let point, let params): .messageChanges(url, point, params)
        case .channelChanges(let point, let params): .channelChanges(point, params)
        case .channels(let query, let cursor): .channels(query, cursor)
        case .channel(let url), .compareChannel(let url): .channel(url)
        case .createChannel(let params): .createChannel(params)
        case .updateChannel(let url, let patch): .updateChannel(url, patch)
        case .join(let url): .join(url)
        }
    }
}

extension SyncQuestion {
    /// The subject of the request in error messages.
    var subject: String {
        if case .search(let params, _, _) = self { return "the search for \"\(params.text)\"" }
        return request.channelURL.map { "channel \($0)" } ?? "the list of channels"
    }

    /// The request to make if the answer to this request was voided.
    var repeated: SyncQuestion {
        if case .page(let request, let source) = self {
            .page(request.repeated, source)
        } else {
            self
        }
    }
}

/// The answer to a ``SyncQuestion``.
enum SyncReply: Sendable {
    case page(FetchedMessages)
    case lookup(MessageLookup)
    case found(ServerSearchPage)
    /// The differences, the cursor at which the comparison continues, and the lower bound of the
    /// compared range.
    case compared(HistoryDifferences, next: PageCursor?, from: Gap.Bound?)
    /// The difference between the cached channel and the server's version; `nil` if there is none.
    case comparedChannel(ChannelDifference?)
    case messageChanges(MessageChangelog)
    case channelChanges(GroupChannelChangelog)
    case channels(Page<GroupChannel>)
    case channel(GroupChannel)
    case deliveryResult(DeliveryResult)
    case caughtUp
}

/// A page of messages that was fetched and stored.
public struct FetchedMessages: Hashable, Sendable {
    /// The page, as returned by the server.
    public var page: MessagePage

    /// The range that the page covers; `nil` if the page covers only its messages.
    var extent: PageExtent?

    /// The stored messages in the covered range that the page does not contain.
    ///
    /// They may have been deleted.
    var unconfirmed: [MessageID]

    /// The value of `StoreReader.lossCount()` when the page was stored.
    var lossCount: Int64

    /// The lower bound of the covered range of the history or thread; `nil` if the page covers only
    /// its messages.
    public var from: Gap.Bound? { extent?.from }

    /// The upper bound of the covered range of the history or thread; `nil` if the page covers only
    /// its messages.
    public var through: Gap.Bound? { extent?.through }
}

/// A page of messages that the server has found.
public struct ServerSearchPage: Hashable, Sendable {
    /// The messages that match, newest first, as the server returned them, except those that are
    /// known to be deleted.
    public let messages: [Message]

    /// The cursor of the next page; `nil` if the server has searched everything.
    public let next: PageCursor?

    /// The time after which the server has searched all messages; `nil` if the page is empty.
    public let searchedAfter: Timestamp?
}
