public import Models

/// The properties in which real servers differ.
///
/// Chat services limit pages, discard old data, give several messages the same time, and lack
/// features. Each property may be changed at any time. Random behavior depends only on the server's
/// seed. Numbers are clamped to their ranges. The network is simulated by ``NetworkConditions``.
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
    /// For example, 1,000 simulates services whose times are in seconds: all messages of a second
    /// have the same time.
    public var timeGranularity: Int64 = 1

    /// The maximum deviation of the clocks of the server's nodes in milliseconds, in both
    /// directions.
    ///
    /// The value 0 stands for a single monotonic clock. With any other value, the seed selects the
    /// node that accepts a message. The order of positions may then differ from the order in which
    /// messages were accepted, as on services with many machines.
    public var clockSkew: Int64 = 0

    /// The maximum delay of messages from other servers; zero, the default, if there are no other
    /// servers.
    ///
    /// If it is not zero, one message in four comes from another server: it was created up to this
    /// duration before it arrives. The seed selects these messages. Pages are then in the order of
    /// arrival, as on federated servers, and name late messages in `MessagePage.outliers`. Threads
    /// and counts use the order of positions. Requests of pages are slow, because each reads the
    /// whole history of its channel.
    public var federationDelay = Duration.zero

    // MARK: The feed

    /// The maximum number of new messages of a channel that the feed reports after the device was
    /// offline; `nil` for no limit.
    ///
    /// The feed omits older messages and reports a truncation, as on services whose feed resumes
    /// with the newest messages of each channel. The feed also omits edits and deletions of older
    /// messages; only the message changelog since the feed's cursor contains them.
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
    /// A client keeps the capabilities that the server had when the client was created. Without
    /// `deduplicatesRequests`, each attempt to send a message creates another message. Without
    /// `invitations`, invited users join immediately.
    public var missingCapabilities: BackendCapabilities = []

    /// A Boolean value that indicates whether the server omits reactions from pages, lookups,
    /// changelogs, searches and edits, as Matrix homeservers do.
    ///
    /// Clients then have the capability `separateReactions`.
    public var hasSeparateReactions = false

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
        let all = ServerConditions.allCapabilities.subtracting(missingCapabilities)
        return hasSeparateReactions ? all : all.subtracting(.separateReactions)
    }

    /// The conditions with clamped values, so that every request makes progress.
    var clamped: ServerConditions {
        var conditions = self
        conditions.pageLimit = max(1, pageLimit)
        // If each page repeats an entry, it needs at least two entries in order to make progress.
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
