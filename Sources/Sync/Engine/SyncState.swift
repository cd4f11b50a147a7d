public import Models
import Store

/// The state of an engine.
public struct SyncState: Hashable, Sendable {
    /// The state of the connection.
    public internal(set) var connection = ConnectionState.offline

    /// The connected user or, while offline, the user whose data is shown; `nil` before the first
    /// connection.
    public internal(set) var user: User?

    /// Whether the feed has reported all missed events.
    public internal(set) var isLive = false

    /// The number of channels with gaps to fill or changelogs to read.
    public internal(set) var channelsLeft = 0

    /// The sum of the unread messages, unread mentions and pending invitations of the stored
    /// channels.
    ///
    /// It is `nil` until the store has all channels of the user, such as before the first
    /// connection and after the cache was cleared, and if the backend has no unread counts.
    public internal(set) var unreadCount: UnreadItemCount?

    /// The reason why the store cannot be read or written, such as a full disk; the engine retries.
    ///
    /// If the cache is damaged, the cause is a `StoreError` with code `corruption`. With a
    /// connection, the engine replaces a damaged cache by an empty one and fetches the data again.
    /// Without one, or if that was done for the same reason less than an hour ago, the damaged
    /// cache stays, and outbox items are still written and sent.
    public internal(set) var failure: SyncError?

    /// Whether the feed is live, no channel has work left, and the store has no failure.
    public var isIdle: Bool { isLive && channelsLeft == 0 && failure == nil }

    /// Returns whether two states are equal, comparing failures by their codes.
    public static func == (left: SyncState, right: SyncState) -> Bool {
        left.connection == right.connection && left.user == right.user
            && left.isLive == right.isLive && left.channelsLeft == right.channelsLeft
            && left.unreadCount == right.unreadCount && left.failure?.code == right.failure?.code
            && left.failure?.storeCode == right.failure?.storeCode
    }

    /// Hashes the properties, and the code of the failure.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(connection)
        hasher.combine(user)
        hasher.combine(isLive)
        hasher.combine(channelsLeft)
        hasher.combine(unreadCount)
        hasher.combine(failure?.code)
    }
}

extension SyncError {
    fileprivate var storeCode: StoreError.Code? { (cause as? StoreError)?.code }
}

/// An event that the engine reports.
public enum SyncEvent: Sendable {
    /// The state of the engine has changed.
    case state(SyncState)
    /// A visible channel has a gap with more missing messages than the threshold; each gap is
    /// reported once.
    case hugeGap(ChannelURL)
    /// The stored history, now stale, may differ from the server's, and is fetched again when
    /// shown.
    case historyLost(HistoryLoss)
    /// A request of the engine for a channel failed.
    ///
    /// The engine retries it after the next connection or ``SyncEngine/reconnect()``, or when a new
    /// viewer shows the channel, a caller waits for it, or the feed reports its truncation.
    case failed(ChannelURL, SyncError)
    /// Messages were evicted from the cache because of its limits.
    case evicted(Eviction)
    /// The user's session has expired, and needs new credentials to continue.
    case sessionExpired
    /// The delivery result of an outbox item, and the item in its last state; a resent item has
    /// another result.
    case deliveryResult(DeliveryResult, of: OutboxItem)
}
