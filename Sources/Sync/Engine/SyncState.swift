public import Models
import Store

/// The state of a sync engine.
public struct SyncState: Hashable, Sendable {
    /// The state of the connection.
    public internal(set) var connection = Connection.offline

    /// The connected user, or the user whose data is shown offline; `nil` before the first
    /// connection.
    public internal(set) var user: User?

    /// A Boolean value that indicates whether the feed has reported all missed events, and reports
    /// live events.
    public internal(set) var isLive = false

    /// The number of channels in which the engine still has gaps to fill or changelogs to read.
    public internal(set) var channelsLeft = 0

    /// The numbers of unread messages and pending invitations; `nil` if the server has not reported
    /// them.
    public internal(set) var unreadCount: UnreadItemCount?

    /// The reason why the store cannot be read or written, such as a full disk; `nil` if it can.
    ///
    /// The engine retries automatically. If the cache is damaged, the cause is a `StoreError` with
    /// code `corruption`. The engine then sends outbox items, but does not retry a channel that
    /// cannot be read, or the feed if an event cannot be stored, until
    /// ``SyncEngine/clearCachedData()`` is called or the next connection is established.
    public internal(set) var failure: SyncError?

    /// A Boolean value that indicates whether the feed is live, no channel has work left, and the
    /// store has no failure.
    public var isIdle: Bool { isLive && channelsLeft == 0 && failure == nil }

    /// The state of a connection.
    public enum Connection: Hashable, Sendable {
        /// There is no connection, and none is being established.
        case offline
        /// A connection is being established.
        case connecting
        /// The connection failed or was lost, and the engine retries after a delay.
        case waiting
        /// The connection is established.
        case online
        /// The server has revoked the session.
        case revoked
    }

    /// Returns a Boolean value that indicates whether two states are equal.
    ///
    /// Failures are compared by their codes.
    public static func == (left: SyncState, right: SyncState) -> Bool {
        left.connection == right.connection && left.user == right.user
            && left.isLive == right.isLive && left.channelsLeft == right.channelsLeft
            && left.unreadCount == right.unreadCount && left.failure?.code == right.failure?.code
            && left.failure?.storeCode == right.failure?.storeCode
    }

    /// Hashes the properties that are compared.
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
    /// The code of the underlying error of the store; `nil` if the cause is another error.
    fileprivate var storeCode: StoreError.Code? { (cause as? StoreError)?.code }
}

extension ConnectionState {
    /// Creates the connection state that an app sees.
    package init(_ connection: SyncState.Connection) {
        self =
            switch connection {
            case .online: .open
            case .connecting: .connecting
            case .offline, .waiting, .revoked: .closed
            }
    }
}

/// An event that an engine reports.
public enum SyncEvent: Sendable {
    /// The state of the engine has changed.
    case state(SyncState)
    /// A visible channel has a gap with more missing messages than the threshold.
    case hugeGap(ChannelURL)
    /// The stored history may no longer correspond to the server's, was marked as stale, and is
    /// fetched again when it is shown.
    case historyLost(HistoryLoss)
    /// A request of the engine for a channel failed. The engine retries it when a new viewer shows
    /// the channel, a caller waits for it, the feed reports a truncation of it,
    /// ``SyncEngine/reconnect()`` is called, or a connection is established.
    case failed(ChannelURL, SyncError)
    /// Messages were evicted from the cache because of its limits.
    case evicted(Eviction)
    /// The user's session has expired; it continues with new credentials.
    case sessionExpired
    /// The delivery result of an outbox item. It is reported once, and again only if a failed item
    /// was resent. The value contains the item in its last state.
    case deliveryResult(DeliveryResult, of: OutboxItem)
}
