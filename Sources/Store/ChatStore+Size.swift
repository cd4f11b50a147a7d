package import Models

extension ChatStore {
    /// Returns the size of the cache in bytes.
    ///
    /// On disk, this includes logs, removed data that is not purged yet, and the newest replaced
    /// cache. In memory, it is the size of all keys and values.
    ///
    /// - Throws: `closed`, `permission`, `io` or `corruption`.
    /// - Complexity: A system call for each 8 MB. In memory, O(*n*) in the rows.
    public func cachedDataSize() throws(StoreError) -> Int {
        let committed = try committed()
        let size = try size(of: cache, committed.cache)
        guard let directory else { return size }
        var total = size
        for path in try CacheFiles(in: directory).replaced() {
            total = total.saturating(adding: try DatabaseFiles(path).size())
        }
        return total
    }

    /// Returns the size of the outbox in bytes, measured as in ``cachedDataSize()``.
    public func outboxDataSize() throws(StoreError) -> Int {
        let committed = try committed()
        return try size(of: outbox, committed.outbox)
    }

    private func size(
        of database: LevelDB, _ snapshot: LevelDB.Snapshot
    ) throws(StoreError) -> Int {
        if directory != nil { return try DatabaseFiles(database.path).size() }
        var size = 0
        try Rows(snapshot: snapshot).forEachRow(in: .all) { key, value in
            size += key.count + value.count
        }
        return size
    }

    /// Removes all data that can be fetched again, and purges it from the disk.
    ///
    /// Outbox items, drafts and pins are kept; downloaded files are removed. Observers receive one
    /// change, ``Change/Operation/clearedCachedData``, which the call returns. An existing
    /// ``Snapshot`` keeps all data on the disk until it is released. If the disk fails only during
    /// purging, the call throws the error, but the data is cleared, and later writes purge the
    /// rows.
    ///
    /// - Precondition: The call is not inside a write.
    /// - Complexity: O(*n*) in the rows. Other writes wait until the call returns.
    @discardableResult
    public func clearCachedData() throws -> Change {
        let (_, change) = try commit { try $0.clearCachedData() }
        try removeCleared()
        return change
    }

    /// Removes the downloaded files, and purges cleared data from the disk.
    package func removeCleared() throws(StoreError) {
        let removed = Result { () throws(StoreError) in try downloads?.removeAll() }
        try purgeCleared()
        _ = try removed.get()
    }
}

// MARK: Removed data

extension ChatStore {
    package var cacheBytesWritten: Int { cache.bytesWritten }

    /// Releases the disk space of removed messages by rewriting LevelDB's tables.
    ///
    /// LevelDB does not report failures of this. Reads and writes continue during the call.
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
    /// The maximum step between numbers of one run.
    ///
    /// Each compaction waits for the disk, so a large one is faster than many small ones, although
    /// it also rewrites channels between.
    private static let longestStep: ChannelNumber = 16

    /// The sorted numbers as ranges with few other numbers.
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
