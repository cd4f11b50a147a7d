public import Models
public import Store

/// A page of messages that was fetched and stored.
public struct FetchedMessages: Hashable, Sendable {
    /// The page, as returned by the server.
    public var page: MessagePage

    /// The range that the page covers; `nil` if the page covers only its messages.
    var extent: PageExtent?

    /// True if the feed reports all events since the request; otherwise, the page covers no range.
    package var isFollowed: Bool

    /// The stored messages of the covered range that the page lacks, and that may have been
    /// deleted.
    var unconfirmed: [MessageID]

    /// The value of `StoreReader.lossCount()` when the page was stored.
    var lossCount: Int64

    /// The lower bound of the covered range; `nil` if the page covers only its messages.
    public var from: Gap.Bound? { extent?.from }

    /// The upper bound of the covered range; `nil` if the page covers only its messages.
    public var through: Gap.Bound? { extent?.through }
}

/// A page of messages that the server has found.
public struct ServerSearchPage: Hashable, Sendable {
    /// The messages that match, newest first, except those that are known to be deleted.
    public let messages: [Message]

    /// The cursor of the next page; `nil` if the server has searched everything.
    public let next: PageCursor?

    /// The time after which the server has searched all messages; `nil` if the page is empty.
    public let searchedAfter: Timestamp?
}
