package import Models

/// A marker that a message was deleted, so that an older copy does not restore it.
///
/// The store still saves a message that has one: code that saves a server's messages must check
/// ``StoreReader/tombstone(of:in:)`` first.
package struct Tombstone: Hashable, Sendable {
    package let messageID: MessageID

    package let channelURL: ChannelURL

    /// The time of the deletion on the server's clock.
    package let deletedAt: Timestamp

    /// The message's position; `nil` if it was not stored at the time.
    package let position: Position?

    package init(
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
        // The key contains the message ID, so only the time is stored.
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
