import Models

struct MessageChanges {
    private(set) var added = ReportedRows<MessageContext, Message>()
    private(set) var updated = ReportedRows<MessageContext, Message>()
    private(set) var deleted = ReportedRows<MessageContext, Message>()

    /// Creates the changes from the differences of the rows.
    ///
    /// The messages in `accepted` were sent, but are not listed: they are reported as updates of
    /// the unsent rows, and then as deleted.
    init(
        _ diff: ListDiff<MessageItem>, sources: [MessageItem.ID: CollectionEventSource],
        canceled: [Message], accepted: [MessageItem.ID: Message]
    ) {
        func record(
            _ message: Message?, of id: MessageItem.ID,
            in rows: inout ReportedRows<MessageContext, Message>
        ) {
            guard let message else { return }
            rows.add(
                message,
                MessageContext(
                    source: sources[id] ?? .messageFill, sendingStatus: message.sendingStatus))
        }
        for row in diff.insertions {
            record(row.element.message, of: row.element.id, in: &added)
        }
        for row in diff.changed {
            record(row.element.message, of: row.element.id, in: &updated)
        }
        for row in diff.deletions {
            let id = row.element.id
            if let message = accepted[id] { record(message, of: id, in: &updated) }
            record(accepted[id] ?? row.element.message, of: id, in: &deleted)
        }
        for message in canceled {
            updated.add(
                message,
                MessageContext(source: .localMessageCanceled, sendingStatus: .canceled))
        }
    }
}
