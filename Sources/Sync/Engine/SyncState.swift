public import Models

/// How far an engine is.
public struct SyncState: Hashable, Sendable {
    /// Whether the server can be asked.
    public internal(set) var connection = Connection.offline

    /// The user who is connected, or whose data is shown offline; `nil` before the first one.
    public internal(set) var user: User?

    /// Whether the feed has told all that was missed, and tells what happens.
    public internal(set) var isLive = false

    /// How many channels the engine has still to look after by itself: gaps to fill, changes to read.
    public internal(set) var channelsLeft = 0

    /// How much the user has not seen; `nil` where the server has not said.
    public internal(set) var unreadCount: UnreadItemCount?

    /// Why the store cannot be written to or read, such as a full disk; `nil` if it can.
    ///
    /// The engine tries again by itself.
    public internal(set) var failure: SyncError?

    /// Whether all was told that happened, and nothing is left to do.
    public var isIdle: Bool { isLive && channelsLeft == 0 && failure == nil }

    /// Whether a server can be asked.
    public enum Connection: Hashable, Sendable {
        /// Nobody is connected, and nobody is trying to.
        case offline
        /// A connection is being made.
        case connecting
        /// The connection failed or was lost; it is tried again after a while.
        case waiting
        /// Connected.
        case online
        /// The server does not let the user in any more.
        case revoked
    }

    /// Whether two states are the same; of failures, whether they are of one kind.
    public static func == (left: SyncState, right: SyncState) -> Bool {
        left.connection == right.connection && left.user == right.user
            && left.isLive == right.isLive && left.channelsLeft == right.channelsLeft
            && left.unreadCount == right.unreadCount && left.failure?.code == right.failure?.code
    }

    /// Feeds what the states are compared by into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(connection)
        hasher.combine(user)
        hasher.combine(isLive)
        hasher.combine(channelsLeft)
        hasher.combine(unreadCount)
        hasher.combine(failure?.code)
    }
}

extension ConnectionState {
    /// What an app is told of a connection.
    package init(_ connection: SyncState.Connection) {
        self =
            switch connection {
            case .online: .open
            case .connecting: .connecting
            case .offline, .waiting, .revoked: .closed
            }
    }
}

/// What an engine tells those who follow it.
public enum SyncEvent: Sendable {
    /// The engine is in another state.
    case state(SyncState)
    /// More is missing in a channel that is shown than the threshold says.
    case hugeGap(ChannelURL)
    /// What the server said before holds no more, and is being asked for again.
    case historyLost(HistoryLoss)
    /// What the engine asked for by itself in a channel failed, and is not tried again until somebody
    /// else shows the channel or waits for it, a hole is told of it, or ``SyncEngine/reconnect()`` is
    /// called or a connection made.
    case failed(ChannelURL, SyncError)
    /// Messages were taken out of the cache, since it is limited.
    case evicted(Eviction)
    /// The user's session has ended: it goes on with new credentials.
    case sessionExpired
    /// What became of something that was written, told once; again only of what failed and was sent
    /// again. The draft is as it was last.
    case fate(DraftFate, of: Draft)
}
