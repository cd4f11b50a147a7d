package import Models
package import Store

/// The rows that a message collection would show without a connection.
///
/// Unlike a collection, this type sends no request, and does not make the engine fetch missing
/// messages.
package struct StoredHistory: Sendable {
    /// The messages and the gaps between them, oldest first, followed by unsent messages.
    package let items: [MessageItem]

    /// A Boolean value that indicates whether older messages exist, or may exist.
    package let hasPrevious: Bool

    /// A Boolean value that indicates whether newer messages exist, or may exist.
    package let hasNext: Bool

    /// Reads the rows.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - time: The time that separates older from newer messages; `nil` for the newest end.
    ///   - older: The maximum number of older messages.
    ///   - newer: The maximum number of newer messages.
    ///   - userID: The user whose unsent reactions are shown.
    ///   - reader: The reader of the store.
    /// - Throws: Errors of the reader.
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
        edits = try window.loadOlder(older, crossesGaps: true, in: reader).edits
        _ = window.apply(&edits)
        if time != nil {
            edits = try window.loadNewer(newer, crossesGaps: true, in: reader).edits
            _ = window.apply(&edits)
        }
        items = window.items
        (hasPrevious, hasNext) = (window.hasPrevious, window.hasNext)
    }
}
