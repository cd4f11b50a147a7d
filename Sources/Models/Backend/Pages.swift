/// The point in a channel's history at which a page starts.
public enum MessageAnchor: Hashable, Sendable {
    /// The newest end of the history.
    case newest
    /// A time on the server's clock. Older messages were created before it, newer messages at that
    /// time or later.
    case time(Timestamp)
    /// A message. It is part of the page, as the oldest of the newer messages.
    ///
    /// A deleted message is valid too, as long as the backend knows its position.
    case message(MessageID)
    /// The point at which another page ended.
    case cursor(PageCursor)
}

/// A contiguous range of a channel's history.
///
/// No message is missing between the oldest and the newest message of the page that are not
/// ``outliers``. Use only the cursors to decide how the page connects to known ranges, not the
/// number of messages or their times.
public struct MessagePage: Hashable, Sendable {
    /// The messages, oldest first.
    public var messages: [Message]

    /// The IDs of messages on the page to which the range that the page covers does not extend, and
    /// that of the anchor, if it is such a message.
    ///
    /// A server may read its pages in another order than that of positions: a message that arrives
    /// late from another server is on the newest page, with the time at which it was sent. Outliers
    /// are stored and shown like other messages.
    ///
    /// A late message that the server has on another page may be missing in the range, until the
    /// range between the messages that arrived just before and just after it is fetched.
    public var outliers: Set<MessageID>

    /// The cursor of the next page toward older messages; `nil` if no older message exists.
    public var older: PageCursor?

    /// The cursor of the next page toward newer messages; `nil` if no newer message existed when
    /// the page was read.
    ///
    /// The feed reports messages that the server accepted since then.
    public var newer: PageCursor?

    /// Creates a page of messages.
    ///
    /// `outliers` is empty if the server orders its pages by position.
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
    /// A page may be short, or even empty, without being the last one.
    public var next: PageCursor?

    /// Creates a page.
    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
