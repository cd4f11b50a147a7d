import Models
import Store
import Sync

extension Window {
    mutating func recordSaved(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        let number = outboxItems[item.requestID]?.number ?? lastOutboxItemNumber + 1
        lastOutboxItemNumber = max(lastOutboxItemNumber, number)
        outboxItems[item.requestID] = (item, number)
        if item.operation == .send {
            showUnsent(item.requestID, source, &edits)
        } else {
            applyUnsentChange(item, source, &edits)
        }
    }

    mutating func remove(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let (removed, _) = outboxItems.removeValue(forKey: item.requestID) else { return }
        guard item.operation == .send else { return applyUnsentChange(item, source, &edits) }
        if source == .localMessageCanceled, removed.state == .pending,
            var message = shownMessage(of: removed)
        {
            message.sendingStatus = .canceled
            edits.canceled.append(message)
        }
        // If the message was sent, it has the row.
        if rowIDs.isFree(item.requestID) {
            edits.remove(.message(.written(item.requestID)), source)
        }
    }

    /// Returns the unsent message of an item, whether or not it matches the list.
    func unsentMessage(of item: OutboxItem) -> Message? {
        guard item.isUnderstood, item.operation == .send,
            let message = item.message.flatMap(unsentChanges.shown), isOfHistory(message)
        else { return nil }
        return message
    }

    func shownMessage(of item: OutboxItem) -> Message? {
        unsentMessage(of: item).flatMap { message in
            let isShownRegardless =
                writtenHere.contains(item.requestID)
                || (thread == nil && message.parentMessageID != nil && message.isReplyToChannel)
            return params.belongsTo(message) || isShownRegardless ? message : nil
        }
    }

    mutating func showRegardlessOfFilter(_ id: RequestID) -> WindowEdits {
        var edits = WindowEdits()
        writtenHere.insert(id)
        if list[.message(.written(id))] == nil {
            showUnsent(id, .localMessagePendingCreated, &edits)
        }
        return edits
    }

    func showUnsent(
        _ id: RequestID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let (item, number) = outboxItems[id], item.operation == .send, rowIDs.isFree(id)
        else { return }
        let row = MessageItem.ID.message(.written(id))
        guard let message = shownMessage(of: item) else { return edits.remove(row, source) }
        edits.rows.save(.message(message), at: .unsent(number))
        edits.sources[row] = source
    }

    mutating func applyUnsentChange(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        unsentChanges = UnsentChanges(changesInOrder, userID: userID)
        if let target = item.targetRequestID { showUnsent(target, source, &edits) }
        let ids =
            item.messageID.map { [$0] }
            ?? item.targetRequestID.map { sentMessages(of: $0, edits) } ?? []
        let listed = ids.compactMap { listedMessage($0, edits) }
        for message in listed { recordSaved(message, source, &edits) }
        // The edit may make an unlisted message match: read the window again.
        if listed.isEmpty, item.operation == .update { edits.mustReadAgain = true }
    }

    var changesInOrder: [OutboxItem] {
        outboxItems.values.filter { $0.item.operation != .send }.sorted { $0.number < $1.number }
            .map(\.item)
    }

    func listedMessage(_ id: MessageID, _ edits: WindowEdits) -> Message? {
        if let stored = storedVersions[id] { return stored }
        let row = MessageItem.ID.message(rowIDs[id])
        if let saved = edits.rows.saved[row] { return saved.element.message }
        // The row of a removed message may show an unsent change.
        if edits.rows.removed.contains(row) { return nil }
        return list[row]?.message
    }

    /// Returns the IDs of the listed messages with a request ID: several if the server does not
    /// deduplicate.
    func sentMessages(of id: RequestID, _ edits: WindowEdits) -> [MessageID] {
        let messages =
            Array(storedVersions.values) + edits.rows.saved.values.compactMap { $0.element.message }
            + items.compactMap(\.message)
        return Set(messages.lazy.filter { $0.requestID == id }.compactMap(\.messageID)).sorted()
    }
}

// MARK: Rows of sent messages

/// The rows of the sent messages of a window.
///
/// A message gets its row when the window first shows it: by its request ID if it has one and the
/// row is free, and otherwise by its message ID.
struct MessageRowIDs {
    /// The request IDs whose outbox items end with the current change.
    ///
    /// The sent message takes over the row, whatever the order in the change.
    var ending: Set<RequestID> = []
    private var requests: [MessageID: RequestID] = [:]
    private var messages: [RequestID: MessageID] = [:]

    subscript(id: MessageID) -> Message.ID { requests[id].map { .written($0) } ?? .sent(id) }

    func isFree(_ request: RequestID) -> Bool { messages[request] == nil }

    /// Returns the row of a message.
    ///
    /// A message without a row gets that of `request`, if it is free.
    mutating func assign(_ id: MessageID, _ request: RequestID?) -> Message.ID {
        if requests[id] == nil, let request, isFree(request) {
            requests[id] = request
            messages[request] = id
        }
        return self[id]
    }

    /// Records that a message has no row, and returns the request ID of the row that it had.
    @discardableResult
    mutating func release(_ id: MessageID) -> RequestID? {
        guard let request = requests.removeValue(forKey: id) else { return nil }
        messages[request] = nil
        return request
    }
}

extension Message {
    func inRow(_ row: MessageReference) -> Message {
        var message = self
        message.rowID = nil
        if message.id != row { message.rowID = row }
        return message
    }
}
