import CScrollbackLevelDB

// Operations on table files and on closed databases.

extension LevelDB {
    /// Rewrites all tables without their deleted rows.
    ///
    /// - Complexity: Reads and writes all data; seconds for a million messages.
    package func compact() throws(StoreError) {
        // LevelDB compacts only tables, so write its memory table to a file first.
        try flush()
        leveldb_compact_range(try handle().pointer, nil, 0, nil, 0)
    }

    /// Rewrites the tables of key ranges without their deleted rows.
    ///
    /// - Complexity: Reads and writes all tables that overlap the ranges.
    func compact(_ ranges: [KeyRange]) throws(StoreError) {
        if ranges.isEmpty { return }
        try flush()
        for range in ranges {
            let handle = try handle()
            range.lower.withCharacters { lower in
                range.upper.withCharacters { upper in
                    leveldb_compact_range(
                        handle.pointer, lower.baseAddress, lower.count, upper.baseAddress,
                        upper.count)
                }
            }
        }
    }

    /// Writes LevelDB's memory table to a file, without rows that were deleted since.
    func flush() throws(StoreError) {
        let handle = try handle()
        // For an empty range, LevelDB only writes its memory table to a file.
        KeyRange.all.upper.withCharacters {
            leveldb_compact_range(
                handle.pointer, $0.baseAddress, $0.count, $0.baseAddress, $0.count)
        }
    }

    /// Returns a property of LevelDB such as `leveldb.stats`; `nil` if it is unknown.
    package func property(_ name: String) throws(StoreError) -> String? {
        guard let text = leveldb_property_value(try handle().pointer, name) else { return nil }
        defer { leveldb_free(text) }
        return String(cString: text)
    }

    /// Removes a closed database with all its files, if it exists.
    package static func destroy(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        try check(path) { leveldb_destroy_db(configuration.pointer, path, $0) }
    }

    /// Repairs a damaged database, as far as its files can be read.
    ///
    /// Rows may be missing afterwards, and **deleted rows may reappear**, because LevelDB adds
    /// every table file that it finds. Rows from tables have valid checksums; rows from logs may
    /// have wrong ones. The call takes no lock.
    package static func repair(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        // Without this option, LevelDB would not verify the checksums of table blocks.
        leveldb_options_set_paranoid_checks(configuration.pointer, 1)
        try check(path) { leveldb_repair_db(configuration.pointer, path, $0) }
    }
}
