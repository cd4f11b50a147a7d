/// How the files of a store are kept.
///
/// The defaults suit a phone and a desktop. All sizes are in bytes. A number outside of what works is
/// taken for the nearest one that does.
public struct StoreOptions: Hashable, Sendable {
    /// How much is written to the log before LevelDB sorts it into a table.
    ///
    /// The default is 4 MiB; it works from 64 KiB to 256 MiB. More makes bulk loads faster (16 MiB:
    /// three times, at a million messages), costs twice as much memory at times, and makes opening
    /// after a crash longer, since the log is replayed. Less than 2 MiB makes writers wait for tables.
    public var writeBufferSize = 4 << 20

    /// How much of the tables is kept in memory, unpacked.
    ///
    /// The default is 8 MiB; it works from 0. More helps where old pages are read at random; new pages
    /// gain nothing.
    public var blockCacheSize = 8 << 20

    /// How many bits for each key tell whether a table may have it.
    ///
    /// The default is 10; it works from 0, which is none, to 64. With 10, one lookup in a hundred of
    /// something that is not there reads the disk in vain; a write looks up each message that may be
    /// held. Less saves a byte a key.
    public var bloomFilterBitsPerKey = 10

    /// Whether tables are compressed with snappy.
    ///
    /// The default is yes. Without, reading old pages takes half the time, and the disk holds nearly
    /// twice as much.
    public var isCompressed = true

    /// Whether each block is checked against its checksum when it is read.
    ///
    /// The default is yes. A lookup on disk takes a fifth longer with it. Without, a bit that flipped
    /// on the disk may be shown as a message.
    public var verifiesChecksums = true

    /// How many table files are open at a time, of two megabytes each.
    ///
    /// The default is 500; it works from 74 to 50,000, if the system lets a process open so many.
    public var maxOpenFiles = 500

    /// Creates options with the defaults.
    public init() {}
}

extension StoreOptions {
    /// The options with which LevelDB neither aborts, for want of memory, nor does nothing.
    var clamped: StoreOptions {
        var options = self
        options.writeBufferSize = min(max(writeBufferSize, 64 << 10), 256 << 20)
        options.blockCacheSize = max(blockCacheSize, 0)
        options.bloomFilterBitsPerKey = min(max(bloomFilterBitsPerKey, 0), 64)
        options.maxOpenFiles = min(max(maxOpenFiles, 74), 50_000)
        return options
    }
}
