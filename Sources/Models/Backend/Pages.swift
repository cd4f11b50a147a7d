/// The point in a channel's history at which a request for a page starts.
public enum MessageAnchor: Hashable, Sendable {
    /// The newest end of the history.
    case newest
    /// A time on the server's clock. Messages of this time or later are newer, all others older.
    case time(Timestamp)
    /// A message. The page contains it as the oldest of the newer messages.
    ///
    /// It may be deleted, as long as the backend knows its position.
    case message(MessageID)
    /// An end of another page.
    case cursor(PageCursor)
}

/// A contiguous range of a channel's history.
///
/// Except for ``outliers``, it contains every message between its oldest and its newest one. Only
/// its cursors show whether it connects to a known range.
public struct MessagePage: Hashable, Sendable {
    /// The messages, oldest first.
    public var messages: [Message]

    /// The IDs of messages on the page that lie outside the range that the page covers, from a
    /// server that does not order its pages by position.
    ///
    /// For example, a message that arrives late from another server is on the newest page, but has
    /// the older time at which it was sent. If the anchor of the request is such a message, its ID
    /// is in this set, too. Clients store and show outliers like other messages.
    ///
    /// Conversely, a late message with a position in the page's range may be on another page,
    /// without which clients lack it.
    public var outliers: Set<MessageID>

    /// The cursor of the next page toward older messages; `nil` if no older message exists.
    public var older: PageCursor?

    /// The cursor of the next page toward newer messages; `nil` if none existed when the server
    /// read the page.
    ///
    /// The feed reports later ones.
    public var newer: PageCursor?

    /// Creates a page of messages.
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
    /// The messages that exist, in their current version and in no particular order.
    public var found: [Message]

    /// The IDs of messages that do not exist or are not visible to this user.
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
    /// A page that is short, or even empty, is not necessarily the last one.
    public var next: PageCursor?

    /// Creates a page.
    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
