import Models

struct ChangelogRun: Hashable {
    private(set) var point: ChangelogPoint
    /// The tokens used so far: if the server returns one again, reading makes no progress.
    private var used: Set<String> = []
    private var emptyPageCount = 0
    /// The number of pages with changes.
    private var pageCount = 0

    /// The number of pages with changes after which it costs less to fetch the messages again where
    /// they are shown.
    static let limit = 20

    enum Next: Hashable {
        case more
        /// The changelog was read to its end; the next run starts at the token.
        case done(token: String?)
        /// The server has returned a token again, or too many pages without changes.
        case stalled
        /// ``limit`` pages with changes were read, and there are more.
        case tooLong
    }

    init(since point: ChangelogPoint) {
        self.point = point
        if case .token(let token) = point { used = [token] }
    }

    mutating func step(token: String?, hasMore: Bool, isEmpty: Bool = false) -> Next {
        guard hasMore else { return .done(token: token) }
        emptyPageCount = isEmpty ? emptyPageCount + 1 : 0
        guard let token, used.insert(token).inserted, emptyPageCount <= UsedCursors.limit else {
            return .stalled
        }
        if !isEmpty { pageCount += 1 }
        if pageCount >= ChangelogRun.limit { return .tooLong }
        point = .token(token)
        return .more
    }
}
