public import Models

/// How a server behaves where servers differ.
///
/// Real chat services cap pages, lose what is old, give two messages the same time, and cannot do
/// all things. Each of these can be had here, at any moment, and each is the same again for the same
/// seed. What a network does to requests is not among them.
public struct ServerConditions: Hashable, Sendable {
    // MARK: Sizes

    /// The most messages of a page on each side of its anchor; at least 1.
    ///
    /// Services cap pages at 100 or 200, whatever is asked for.
    public var pageLimit = 200

    /// The most entries that a page of a changelog looks at; at least 1.
    public var changelogPageSize = 100

    /// The most entries that a batch of the feed looks at; at least 1.
    public var feedBatchSize = 100

    /// The most channels that a page of a list, or members, has; at least 1.
    public var listLimit = 100

    /// How many characters a message may have.
    public var maximumMessageLength = 5000

    /// How many bytes a file may have.
    public var maximumFileSize = 25 << 20

    // MARK: Time

    /// To how many milliseconds the server's clock tells the time of messages; at least 1.
    ///
    /// With 1,000, all messages of a second share their time, as on services that count seconds.
    public var timeGranularity: Int64 = 1

    /// By how many milliseconds, at most, the clocks of the server's nodes are wrong, either way.
    ///
    /// Each message is accepted by a node that the seed chooses, so the order of positions is not
    /// the order of acceptance, as on services of many machines. 0 is one clock that only goes on.
    public var clockSkew: Int64 = 0

    // MARK: The feed

    /// How many new messages of a channel the feed tells after an absence; `nil` for all of them.
    ///
    /// The ones before are behind a hole.
    /// Services that resume a feed do so with the newest messages of each channel alone. What was
    /// edited or deleted before those, only the message changelog since the feed's cursor tells.
    public var feedLimit: Int?

    // MARK: Changelogs

    /// Whether each page of a changelog that is not the last tells its last entry once more on the
    /// next page.
    ///
    /// Tokens of services are times, and what happened within one is told twice.
    public var repeatsChangelogEntries = false

    // MARK: Abilities

    /// What the server cannot do.
    ///
    /// A client has the capabilities of the moment in which it was made. Without
    /// `deduplicatesRequests`, each attempt to send makes a message; without `invitations`, whoever is
    /// invited has joined.
    public var missingCapabilities: BackendCapabilities = []

    /// Whether only users who were added to the server may connect; else whoever connects is added.
    public var requiresKnownUsers = false

    /// Creates the conditions of a server that can do everything, and has all day.
    public init() {}
}

extension ServerConditions {
    /// All that an embedded server can do.
    static let allCapabilities = BackendCapabilities.names.reduce(into: BackendCapabilities()) {
        $0.insert($1.0)
    }

    var capabilities: BackendCapabilities {
        ServerConditions.allCapabilities.subtracting(missingCapabilities)
    }

    /// The conditions with which nothing stands still.
    var clamped: ServerConditions {
        var conditions = self
        conditions.pageLimit = max(1, pageLimit)
        // With one entry a page, and that one told twice, there would be no next one.
        conditions.changelogPageSize = max(repeatsChangelogEntries ? 2 : 1, changelogPageSize)
        conditions.feedBatchSize = max(1, feedBatchSize)
        conditions.listLimit = max(1, listLimit)
        conditions.timeGranularity = max(1, timeGranularity)
        conditions.clockSkew = max(0, clockSkew)
        conditions.feedLimit = feedLimit.map { max(0, $0) }
        return conditions
    }
}
