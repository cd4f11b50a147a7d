import Models

/// The cursors of pages that were requested without progress since.
///
/// A faulty server may return a cursor that leads back to an earlier page, and a hostile server may
/// return empty pages with new cursors for ever.
struct UsedCursors: Hashable {
    /// The maximum number of consecutive pages without progress.
    ///
    /// A history may have many empty pages, for example after thousands of messages were deleted.
    static let limit = 100

    private var cursors: Set<PageCursor> = []

    /// Records the cursor of the next page.
    ///
    /// - Returns: `false` if the page must not be requested, because the cursor was used before, or
    ///   because too many were.
    mutating func insert(_ cursor: PageCursor) -> Bool {
        cursors.insert(cursor).inserted && cursors.count <= UsedCursors.limit
    }
}
