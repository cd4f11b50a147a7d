import Models

struct ChannelState: Hashable, Sendable {
    var messageCount: Int64 = 0
    /// The sequence number of the last access; 0 if there was none.
    var lastAccess: UInt64 = 0

    /// A higher count is corrupted, and sums could overflow.
    private static let greatestCount: Int64 = 1 << 40

    func write(to writer: inout ByteWriter) {
        writer.integer(messageCount)
        writer.integer(lastAccess)
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        messageCount = try reader.integer()
        guard 0...ChannelState.greatestCount ~= messageCount else {
            throw ByteReader.Damage(
                offset: 0, expected: "a number up to \(ChannelState.greatestCount)")
        }
        let offset = reader.offset
        lastAccess = try reader.integer()
        guard lastAccess <= .maximumAssigned else {
            throw ByteReader.Damage(offset: offset, expected: "an access number")
        }
    }
}

extension Rows {
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = counted?.states[number] { return state }
        return try withValue(of: ByteWriter.key { $0.table(.state, number) }) {
            (value) throws(StoreError) in
            try value.map { (value) throws(StoreError) in try state(value) }
        }
    }

    func state(_ value: UnsafeRawBufferPointer) throws(StoreError) -> ChannelState {
        try decode(value, as: "the state of a channel") { (reader) throws(ByteReader.Damage) in
            try ChannelState(&reader)
        }
    }
}
