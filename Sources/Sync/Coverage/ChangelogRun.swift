import Models

/// The progress of reading a changelog page by page.
struct ChangelogRun: Hashable {
    /// The point from which the next request reads the changelog.
    private(set) var point: ChangelogPoint
    /// The tokens used so far.
    ///
    /// If the server returns one of these tokens again, reading makes no progress.
    private var used: Set<String> = []
    /// The number of consecutive pages without changes.
    private var emptyPageCount = 0

    /// The next step after a page.
    enum Next: Hashable {
        /// Request another page.
        case more
        /// The changelog was read to its end. The next run starts at the token.
        case done(token: String?)
        /// The server has returned a token again, or too many pages without changes.
        case stalled
    }

    init(since point: ChangelogPoint) {
        self.point = point
        if case .token(let token) = point { used = [token] }
    }

    /// Advances to the next step after a page with a token.
    mutating func step(token: String?, hasMore: Bool, isEmpty: Bool = false) -> Next {
        guard hasMore else { return .done(token: token) }
        emptyPageCount = isEmpty ? emptyPageCount + 1 : 0
        guard let token, used.insert(token).inserted, emptyPageCount <= UsedCursors.limit else {
            return .stalled
        }
        point = .token(token)
        return .more
    }
}
