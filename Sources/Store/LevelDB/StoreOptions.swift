/// The options of a store's files, whose defaults suit phones and desktops.
///
/// A value outside its range counts as the nearest value in the range.
public struct StoreOptions: Hashable, Sendable {
    /// The amount of data in the log at which LevelDB sorts it into a table, in bytes.
    ///
    /// The default is 4 MiB; the range is 64 KiB to 256 MiB. With 16 MiB, loading a million
    /// messages is three times as fast. But up to twice the value is needed in memory, and opening
    /// after a crash takes longer. With less than 2 MiB, writers have to wait for LevelDB.
    public var writeBufferByteCount = 4 << 20

    /// The size of the in-memory cache of table blocks that are not mapped into memory, in bytes.
    ///
    /// The default is 8 MiB; the minimum is 0. Blocks of an encrypted store are decrypted into this
    /// cache: a larger value makes random reads of old messages faster. Tables of an unencrypted
    /// store are mapped instead.
    public var blockCacheByteCount = 8 << 20

    /// The number of bits per key of the Bloom filters.
    ///
    /// The default is 10; the range is 0, for no filter, to 64. With 10, about a byte of memory for
    /// each key, only one percent of the lookups of missing keys read the disk. Such lookups are
    /// frequent: each write looks up the messages that may be stored.
    public var bloomFilterBitsPerKey = 10

    /// Whether the store has an index for fast message searches.
    ///
    /// Without the index, which is the default, a search reads all messages. With it, each write of
    /// messages also writes rows of the index. Messages that were stored before must be indexed
    /// once with ``ChatStore/indexMessages(atMost:)``; until then, searches read all messages.
    /// Opening a store with `false` removes its index.
    public var isSearchIndexed = false

    /// Tests lower it to get many segments.
    package var searchSegmentMessageCount = SearchIndex.segmentMessageCount

    /// The maximum number of open table files, each about 8 MB in size.
    ///
    /// The default is 500; the range is 74 to 50,000. The system may have a lower limit.
    public var maxOpenFiles = 500

    /// Creates the default options.
    public init() {}
}

extension StoreOptions {
    /// Other values could exhaust LevelDB's memory, or stop its progress.
    var clamped: StoreOptions {
        var options = self
        options.writeBufferByteCount = min(max(writeBufferByteCount, 64 << 10), 256 << 20)
        options.blockCacheByteCount = max(blockCacheByteCount, 0)
        options.bloomFilterBitsPerKey = min(max(bloomFilterBitsPerKey, 0), 64)
        options.maxOpenFiles = min(max(maxOpenFiles, 74), 50_000)
        return options
    }
}
