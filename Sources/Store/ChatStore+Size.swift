package import Models

// How much the files hold, and how to make them empty.

extension ChatStore {
    /// Returns how many bytes the cache takes.
    ///
    /// On the disk, the size of its files, with logs and with what was removed and not yet purged. In
    /// memory, the bytes of all keys and values.
    ///
    /// - Returns: The size in bytes.
    /// - Throws: ``StoreError`` with code `closed`, `permission`, `io` or `corruption`.
    /// - Complexity: A system call for each file, of two megabytes. In memory, O(*n*) in the rows.
    public func cachedDataSize() throws(StoreError) -> Int {
        let version = try version()
        return try size(of: cache, version.cache)
    }

    /// Returns how many bytes the outbox takes, as ``cachedDataSize()`` counts them.
    ///
    /// - Returns: The size in bytes.
    /// - Throws: ``StoreError`` with code `closed`, `permission`, `io` or `corruption`.
    /// - Complexity: That of ``cachedDataSize()``.
    public func outboxDataSize() throws(StoreError) -> Int {
        let version = try version()
        return try size(of: outbox, version.outbox)
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

    /// Removes all that the server can give again, from the disk too; drafts stay.
    ///
    /// One change tells of it: ``Change/Operation/clearedCachedData``. To do it together with
    /// something else, there is ``Batch/clearCachedData(source:)``. A ``Snapshot`` that somebody holds
    /// goes on to have all, and keeps it on the disk.
    ///
    /// - Returns: What was done, under the number that observers see.
    /// - Throws: ``StoreError`` if the disk fails. Where it did so while rows were being purged, all
    ///   is cleared nevertheless, and the rows leave the disk with later writes.
    /// - Precondition: Not called within a write.
    /// - Complexity: O(*n*) in the rows. Other writes wait meanwhile, readers do not.
    @discardableResult
    public func clearCachedData() throws -> Change {
        let change = try write { try $0.clearCachedData() }
        try purgeCleared()
        return change
    }
}

// MARK: What was removed

extension ChatStore {
    /// How many bytes of keys and values were written to the cache since the store was opened.
    package var cacheBytesWritten: Int { cache.bytesWritten }

    /// Gives back to the disk what removed messages took.
    ///
    /// LevelDB writes the tables of these channels anew. It never says whether it failed, so the space may
    /// not be free although nothing is thrown. Reads and writes go on meanwhile; a ``Snapshot`` of before
    /// keeps what it sees.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    /// - Complexity: O(*n*) in the rows that are left of the channels; reads and writes them.
    package func compactMessages(in urls: [ChannelURL]) throws(StoreError) {
        let view = try view
        var ranges: [KeyRange] = []
        for number in try view.numbers(of: urls) {
            ranges += [Table.message, .place, .request, .reply].map { table in
                KeyRange(prefix: ByteWriter.key { $0.table(table, number) })
            }
        }
        try cache.compact(ranges)
    }
}

extension StoreView {
    /// The numbers of those channels that have any.
    fileprivate func numbers(of urls: [ChannelURL]) throws(StoreError) -> [ChannelNumber] {
        var numbers: [ChannelNumber] = []
        for url in urls {
            if let number = try number(of: url) { numbers.append(number) }
        }
        return numbers
    }
}
