public import Models

/// The properties in which real servers differ, such as page limits, equal times, and lacking
/// features.
///
/// Each property may change at any time, and is clamped to its range. Random behavior depends only
/// on the server's seed. ``NetworkConditions`` simulates the network.
public struct ServerConditions: Hashable, Sendable {
    // MARK: Sizes

    /// The maximum number of messages on each side of a page's anchor, at least 1.
    public var pageLimit = 200

    /// The maximum number of entries that a page of a changelog covers; at least 1.
    public var changelogPageSize = 100

    /// The maximum number of entries that a batch of the feed covers; at least 1.
    public var feedBatchSize = 100

    /// The maximum number of elements in a page of channels or members; at least 1.
    public var listLimit = 100

    /// The maximum number of characters in a message.
    public var maximumMessageLength = 5000

    /// The maximum size of a file in bytes.
    public var maximumFileByteCount = 25 << 20

    // MARK: Time

    /// The granularity of the times of messages in milliseconds; at least 1.
    ///
    /// With 1,000, as on services with times in seconds, all messages of a second have the same
    /// time.
    public var timeGranularity: Int64 = 1

    /// The maximum deviation of the nodes' clocks in milliseconds, in both directions; 0 for a
    /// single monotonic clock.
    ///
    /// The seed selects the node that accepts a message, so positions may be in another order than
    /// the acceptance.
    public var clockSkew: Int64 = 0

    /// The maximum delay of messages from other servers; zero, the default, if there are none.
    ///
    /// Otherwise, one message in four arrives up to this late. Pages are then in the order of
    /// arrival, as on federated servers, and name late messages in `MessagePage.outliers`, while
    /// threads and counts use positions. Each page reads the channel's whole history.
    public var federationDelay = Duration.zero

    // MARK: The feed

    /// The maximum number of a channel's new messages that the feed reports after an absence; `nil`
    /// for no limit.
    ///
    /// The feed replaces older messages by a truncation. It also omits edits and deletions of older
    /// messages, which only the message changelog since the feed's cursor contains.
    public var feedLimit: Int?

    // MARK: Changelogs

    /// A Boolean value that indicates whether a changelog page repeats the previous page's last
    /// entry, as on services whose tokens are times.
    public var repeatsChangelogEntries = false

    // MARK: Abilities

    /// The capabilities that the server lacks; a client keeps those of the server at its creation.
    ///
    /// Without `deduplicatesRequests`, each attempt to send a message creates another one. Without
    /// `invitations`, invited users join immediately.
    public var missingCapabilities: BackendCapabilities = []

    /// A Boolean value that indicates whether the server omits reactions from pages, lookups,
    /// changelogs, searches and edits, as Matrix homeservers do.
    ///
    /// Clients then have the capability `separateReactions`.
    public var hasSeparateReactions = false

    /// The time after which a repeated request creates another message; `nil`, the default, for
    /// never.
    public var deduplicationPeriod: Duration?

    /// A Boolean value that indicates whether only existing users may connect; otherwise, users are
    /// added.
    public var requiresKnownUsers = false

    /// Creates the default conditions.
    public init() {}
}

extension ServerConditions {
    static let allCapabilities = BackendCapabilities.names.reduce(into: BackendCapabilities()) {
        $0.insert($1.0)
    }

    var capabilities: BackendCapabilities {
        let all = ServerConditions.allCapabilities.subtracting(missingCapabilities)
        return hasSeparateReactions ? all : all.subtracting(.separateReactions)
    }

    /// The nearest conditions with which every request makes progress.
    var clamped: ServerConditions {
        var conditions = self
        conditions.pageLimit = max(1, pageLimit)
        conditions.changelogPageSize = max(repeatsChangelogEntries ? 2 : 1, changelogPageSize)
        conditions.feedBatchSize = max(1, feedBatchSize)
        conditions.listLimit = max(1, listLimit)
        conditions.timeGranularity = max(1, timeGranularity)
        conditions.clockSkew = max(0, clockSkew)
        conditions.federationDelay = max(.zero, federationDelay)
        conditions.feedLimit = feedLimit.map { max(0, $0) }
        return conditions
    }
}
