import Models

/// The reading of a changelog, page after page, until it has told all.
struct ChangelogRun: Hashable {
    /// From where the next page is asked for.
    private(set) var point: ChangelogPoint
    /// The tokens that were used: one that comes again leads nowhere.
    private var used: Set<String> = []

    /// What follows from a page.
    enum Next: Hashable {
        /// Another page is to be asked for.
        case more
        /// It has told all; where it goes on, some other day.
        case done(token: String?)
        /// It goes around in circles.
        case stalled
    }

    init(since point: ChangelogPoint) {
        self.point = point
        if case .token(let token) = point { used = [token] }
    }

    /// Notes a page's end.
    ///
    /// - Parameters:
    ///   - token: Where the server says the changelog goes on.
    ///   - hasMore: Whether there is more behind it.
    /// - Returns: What follows.
    mutating func step(token: String?, hasMore: Bool) -> Next {
        guard hasMore else { return .done(token: token) }
        guard let token, used.insert(token).inserted else { return .stalled }
        point = .token(token)
        return .more
    }
}
