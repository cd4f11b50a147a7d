import Models

/// What became of messages, in parts that have one reason and one status each.
struct MessageChanges {
    private(set) var added: [(context: MessageContext, messages: [Message])] = []
    private(set) var updated: [(context: MessageContext, messages: [Message])] = []
    private(set) var deleted: [(context: MessageContext, messages: [Message])] = []

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
        func note(
            _ item: MessageItem,
            in parts: inout [(context: MessageContext, messages: [Message])]
        ) {
            guard let message = item.message else { return }
            let context = MessageContext(
                source: sources[item.id] ?? .messageFill, sendingStatus: message.sendingStatus)
            if let index = parts.firstIndex(where: { $0.context == context }) {
                parts[index].messages.append(message)
            } else {
                parts.append((context, [message]))
            }
        }
        for row in diff.insertions { note(row.element, in: &added) }
        for row in (diff.updates + diff.moves).sorted(by: { $0.to < $1.to }) {
            note(row.element, in: &updated)
        }
        for row in diff.deletions { note(row.element, in: &deleted) }
        if !canceled.isEmpty {
            let context = MessageContext(source: .localMessageCanceled, sendingStatus: .canceled)
            updated.append((context, canceled))
        }
    }
}
