import Models

/// What a batch has done so far, for those who read through it.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The channels that the batch has met.
    var numbers: [ChannelURL: Numbering] = [:]

    struct Numbering {
        /// As the batch leaves it; `nil` if the channel is removed.
        var number: ChannelNumber?
        /// As it was before the batch.
        let old: ChannelNumber?
    }
}

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
        lastAccess = try reader.integer()
        isPinned = try reader.byte() & 1 != 0
    }
}

extension Rows {
    /// `nil` if the store knows nothing of the channel.
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        try read(
            ByteWriter.key { $0.table(.state, number) }, as: "the state of channel \(number)"
        ) { (reader) throws(ByteReader.Damage) in try ChannelState(&reader) }
    }
}
