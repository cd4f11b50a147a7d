/// The sources from which a message collection loads its first messages.
public enum InitPolicy: Hashable, Sendable, CaseIterable {
    /// The cache first, then the server, whose response replaces the list.
    ///
    /// This is the right choice for most apps: the list is not empty while the network is slow, and
    /// it finally shows the server's data.
    case cacheAndReplaceByAPI

    /// The cache only. No request is made.
    case cacheOnly

    /// The server only. The list is empty until it responds.
    case apiOnly

    /// A Boolean value that indicates whether the list first shows cached messages.
    public var loadsFromCache: Bool { self != .apiOnly }

    /// A Boolean value that indicates whether messages are fetched from the server and replace the
    /// list.
    public var loadsFromAPI: Bool { self != .cacheOnly }
}
