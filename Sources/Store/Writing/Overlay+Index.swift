import Models

extension Overlay {
    @inline(__always)
    func putPlace(of position: Position, _ number: ChannelNumber) {
        put(
            { $0.creationTimeKey(number, position.messageID) }, { $0.timestamp(position.createdAt) }
        )
    }

    @inline(__always)
    func putRequest(_ id: RequestID, of messageID: MessageID, _ number: ChannelNumber) {
        // Another client may have used a request ID that is too long for a key.
        if id.rawValue.utf8.count > Limits.nameSize { return }
        put({ $0.requestKey(number, id) }, { $0.text(messageID.rawValue) })
    }

    func putReply(to parentID: MessageID, at position: Position, _ number: ChannelNumber) {
        put { $0.replyKey(number, parentID, position) }
    }
}
