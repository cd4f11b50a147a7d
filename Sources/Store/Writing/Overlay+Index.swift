import Models

// The rows that lead to a message: where its id lives, its request, the parent that it replies to.

extension Overlay {
    /// Writes all of them.
    ///
    /// One request may be of two messages, of which one has taken it from the other.
    func putIndex(
        of message: Message, at position: Position, _ number: ChannelNumber,
        takesRequest: Bool = true
    ) {
        putPlace(of: position, number)
        if takesRequest, let id = message.requestID {
            putRequest(id, of: position.messageID, number)
        }
        if let parentID = message.parentMessageID { putReply(to: parentID, at: position, number) }
    }

    @inline(__always)
    func putPlace(of position: Position, _ number: ChannelNumber) {
        put({ $0.placeKey(number, position.messageID) }, { $0.timestamp(position.createdAt) })
    }

    @inline(__always)
    func putRequest(_ id: RequestID, of messageID: MessageID, _ number: ChannelNumber) {
        // A name that another client chose too long leads nowhere, and harms nothing.
        if id.rawValue.utf8.count > Limits.nameSize { return }
        put({ $0.requestKey(number, id) }, { $0.text(messageID.rawValue) })
    }

    func putReply(to parentID: MessageID, at position: Position, _ number: ChannelNumber) {
        put { $0.replyKey(number, parentID, position) }
    }
}
