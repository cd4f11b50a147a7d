import Models
import Store

struct ServerCounters: Hashable {
    var sequence: LogSequence = 0
    var time: Timestamp = .distantPast
    var nextMessage: UInt64 = 1
    var nextChannel: ChannelNumber = 1
    var nextFile: UInt64 = 1
    var firstCursor: LogSequence = 0
    var pageGeneration: UInt32 = 0
    /// The server's epoch, which is unique and changes with each restore.
    ///
    /// The upper half is the number of restores. It is 0 until the server is initialized.
    var epoch: UInt64 = 0

    static func key(_ writer: inout ByteWriter) { writer.table(.counters) }

    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.byte(1)
        writer.integer(sequence)
        writer.timestamp(time)
        writer.integer(nextMessage)
        writer.integer(nextChannel)
        writer.integer(nextFile)
        writer.integer(firstCursor)
        writer.integer(pageGeneration)
        writer.integer(epoch)
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard try reader.byte() == 1 else { throw reader.damage("version 1") }
        sequence = try reader.integer()
        time = try reader.timestamp()
        nextMessage = try reader.integer()
        nextChannel = try reader.integer()
        nextFile = try reader.integer()
        firstCursor = try reader.integer()
        guard firstCursor <= sequence else {
            throw reader.damage("a first cursor that is not above the newest log entry")
        }
        pageGeneration = try reader.integer()
        epoch = try reader.integer()
    }
}
