import Models

/// Changes of messages, grouped by source and sending status.
struct MessageChanges {
    private(set) var added = ReportedRows<MessageContext, Message>()
    private(set) var updated = ReportedRows<MessageContext, Message>()
    private(set) var deleted = ReportedRows<MessageContext, Message>()

    /// Creates the changes from the differences of the rows.
    ///
    /// `sources` contains the known sources of the changes, by row. `canceled` contains the
    /// messages that were canceled before they were sent.
    init(
        _ diff: ListDiff<MessageItem>, _ sources: [MessageItem.ID: CollectionEventSource],
        _ canceled: [Message]
    ) {
        func record(_ item: MessageItem, in rows: inout ReportedRows<MessageContext, Message>) {
            guard let message = item.message else { return }
            rows.add(
                message,
                MessageContext(
                    source: sources[item.id] ?? .messageFill,
                    sendingStatus: message.sendingStatus))
        }
        for row in diff.insertions { record(row.element, in: &added) }
        for row in diff.changed { record(row.element, in: &updated) }
        for row in diff.deletions { record(row.element, in: &deleted) }
        for message in canceled {
            updated.add(
                message,
                MessageContext(source: .localMessageCanceled, sendingStatus: .canceled))
        }
    }
}
