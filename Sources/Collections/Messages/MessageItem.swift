public import Models
public import Store

/// A row of a message list: a message or a gap.
public enum MessageItem: Hashable, Sendable, Identifiable {
    /// A message, sent or not.
    case message(Message)
    /// A range of the history in which messages may be missing, between two messages or at an end
    /// of the list.
    ///
    /// ``MessageCollection/fill(_:)`` fetches the missing messages. Messages that are stored inside
    /// a gap divide it into several rows.
    indirect case gap(Gap)

    /// The identity of a row, which a message that the user wrote keeps when it is sent, fails or
    /// is resent.
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

/// The sort key of a row: a gap follows the message at its lower bound, and unsent messages follow
/// all sent ones.
struct MessageItemKey: Comparable {
    private let bound: Gap.Bound
    /// The order of rows at the same bound: the sent message, the gap above the bound, unsent
    /// messages.
    private let rank: Int

    private static let sent = -2
    private static let gap = -1

    static func gap(above bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: gap)
    }

    static func sent(at position: Position) -> MessageItemKey {
        .from(.position(position))
    }

    /// The key of an unsent message, whose number is not negative.
    static func unsent(_ number: Int) -> MessageItemKey {
        MessageItemKey(bound: .end, rank: number)
    }

    /// The lowest key that a row at a bound can have.
    static func from(_ bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: sent)
    }

    static func through(_ bound: Gap.Bound) -> MessageItemKey { .from(bound) }

    static func < (left: MessageItemKey, right: MessageItemKey) -> Bool {
        left.bound == right.bound ? left.rank < right.rank : left.bound < right.bound
    }
}
