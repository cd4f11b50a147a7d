/// Where a backend's feed goes on.
///
/// Opaque: only the backend that made it understands it. It outlives restarts of both sides, and is
/// stored in the same batch as what came before it.
public struct FeedCursor: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two cursors have the same bytes.
    public static func == (left: FeedCursor, right: FeedCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Where the next page of a list goes on: of messages, channels or members.
///
/// Opaque: only the backend that made it understands it, and only for the list it came with.
public struct PageCursor: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two cursors have the same bytes.
    public static func == (left: PageCursor, right: PageCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Names a server's history from one break to the next.
///
/// It changes where the server's past is no more what it was, as after it was restored from a backup:
/// then ids, versions and cursors may go back, and what is held has to give way to what the server says.
public struct ServerEpoch: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates an epoch from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two epochs have the same bytes.
    public static func == (left: ServerEpoch, right: ServerEpoch) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Since when a changelog is to tell what changed.
public enum ChangelogPoint: Hashable, Sendable {
    /// Since the changelog that ended with this token.
    case token(String)
    /// Since a time, by the server's clock; what changed in that very millisecond is told too.
    case time(Timestamp)
    /// Since the feed was here.
    case feed(FeedCursor)
}
