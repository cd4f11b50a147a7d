public import Models
public import Store

/// A row of a message list: a message or a gap.
public enum MessageItem: Hashable, Sendable, Identifiable {
    /// A message, sent or not.
    case message(Message)
    /// A range in which messages may be missing, between two messages or at an end of the list.
    ///
    /// ``MessageCollection/fill(_:)`` fetches them. Messages that are stored inside a gap divide it
    /// into several rows.
    indirect case gap(Gap)

    /// The identity of a row; a message that the user wrote keeps it when it is sent, fails or is
    /// resent.
    public enum ID: Hashable, Sendable {
        /// A message.
        case message(Message.ID)
        /// A gap, by its lower bound, because filling a gap changes the upper one.
        case gap(above: Gap.Bound)
    }

    /// The identity of the row.
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

struct MessageItemKey: Comparable {
    private let bound: Gap.Bound
    /// The order at the same bound: the sent message, the gap above the bound, unsent messages.
    private let rank: Int

    private static let sent = -2
    private static let gap = -1

    static func gap(above bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: gap)
    }

    static func sent(at position: Position) -> MessageItemKey {
        .lowest(at: .position(position))
    }

    static func unsent(_ number: Int) -> MessageItemKey {
        MessageItemKey(bound: .end, rank: number)
    }

    /// The lowest key that a row at a bound can have.
    static func lowest(at bound: Gap.Bound) -> MessageItemKey {
        MessageItemKey(bound: bound, rank: sent)
    }

    static func < (left: MessageItemKey, right: MessageItemKey) -> Bool {
        left.bound == right.bound ? left.rank < right.rank : left.bound < right.bound
    }
}
