package import Models

/// The number of consecutive requests without progress; the server may be correct, because an
/// answer proves nothing if the feed reports changes of the history meanwhile.
package struct IdleRequests: Hashable {
    package static let limit = 5

    private var count = 0

    package init() {}

    package mutating func allowsMore(hasMoved: Bool) -> Bool {
        count = hasMoved ? 0 : count + 1
        return count < IdleRequests.limit
    }
}

/// The cursors of pages that were requested without progress since: a faulty server may return an
/// earlier cursor, or empty pages with new cursors for ever.
package struct UsedCursors: Hashable {
    /// The maximum number of consecutive pages without progress; after thousands of deletions, for
    /// example, many pages are empty.
    package static let limit = 100

    private var cursors: Set<PageCursor> = []
    private(set) var last: PageCursor?

    package init() {}

    /// Records the cursor of the next page, and returns `false` if the page must not be requested:
    /// the cursor was used before, or too many were.
    package mutating func insert(_ cursor: PageCursor) -> Bool {
        last = cursor
        return cursors.insert(cursor).inserted && cursors.count <= UsedCursors.limit
    }
}
