import Models

/// The rows of the sent messages of a window.
///
/// The row of a message is fixed when the window first shows it: by its request ID if the message
/// has one and no other message has that row, and otherwise by its message ID. Properties that the
/// message gets later do not change its row.
struct MessageRowIDs {
    /// The request IDs whose outbox items end with the change that is being processed.
    ///
    /// The sent message takes over the row, in whatever order the change contains both.
    var ending: Set<RequestID> = []
    private var requests: [MessageID: RequestID] = [:]
    private var messages: [RequestID: MessageID] = [:]

    /// Returns the row of a listed message.
    subscript(id: MessageID) -> Message.ID { requests[id].map { .written($0) } ?? .sent(id) }

    /// Returns a Boolean value that indicates whether no sent message has the row of a request.
    func isFree(_ request: RequestID) -> Bool { messages[request] == nil }

    /// Returns the row of a message; `request` is the request ID with which an unlisted message
    /// gets its row.
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
    /// Returns the message with the ID of its row.
    func inRow(_ row: MessageReference) -> Message {
        var message = self
        message.rowID = nil
        if message.id != row { message.rowID = row }
        return message
    }
}
