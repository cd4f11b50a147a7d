/// The point at which a backend's feed resumes.
///
/// Only the backend that created a cursor can interpret it. It stays valid when the client or the
/// server restarts.
public struct FeedCursor: Identifier {
    /// The text of the cursor.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two cursors.
    public static func == (left: FeedCursor, right: FeedCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which the next page of a list of messages, channels or members starts.
///
/// Only the backend that created a cursor can interpret it, and only for the list that it came
/// from.
public struct PageCursor: Identifier {
    /// The text of the cursor.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two cursors.
    public static func == (left: PageCursor, right: PageCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The identifier of a version of a server's history, which changes when the history was rolled
/// back, for example by restoring a backup.
///
/// IDs, versions and cursors of the new epoch may be lower than those of the old one, and the
/// server's data replaces cached data.
public struct ServerEpoch: Identifier {
    /// The text of the epoch.
    public let rawValue: String

    /// Creates an epoch from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two epochs.
    public static func == (left: ServerEpoch, right: ServerEpoch) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which a changelog starts.
public enum ChangelogPoint: Hashable, Sendable {
    /// The token that an earlier changelog returned, at its end.
    case token(String)
    /// A time on the server's clock, inclusive.
    case time(Timestamp)
    /// A position in the feed.
    case feed(FeedCursor)
}
