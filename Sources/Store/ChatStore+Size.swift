package import Models

// The size of the files, and clearing them.

extension ChatStore {
    /// Returns the size of the cache in bytes.
    ///
    /// On disk, this is the size of its files, including logs, removed data that has not been
    /// purged yet, and the newest replaced cache. In memory, it is the size of all keys and values.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `permission`, `io` or `corruption`.
    /// - Complexity: A system call for each file of about two megabytes. In memory, O(*n*) in the
    ///   number of rows.
    public func cachedDataSize() throws(StoreError) -> Int {
        let committed = try committed()
        let size = try size(of: cache, committed.cache)
        guard let directory else { return size }
        var total = size
        for path in try CacheFiles(in: directory).replaced() {
            total += try DatabaseFiles(path).size()
        }
        return total
    }

    /// Returns the size of the outbox in bytes, measured as in ``cachedDataSize()``.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `permission`, `io` or `corruption`.
    /// - Complexity: That of ``cachedDataSize()``.
    public func outboxDataSize() throws(StoreError) -> Int {
        let committed = try committed()
        return try size(of: outbox, committed.outbox)
    }

    private func size(
        of database: LevelDB, _ snapshot: LevelDB.Snapshot
    ) throws(StoreError) -> Int {
        if directory != nil { return try DatabaseFiles(database.path).size() }
        var size = 0
        try snapshot.scan(.all) { (key, value) throws(StoreError) in
            size += key.count + value.count
            return true
        }
        return size
    }

    /// Removes all data that can be fetched again, and purges it from the disk.
    ///
    /// Outbox items, drafts and pins are kept. Observers receive one change,
    /// ``Change/Operation/clearedCachedData``. An existing ``Snapshot`` still contains all data.
    /// The data stays on the disk until the snapshot is released.
    ///
    /// - Returns: The change, with the number that observers receive.
    /// - Throws: ``StoreError`` if the disk fails. If the disk fails only while rows are being
    ///   purged, the call throws, but the data is cleared, and later writes remove the rows from
    ///   the disk.
    /// - Precondition: The call is not inside a write.
    /// - Complexity: O(*n*) in the number of rows. Other writes wait until the call returns;
    ///   readers do not.
    @discardableResult
    public func clearCachedData() throws -> Change {
        let (_, change) = try commit { try $0.clearCachedData() }
        try purgeCleared()
        return change
    }
}

// MARK: Removed data

extension ChatStore {
    /// The number of bytes of keys and values written to the cache since the store was opened.
    package var cacheBytesWritten: Int { cache.bytesWritten }

    /// Releases the disk space of removed messages.
    ///
    /// LevelDB rewrites the tables of these channels. LevelDB does not report failures of this, so
    /// the call may leave the space occupied without throwing an error. Reads and writes continue
    /// during the call, and existing ``Snapshot``s are not affected.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    /// - Complexity: O(*n*) in the number of remaining rows of the channels, which are read and
    ///   written.
    package func compactMessages(in urls: [ChannelURL]) throws(StoreError) {
        let view = try view
        var numbers: [ChannelNumber] = []
        for url in urls {
            if let number = try view.number(of: url) { numbers.append(number) }
        }
        try cache.compact(
            numbers.sorted().runs.flatMap { run in
                [Table.message, .creationTime, .request, .reply, .kind].map { table in
                    KeyRange(
                        ByteWriter.key { $0.table(table, run.lowerBound) },
                        ByteWriter.key { $0.table(table, run.upperBound) }.successorOfPrefix)
                }
            })
    }
}

extension [ChannelNumber] {
    /// The difference of two numbers that belong to one run.
    ///
    /// Each compaction waits for the disk, so many small ones take longer than a large one, although
    /// the large one also rewrites the rows of the channels between the numbers.
    private static let longestStep: ChannelNumber = 16

    /// The sorted numbers as closed ranges, which contain all numbers and few others.
    fileprivate var runs: [ClosedRange<ChannelNumber>] {
        var runs: [ClosedRange<ChannelNumber>] = []
        for number in self {
            if let last = runs.last, number - last.upperBound <= Self.longestStep {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs
    }
}
