public import Models
public import Store

/// A row of a message list: a message, or a stretch that is missing.
public enum MessageItem: Hashable, Sendable, Identifiable {
    /// A message, sent or not.
    case message(Message)
    /// Messages may be missing between the rows around this one; ``MessageCollection/fill(_:)`` fetches
    /// them.
    ///
    /// Of a stretch in which single messages are held, the part up to the next of them.
    indirect case gap(Gap)

    /// What a row keeps as long as it is the same row, whatever changes in it.
    ///
    /// A message that was pending gets another one when it is sent; that is told as an update.
    public enum ID: Hashable, Sendable {
        /// A message that the server has.
        case sent(MessageID)
        /// A message that is not sent yet.
        case unsent(RequestID)
        /// A gap, by its older end: gaps are filled from the newer one.
        case gap(above: Gap.Bound)
    }

    /// What tells the row from all others of its list.
    public var id: ID {
        switch self {
        case .message(let message): message.itemID
        case .gap(let gap): .gap(above: gap.lower)
        }
    }

    /// The message; `nil` for a gap.
    public var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }

    /// The gap; `nil` for a message.
    public var gap: Gap? { if case .gap(let gap) = self { gap } else { nil } }
}

extension MessageItem: ListRow {
    var rowID: ID { id }
}

extension Message {
    var itemID: MessageItem.ID {
        messageID.map { .sent($0) } ?? .unsent(requestID ?? "")
    }
}

/// The place of a row in a history: by position, a gap behind the message at its older end, and what is not
/// sent after all that is, in the order in which it was written.
struct MessageItemKey: Comparable {
    private let bound: Gap.Bound
    /// Among those at the bound: what is sent, then the gap above it, then what is not sent.
    private let rank: Int

    private static let sent = -2
    private static let gap = -1

    static func gap(above bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: gap)
    }

    static func sent(at position: Position) -> MessageItemKey {
        .from(.position(position))
    }

    /// The place of what was written as one of some, counted from 0 or later.
    static func unsent(_ number: Int) -> MessageItemKey {
        MessageItemKey(bound: .end, rank: number)
    }

    /// The least key of what lies at a bound or above.
    static func from(_ bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: sent)
    }

    /// The greatest key of a message that lies at a bound or below.
    static func through(_ bound: Gap.Bound) -> MessageItemKey { .from(bound) }

    static func < (left: MessageItemKey, right: MessageItemKey) -> Bool {
        left.bound == right.bound ? left.rank < right.rank : left.bound < right.bound
    }
}
