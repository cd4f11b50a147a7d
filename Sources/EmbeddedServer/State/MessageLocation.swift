import Models
import Store

/// The place of a message, which is kept after its deletion.
struct MessageLocation: Hashable {
    var channel: ChannelNumber
    var createdAt: Timestamp
    /// The log entry of the message's arrival; 0 if there is none.
    var sequence: LogSequence
    var isDeleted = false

    init(channel: ChannelNumber, createdAt: Timestamp, sequence: LogSequence) {
        self.channel = channel
        self.createdAt = createdAt
        self.sequence = sequence
    }

    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.integer(channel)
        writer.timestamp(createdAt)
        writer.integer(sequence)
        writer.byte(isDeleted ? 1 : 0)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        channel = try reader.integer()
        createdAt = try reader.timestamp()
        sequence = try reader.integer()
        isDeleted = try reader.byte() != 0
    }
}

extension ServerState {
    /// Returns `nil` if the message never existed or was purged.
    func location(of id: MessageID) throws(BackendError) -> MessageLocation? {
        try database.value(
            "the location of message \(id)", { $0.location(id) },
            { (reader) throws(ByteReader.Damage) in try MessageLocation(&reader) })
    }

    func message(
        at position: Position, in channel: ServerChannel
    ) throws(BackendError) -> Message? {
        try database.record("message \(position.messageID)") {
            $0.message(channel.number, position)
        }
    }

    /// Returns `nil` if the message is not in the channel or was deleted.
    func find(
        _ id: MessageID, in channel: ServerChannel
    ) throws(BackendError) -> (message: Message, location: MessageLocation)? {
        guard let location = try location(of: id), location.channel == channel.number,
            !location.isDeleted,
            let message = try message(
                at: Position(createdAt: location.createdAt, messageID: id), in: channel)
        else { return nil }
        return (message, location)
    }

    func visibleMessage(
        _ id: MessageID, in channel: ServerChannel, for userID: UserID
    ) throws(BackendError) -> (message: Message, location: MessageLocation) {
        guard let found = try find(id, in: channel),
            isVisible(found.message, in: channel, to: userID)
        else {
            throw BackendError(
                .notFound, "there is no message \(id) in channel \(channel.url)",
                detail: .messageNotFound)
        }
        return found
    }

    func isVisible(_ message: Message, in channel: ServerChannel, to userID: UserID) -> Bool {
        guard let offset = channel.members[userID]?.messageOffset else { return true }
        return message.createdAt >= offset
    }

    func store(_ message: Message, at position: Position, in channel: ServerChannel) {
        database.put({ $0.message(channel.number, position) }, { $0.record(message) })
        if case .known(let last?) = channel.lastMessage, last.messageID == message.messageID {
            channel.lastMessage = .known(message)
        }
    }

    /// Returns a message as a user sees it: only the sender sees the request ID, and each user
    /// their own votes.
    func view(_ message: Message, for userID: UserID) -> Message {
        let hidesRequest = message.requestID != nil && message.sender?.userID != userID
        guard hidesRequest || message.poll != nil else { return message }
        var message = message
        if hidesRequest { message.requestID = nil }
        if let id = message.poll?.id, let options = votes[id]?[userID] {
            message.poll?.votedOptionIDs = options
        }
        return message
    }
}
