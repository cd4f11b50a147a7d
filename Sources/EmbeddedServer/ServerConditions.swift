public import Models

/// The properties in which real servers differ.
///
/// Chat services limit pages, discard old data, give several messages the same time, and lack
/// features. Each property may be changed at any time, and random behavior is the same with the
/// same seed. Numbers are clamped to their ranges. ``NetworkConditions`` simulate the network.
public struct ServerConditions: Hashable, Sendable {
    // MARK: Sizes

    /// The maximum number of messages on each side of a page's anchor; at least 1.
    ///
    /// Services limit pages to 100 or 200 messages.
    public var pageLimit = 200

    /// The maximum number of entries that a page of a changelog covers; at least 1.
    public var changelogPageSize = 100

    /// The maximum number of entries that a batch of the feed covers; at least 1.
    public var feedBatchSize = 100

    /// The maximum number of elements in a page of channels or members; at least 1.
    public var listLimit = 100

    /// The maximum number of characters of a message.
    public var maximumMessageLength = 5000

    /// The maximum size of a file in bytes.
    public var maximumFileByteCount = 25 << 20

    // MARK: Time

    /// The granularity of the times of messages in milliseconds; at least 1.
    ///
    /// With 1,000, all messages of a second have the same time, as on services whose times are in
    /// seconds.
    public var timeGranularity: Int64 = 1

    /// The maximum deviation of the clocks of the server's nodes in milliseconds, in both
    /// directions.
    ///
    /// 0 means a single monotonic clock. Otherwise, the seed selects the node that accepts a
    /// message. The order of positions may then differ from the order in which messages were
    /// accepted, as on services with many machines.
    public var clockSkew: Int64 = 0

    /// The maximum delay of messages from other servers; zero, the default, for no other servers.
    ///
    /// One message in four, which the seed selects, was created up to this long before it arrives.
    /// Pages are then in the order of arrival, as on federated servers, and name late messages in
    /// `MessagePage.outliers`. Threads and counts use the order of positions. Each page reads the
    /// whole history of its channel.
    public var federationDelay = Duration.zero

    // MARK: The feed

    /// The maximum number of new messages of a channel that the feed reports after the device was
    /// offline; `nil` for no limit.
    ///
    /// The feed omits older messages and reports a truncation, as on services whose feed resumes
    /// with the newest messages of each channel. Edits and deletions of omitted messages are then
    /// only in the message changelog since the feed's cursor.
    public var feedLimit: Int?

    // MARK: Changelogs

    /// A Boolean value that indicates whether a changelog page repeats the last entry of the
    /// previous page.
    ///
    /// This simulates services whose tokens are times, and which report changes of the same time
    /// twice.
    public var repeatsChangelogEntries = false

    // MARK: Abilities

    /// The capabilities that the server lacks.
    ///
    /// A client has the capabilities at the time of its creation. Without `deduplicatesRequests`,
    /// each attempt to send a message creates one. Without `invitations`, invited users join
    /// immediately.
    public var missingCapabilities: BackendCapabilities = []

    /// The time for which the server remembers request IDs; `nil`, the default, for no limit.
    ///
    /// After this time, a repeated request creates another message.
    public var deduplicationPeriod: Duration?

    /// A Boolean value that indicates whether only existing users may connect.
    ///
    /// If it is `false`, a user who does not exist is added when connecting.
    public var requiresKnownUsers = false

    /// Creates the conditions of a server with all capabilities, a single clock and the default
    /// limits.
    public init() {}
}

extension ServerConditions {
    /// All capabilities of an embedded server.
    static let allCapabilities = BackendCapabilities.names.reduce(into: BackendCapabilities()) {
        $0.insert($1.0)
    }

    var capabilities: BackendCapabilities {
        ServerConditions.allCapabilities.subtracting(missingCapabilities)
    }

    /// The conditions with clamped values, so that every request makes progress.
    var clamped: ServerConditions {
        var conditions = self
        conditions.pageLimit = max(1, pageLimit)
        // With a repeated entry, a page needs at least two entries.
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
