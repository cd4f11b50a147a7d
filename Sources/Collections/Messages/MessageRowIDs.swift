import Models

/// The rows of the sent messages of a window.
///
/// The row of a message is fixed when the window first shows it: by its request ID if it has one
/// and no other message has that row, and otherwise by its message ID.
struct MessageRowIDs {
    /// The request IDs whose outbox items end with the change that is being processed.
    ///
    /// The sent message takes over the row, in whatever order the change contains both.
    var ending: Set<RequestID> = []
    private var requests: [MessageID: RequestID] = [:]
    private var messages: [RequestID: MessageID] = [:]

    subscript(id: MessageID) -> Message.ID { requests[id].map { .written($0) } ?? .sent(id) }

    func isFree(_ request: RequestID) -> Bool { messages[request] == nil }

    /// Returns the row of a message, which an unlisted message gets by `request`, if that is not
    /// `nil`.
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
