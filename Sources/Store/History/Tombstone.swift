public import Models

/// What is remembered of a message that was deleted, so that it does not come back.
///
/// The store keeps it and decides nothing by it: whoever takes over what a server says asks
/// ``StoreReader/tombstone(of:in:)`` first.
public struct Tombstone: Hashable, Sendable {
    /// The message.
    public let messageID: MessageID

    /// Its channel.
    public let channelURL: ChannelURL

    /// When it was deleted, as the server said.
    public let deletedAt: Timestamp

    /// Where it was; `nil` if it was not held when its deletion was told.
    public let position: Position?

    /// Creates a tombstone.
    public init(
        _ messageID: MessageID, in channelURL: ChannelURL, deletedAt: Timestamp,
        position: Position? = nil
    ) {
        self.messageID = messageID
        self.channelURL = channelURL
        self.deletedAt = deletedAt
        self.position = position
    }

    func writeValue(to writer: inout ByteWriter) {
        writer.timestamp(deletedAt)
        // Of the position only the time is not in the key.
        if let position { writer.timestamp(position.createdAt) }
    }

    init(_ id: MessageID, _ url: ChannelURL, _ reader: inout ByteReader) throws(ByteReader.Damage) {
        let deletedAt = try reader.timestamp()
        let createdAt = reader.isAtEnd ? nil : try reader.timestamp()
        self.init(
            id, in: url, deletedAt: deletedAt,
            position: createdAt.map { Position(createdAt: $0, messageID: id) })
    }
}
