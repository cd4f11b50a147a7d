import CScrollbackLevelDB

// Operations on table files and on closed databases.

extension LevelDB {
    /// Rewrites the log and all tables without their deleted and replaced rows.
    ///
    /// - Complexity: Reads and writes all data; seconds for a million messages.
    package func compact() throws(StoreError) {
        // LevelDB compacts only tables, so write its memory table to a file first.
        try flush()
        // LevelDB rewrites an older table only together with a newer one that overlaps it. These
        // removals of rows that do not exist make a table that overlaps all others.
        let ends = Overlay()
        ends.remove { $0.raw([0]) }
        ends.remove { $0.raw([0xff]) }
        try write(ends, isDurable: false)
        try flush()
        scrollback_db_compact(try handle().pointer, nil, 0, nil, 0)
    }

    /// Rewrites the tables of key ranges without their deleted rows.
    ///
    /// - Complexity: Reads and writes all tables that overlap the ranges.
    func compact(_ ranges: [KeyRange]) throws(StoreError) {
        if ranges.isEmpty { return }
        try flush()
        for range in ranges {
            scrollback_db_compact(
                try handle().pointer, range.lower, range.lower.count, range.upper,
                range.upper.count)
        }
    }

    /// Writes LevelDB's memory table to a file, without rows that were deleted since.
    func flush() throws(StoreError) {
        // For an empty range, LevelDB only writes its memory table to a file.
        let key = KeyRange.all.upper
        scrollback_db_compact(try handle().pointer, key, key.count, key, key.count)
    }

    /// Returns a property of LevelDB such as `leveldb.stats`; `nil` if it is unknown.
    package func property(_ name: String) throws(StoreError) -> String? {
        try handle().property(name)
    }

    /// Removes a closed database with all its files, if it exists.
    package static func destroy(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        try check(path) { scrollback_db_destroy(environment.pointer, path, $0) }
    }

    /// Repairs a damaged database, as far as its files can be read.
    ///
    /// Rows may be missing afterwards, and **deleted rows may reappear**, because LevelDB adds
    /// every table file that it finds. Rows from tables have valid checksums; rows from logs may
    /// have wrong ones. The call takes no lock.
    ///
    /// - Throws: `corruption`, or errors of the disk.
    package static func repair(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        var options = StoreOptions().native
        try check(path) { scrollback_db_repair(environment.pointer, path, &options, $0) }
    }
}
