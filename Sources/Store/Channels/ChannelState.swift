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

/// The states that the writer has met, so that it does not read them anew for each batch.
final class KnownStates: @unchecked Sendable {
    // @unchecked: only who writes has it, under the writer's lock.
    private var states: [ChannelNumber: ChannelState] = [:]

    subscript(number: ChannelNumber) -> ChannelState? {
        get { states[number] }
        set { states[number] = newValue }
    }

    /// Takes over what a commit did. A number that was given up is never asked for again.
    func take(_ changed: [ChannelNumber: ChannelState]) {
        for (number, state) in changed { states[number] = state }
    }
}
