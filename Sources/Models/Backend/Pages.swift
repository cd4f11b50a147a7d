/// Where a page of messages is to lie.
public enum MessageAnchor: Hashable, Sendable {
    /// Behind the newest message.
    case newest
    /// At a time, by the server's clock: older messages were created before it, newer ones then or later.
    case time(Timestamp)
    /// At a message, which is itself on the page, as the oldest of the newer ones.
    ///
    /// It need not be there any more, as long as the backend knows where it was.
    case message(MessageID)
    /// Where another page ended.
    case cursor(PageCursor)
}

/// A part of a channel's history.
///
/// It covers what lies between its outermost messages: nothing is missing there. How it joins what
/// is already known, only cursors tell: not the number of messages, and not their times.
public struct MessagePage: Hashable, Sendable {
    /// The messages, the oldest first.
    public var messages: [Message]

    /// Goes on behind the oldest message; `nil` if nothing older exists.
    public var older: PageCursor?

    /// Goes on behind the newest message; `nil` if nothing newer existed.
    ///
    /// What was accepted since then, the feed tells.
    public var newer: PageCursor?

    /// Creates a part of a history.
    public init(messages: [Message], older: PageCursor?, newer: PageCursor?) {
        self.messages = messages
        self.older = older
        self.newer = newer
    }
}

/// What became of messages that were asked for by their ids.
public struct MessageLookup: Hashable, Sendable {
    /// Those that exist, as they now are, in no order.
    public var found: [Message]

    /// Those that do not exist, or not for this user.
    public var gone: [MessageID]

    /// Creates what became of messages.
    public init(found: [Message], gone: [MessageID]) {
        self.found = found
        self.gone = gone
    }
}

/// A part of a list, and where the list goes on.
public struct Page<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The elements, in the order of the list.
    public var elements: [Element]

    /// Where the list goes on; `nil` if this is its end.
    ///
    /// A page may be short, or empty, and not be the last.
    public var next: PageCursor?

    /// Creates a part of a list.
    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
