public import Models
public import Store

/// A row of a message list: a message or a gap.
public enum MessageItem: Hashable, Sendable, Identifiable {
    /// A message, sent or not.
    case message(Message)
    /// A range of the history in which messages may be missing, between two messages or at an end
    /// of the list.
    ///
    /// ``MessageCollection/fill(_:)`` fetches the missing messages. If messages inside a gap are
    /// stored, the gap has several rows, with these messages between them.
    indirect case gap(Gap)

    /// The identity of a row, which stays the same while the row is listed.
    ///
    /// A message that the user wrote keeps its row when it is sent, fails or is resent.
    public enum ID: Hashable, Sendable {
        /// A message.
        case message(Message.ID)
        /// A gap, identified by its lower bound, because filling a gap changes its upper bound.
        case gap(above: Gap.Bound)
    }

    /// The identity of the row in its list.
    public var id: ID {
        switch self {
        case .message(let message): .message(message.id)
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

/// The sort key of a row.
///
/// Rows are sorted by position. A gap follows the message at its lower bound. Unsent messages
/// follow all sent ones, in the order in which the user wrote them.
struct MessageItemKey: Comparable {
    private let bound: Gap.Bound
    /// The order of rows at the same bound: first the sent message, then the gap above the bound,
    /// then unsent messages.
    private let rank: Int

    private static let sent = -2
    private static let gap = -1

    static func gap(above bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: gap)
    }

    static func sent(at position: Position) -> MessageItemKey {
        .from(.position(position))
    }

    /// The key of an unsent message with the given number, which is not negative.
    static func unsent(_ number: Int) -> MessageItemKey {
        MessageItemKey(bound: .end, rank: number)
    }

    /// The lowest key that a row at a bound can have.
    static func from(_ bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: sent)
    }

    /// The highest key that a message at a bound can have.
    static func through(_ bound: Gap.Bound) -> MessageItemKey { .from(bound) }

    static func < (left: MessageItemKey, right: MessageItemKey) -> Bool {
        left.bound == right.bound ? left.rank < right.rank : left.bound < right.bound
    }
}
