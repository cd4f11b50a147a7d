import Models

/// The progress of reading a changelog page by page.
struct ChangelogRun: Hashable {
    /// The point from which the next request reads the changelog.
    private(set) var point: ChangelogPoint
    /// The tokens used so far.
    ///
    /// If the server returns one of these tokens again, reading makes no progress.
    private var used: Set<String> = []

    /// The next step after a page.
    enum Next: Hashable {
        /// Request another page.
        case more
        /// The changelog was read to its end. The next run starts at the token.
        case done(token: String?)
        /// The server has returned a token again.
        case stalled
    }

    init(since point: ChangelogPoint) {
        self.point = point
        if case .token(let token) = point { used = [token] }
    }

    /// Advances to the next step after a page with a token.
    mutating func step(token: String?, hasMore: Bool) -> Next {
        guard hasMore else { return .done(token: token) }
        guard let token, used.insert(token).inserted else { return .stalled }
        point = .token(token)
        return .more
    }
}
