/// The point at which a backend's feed resumes.
///
/// A cursor is opaque: only the backend that created it can interpret it. It stays valid when the
/// client or the server restarts. The engine commits a cursor in the same write batch as the events
/// that precede it.
public struct FeedCursor: Identifier {
    /// The text of the cursor.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two cursors have the same bytes.
    public static func == (left: FeedCursor, right: FeedCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which the next page of a list of messages, channels or members starts.
///
/// A cursor is opaque: only the backend that created it can interpret it, and it is valid only for
/// the list that it came from.
public struct PageCursor: Identifier {
    /// The text of the cursor.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two cursors have the same bytes.
    public static func == (left: PageCursor, right: PageCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The identifier of a version of a server's history.
///
/// The epoch changes when the server's history was rolled back, for example by restoring a backup.
/// IDs, versions and cursors of the new epoch may be lower than those of the old one, and the
/// server's data replaces cached data.
public struct ServerEpoch: Identifier {
    /// The text of the epoch.
    public let rawValue: String

    /// Creates an epoch from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two epochs have the same bytes.
    public static func == (left: ServerEpoch, right: ServerEpoch) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which a changelog starts.
public enum ChangelogPoint: Hashable, Sendable {
    /// The end of an earlier changelog, identified by the token that it returned.
    case token(String)
    /// A time on the server's clock, inclusive: changes of that millisecond are reported.
    case time(Timestamp)
    /// A position in the feed.
    case feed(FeedCursor)
}
