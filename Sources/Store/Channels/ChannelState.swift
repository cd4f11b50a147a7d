import Models

/// What is counted and remembered of a channel, in the batch that changes it.
struct ChannelState: Hashable, Sendable {
    var messageCount: Int64 = 0
    /// The turn at which it was last opened; 0 if never.
    var lastAccess: UInt64 = 0
    var isPinned = false

    /// More messages than any disk holds; what is beyond is damage, and would overflow in sums.
    private static let greatestCount: Int64 = 1 << 40

    func write(to writer: inout ByteWriter) {
        writer.integer(messageCount)
        writer.integer(lastAccess)
        writer.byte(isPinned ? 1 : 0)
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        messageCount = try reader.integer()
        guard 0...ChannelState.greatestCount ~= messageCount else {
            throw ByteReader.Damage(offset: 0, expected: "a number of messages")
        }
        let offset = reader.offset
        lastAccess = try reader.integer()
        guard lastAccess <= .greatestGiven else {
            throw ByteReader.Damage(offset: offset, expected: "a turn that can be followed")
        }
        isPinned = try reader.byte() & 1 != 0
    }
}

extension Rows {
    /// `nil` if the store knows nothing of the channel.
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = counted?.states[number] { return state }
        return try withValue(of: ByteWriter.key { $0.table(.state, number) }) {
            (value) throws(StoreError) in
            try value.map { (value) throws(StoreError) in try state(value) }
        }
    }

    /// What a row says of a channel.
    func state(_ value: UnsafeRawBufferPointer) throws(StoreError) -> ChannelState {
        try decode(value, as: "the state of a channel") { (reader) throws(ByteReader.Damage) in
            try ChannelState(&reader)
        }
    }

    /// The state, empty if the store knows nothing of the channel; `nil` if the row is damaged.
    ///
    /// For those who replace or discard it, which damage must not keep them from.
    func readableState(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = counted?.states[number] { return state }
        return try withValue(of: ByteWriter.key { $0.table(.state, number) }) {
            (value) throws(StoreError) -> ChannelState? in
            guard let value else { return ChannelState() }
            return try? state(value)
        }
    }
}
