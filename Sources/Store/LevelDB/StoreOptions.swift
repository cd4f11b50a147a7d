/// The options of a store's files.
///
/// The defaults suit phones and desktops. All sizes are in bytes. Invalid values are replaced by
/// the nearest valid ones.
public struct StoreOptions: Hashable, Sendable {
    /// The amount of data written to the log before LevelDB sorts it into a table.
    ///
    /// The default is 4 MiB; the range is 64 KiB to 256 MiB. A larger value makes bulk loads faster
    /// (16 MiB: three times, with a million messages), temporarily uses twice as much memory, and
    /// makes opening after a crash slower, because the log is replayed. With less than 2 MiB,
    /// writers wait for tables.
    public var writeBufferByteCount = 4 << 20

    /// The size of the in-memory cache of uncompressed table blocks.
    ///
    /// The default is 8 MiB; the minimum is 0. A larger value helps random reads of old pages, but
    /// not reads of new ones.
    public var blockCacheByteCount = 8 << 20

    /// The number of bits per key of the Bloom filters.
    ///
    /// The default is 10; the range is 0, for no filter, to 64. With 10, one percent of the lookups
    /// of missing keys read the disk needlessly; a write looks up each message that may already be
    /// stored. A smaller value saves about a byte per key.
    public var bloomFilterBitsPerKey = 10

    /// A Boolean value that indicates whether tables are compressed with Snappy.
    ///
    /// The default is `true`. Without compression, reading old pages takes half the time, and the
    /// files are nearly twice as large.
    public var isCompressed = true

    /// A Boolean value that indicates whether the checksum of each block is verified when it is
    /// read.
    ///
    /// The default is `true`. Lookups on disk then take a fifth longer. Without verification, a bit
    /// error of the disk may be shown as a message.
    public var verifiesChecksums = true

    /// The maximum number of open table files, of two megabytes each.
    ///
    /// The default is 500; the range is 74 to 50,000, if the system permits a process so many open
    /// files.
    public var maxOpenFiles = 500

    /// Creates the default options.
    public init() {}
}

extension StoreOptions {
    /// The options with values that prevent LevelDB from running out of memory or from making no
    /// progress.
    var clamped: StoreOptions {
        var options = self
        options.writeBufferByteCount = min(max(writeBufferByteCount, 64 << 10), 256 << 20)
        options.blockCacheByteCount = max(blockCacheByteCount, 0)
        options.bloomFilterBitsPerKey = min(max(bloomFilterBitsPerKey, 0), 64)
        options.maxOpenFiles = min(max(maxOpenFiles, 74), 50_000)
        return options
    }
}
