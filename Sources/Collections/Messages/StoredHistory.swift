package import Models
package import Store

/// The rows that a message collection would show without a connection.
///
/// Unlike a collection, it does not make the engine fetch missing messages.
package struct StoredHistory: Sendable {
    /// The messages and the gaps between them, oldest first, followed by unsent messages.
    package let items: [MessageItem]

    package let hasPrevious: Bool

    package let hasNext: Bool

    /// Reads at most the given numbers of messages around a time or, if it is `nil`, at the newest
    /// end.
    package init(
        of url: ChannelURL, at time: Timestamp?, older: Int, newer: Int, userID: UserID?,
        in reader: some StoreReader
    ) throws(StoreError) {
        var params = MessageListParams()
        (params.previousResultSize, params.nextResultSize) = (0, 0)
        var window = Window(on: url, params: params, userID: userID)
        let start = time.map { Window.Start.time($0) } ?? .newest
        var edits = try window.open(at: start, crossesGaps: true, in: reader)
        _ = window.apply(&edits)
        edits = try window.load(.older, older, crossesGaps: true, in: reader).edits
        _ = window.apply(&edits)
        if time != nil {
            edits = try window.load(.newer, newer, crossesGaps: true, in: reader).edits
            _ = window.apply(&edits)
        }
        items = window.items
        (hasPrevious, hasNext) = (window.hasPrevious, window.hasNext)
    }
}
