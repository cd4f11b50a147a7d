import Models

/// What is counted and remembered of a channel, in the batch that changes it.
struct ChannelState: Hashable, Sendable {
    var messageCount: Int64 = 0
    /// The turn at which it was last opened; 0 if never.
    var lastAccess: UInt64 = 0
    var isPinned = false

    func write(to writer: inout ByteWriter) {
        writer.integer(messageCount)
        writer.integer(lastAccess)
        writer.byte(isPinned ? 1 : 0)
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        messageCount = try reader.integer()
        guard messageCount >= 0 else {
            throw ByteReader.Damage(offset: 0, expected: "a number of messages")
        }
        lastAccess = try reader.integer()
        isPinned = try reader.byte() & 1 != 0
    }
}

extension Rows {
    /// `nil` if the store knows nothing of the channel.
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = counted?.states[number] { return state }
        return try read(
            ByteWriter.key { $0.table(.state, number) }, as: "the state of channel \(number)"
        ) { (reader) throws(ByteReader.Damage) in try ChannelState(&reader) }
    }
}
