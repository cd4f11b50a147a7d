/// The sources from which a message collection loads its first messages.
public enum InitPolicy: Hashable, Sendable, CaseIterable {
    /// Loads from the cache first, then from the server, whose messages replace the list.
    ///
    /// This policy suits most apps.
    case cacheAndReplaceByAPI

    /// Loads from the cache only, without a request.
    case cacheOnly

    /// Loads from the server only; until it responds, the list is empty.
    case apiOnly

    /// A Boolean value that indicates whether cached messages are shown first.
    public var loadsFromCache: Bool { self != .apiOnly }

    /// A Boolean value that indicates whether the server's messages replace the list.
    package var loadsFromAPI: Bool { self != .cacheOnly }
}
