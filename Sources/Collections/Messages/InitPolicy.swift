/// Where a message collection takes its first messages from.
public enum InitPolicy: Hashable, Sendable, CaseIterable {
    /// The cache at once, then the server, whose answer replaces the list.
    ///
    /// What an app wants: the screen is never empty while the network is slow, and in the end it
    /// shows what the server has.
    case cacheAndReplaceByAPI

    /// The cache alone: no request is made.
    case cacheOnly

    /// The server alone: nothing is shown until it answers.
    case apiOnly

    /// Whether the list first shows what is cached.
    public var loadsFromCache: Bool { self != .apiOnly }

    /// Whether the server is asked, and its answer replaces the list.
    public var loadsFromAPI: Bool { self != .cacheOnly }
}
