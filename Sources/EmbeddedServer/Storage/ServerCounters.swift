import Models
import Store

/// The numbers that the server gives, and where its past begins; one row, written with each change.
struct ServerCounters: Hashable {
    /// The number of the newest entry in the log.
    var sequence: LogSequence = 0
    /// Its time.
    var time: Timestamp = .distantPast
    var nextMessage: UInt64 = 1
    var nextChannel: ChannelNumber = 1
    var nextFile: UInt64 = 1
    /// Cursors and tokens from here on are good; earlier ones have expired.
    var firstCursor: LogSequence = 0
    /// Page cursors with this number are good; those with a lower one have expired.
    var pageGeneration: UInt32 = 0
    /// Which history the server tells: another one for each server, and after each restoration.
    ///
    /// Its upper half counts the restorations. 0 before the server has begun.
    var epoch: UInt64 = 0

    static func key(_ writer: inout ByteWriter) { writer.table(.counters) }

    /// DO NOT CHANGE: on people's disks.
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
        guard try reader.byte() == 1 else { throw reader.damage("a version that is known") }
        sequence = try reader.integer()
        time = try reader.timestamp()
        nextMessage = try reader.integer()
        nextChannel = try reader.integer()
        nextFile = try reader.integer()
        firstCursor = try reader.integer()
        guard firstCursor <= sequence else {
            throw reader.damage("a first cursor that the log has reached")
        }
        pageGeneration = try reader.integer()
        epoch = try reader.integer()
    }
}
