public import Models
public import Store

/// A page of messages that was fetched and stored.
public struct FetchedMessages: Hashable, Sendable {
    /// The page that the server returned.
    public var page: MessagePage

    var extent: PageExtent?

    /// True if the feed reports all events since the request; otherwise, no range is covered.
    package var feedHadBegun: Bool

    /// The stored messages of the covered range to look up, because the page lacks them or may have
    /// an older version.
    var unconfirmed: [MessageID]

    var lossCount: Int64

    /// The lower bound of the covered range; `nil` if the page covers only its messages.
    public var from: Gap.Bound? { extent?.from }

    /// The upper bound of the covered range; `nil` if the page covers only its messages.
    public var through: Gap.Bound? { extent?.through }
}

/// A page of messages that the server has found.
package struct ServerSearchPage: Hashable, Sendable {
    /// The messages that match, newest first, without those that are known to be deleted.
    package let messages: [Message]

    /// The cursor of the next page; `nil` if the server has searched everything.
    package let next: PageCursor?

    /// The time after which the server has searched all messages; `nil` if the page is empty.
    package let searchedAfter: Timestamp?
}
