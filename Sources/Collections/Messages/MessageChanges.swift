import Models

/// What became of messages, in parts that have one reason and one status each.
struct MessageChanges {
    private(set) var added = ToldRows<MessageContext, Message>()
    private(set) var updated = ToldRows<MessageContext, Message>()
    private(set) var deleted = ToldRows<MessageContext, Message>()

    /// Creates what a diff of rows says of messages.
    ///
    /// - Parameters:
    ///   - diff: What became of the rows.
    ///   - sources: Why, of each row that it is known of.
    ///   - canceled: The messages that were taken back before they were sent.
    init(
        _ diff: ListDiff<MessageItem>, _ sources: [MessageItem.ID: CollectionEventSource],
        _ canceled: [Message]
    ) {
        func note(_ item: MessageItem, in rows: inout ToldRows<MessageContext, Message>) {
            guard let message = item.message else { return }
            rows.add(
                message,
                MessageContext(
                    source: sources[item.id] ?? .messageFill,
                    sendingStatus: message.sendingStatus))
        }
        for row in diff.insertions { note(row.element, in: &added) }
        for row in diff.changed { note(row.element, in: &updated) }
        for row in diff.deletions { note(row.element, in: &deleted) }
        for message in canceled {
            updated.add(
                message,
                MessageContext(source: .localMessageCanceled, sendingStatus: .canceled))
        }
    }
}
