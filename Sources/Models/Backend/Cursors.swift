/// The point at which a backend's feed resumes.
///
/// Only the backend that created it can interpret it. It stays valid when the client or the server
/// restarts.
public struct FeedCursor: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a cursor.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: FeedCursor, right: FeedCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which the next page of a list starts.
///
/// Only the backend that created it can interpret it, for the same list.
public struct PageCursor: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a cursor.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: PageCursor, right: PageCursor) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The identifier of a server's history, which changes when it is rolled back, for example by
/// restoring a backup.
///
/// IDs, versions and cursors may be lower than in the old epoch, and the server's data replaces
/// cached data.
public struct ServerEpoch: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates an epoch.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: ServerEpoch, right: ServerEpoch) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// The point at which a changelog starts.
public enum ChangelogPoint: Hashable, Sendable {
    /// The token of an earlier changelog.
    case token(String)
    /// A time on the server's clock, inclusive.
    case time(Timestamp)
    /// A position in the feed.
    case feed(FeedCursor)
}
