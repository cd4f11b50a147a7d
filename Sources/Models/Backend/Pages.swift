/// The point in a channel's history at which a request for a page starts.
public enum MessageAnchor: Hashable, Sendable {
    /// The newest end of the history.
    case newest
    /// A time on the server's clock; messages of this time or later are newer.
    case time(Timestamp)
    /// A message, which the page contains as the oldest of the newer ones.
    ///
    /// It may be deleted, if the backend knows its position.
    case message(MessageID)
    /// An end of another page.
    case cursor(PageCursor)
}

/// A contiguous range of a channel's history.
///
/// Except for ``outliers``, it contains every message between its ends. Only its cursors show
/// whether it connects to a known range.
public struct MessagePage: Hashable, Sendable {
    /// The messages, oldest first.
    public var messages: [Message]

    /// The IDs of messages outside the range that the page covers, from a server that does not
    /// order pages by position.
    ///
    /// For example, a message that arrives late from another server is on the newest page, but has
    /// an older time. If the anchor is such a message, its ID is in this set, too.
    ///
    /// Conversely, a late message with a position in the page's range may be on another page.
    public var outliers: Set<MessageID>

    /// The cursor of the next older page; `nil` if no older message exists.
    public var older: PageCursor?

    /// The cursor of the next newer page; `nil` if no newer message existed when the server read
    /// the page.
    public var newer: PageCursor?

    /// Creates a page.
    public init(
        messages: [Message], outliers: Set<MessageID> = [], older: PageCursor?, newer: PageCursor?
    ) {
        self.messages = messages
        self.outliers = outliers
        self.older = older
        self.newer = newer
    }
}

/// The result of fetching messages by their IDs.
public struct MessageLookup: Hashable, Sendable {
    /// The existing messages, in their current version and in no particular order.
    public var found: [Message]

    /// The IDs of messages that do not exist or are not visible to the user.
    public var gone: [MessageID]

    /// Creates a lookup result.
    public init(found: [Message], gone: [MessageID]) {
        self.found = found
        self.gone = gone
    }
}

/// A page of a list, and the cursor of the next page.
public struct Page<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The elements, in the order of the list.
    public var elements: [Element]

    /// The cursor of the next page; `nil` at the end of the list.
    ///
    /// A short or even empty page is not necessarily the last one.
    public var next: PageCursor?

    /// Creates a page.
    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
