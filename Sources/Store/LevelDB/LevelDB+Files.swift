import CLevelDB

// What is done with tables, and with databases that nobody has open.

extension LevelDB {
    /// Rewrites all tables, without what was deleted in them.
    ///
    /// - Complexity: Reads and writes all there is; seconds for a million messages.
    package func compact() throws(StoreError) {
        // LevelDB looks at the tables there are before it makes one of what is in memory.
        try flush()
        leveldb_compact_range(try handle().pointer, nil, 0, nil, 0)
    }

    /// Rewrites the tables of ranges, without what was deleted in them.
    ///
    /// - Complexity: Reads and writes what the tables hold that meet the ranges.
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

    /// Makes a table of what is in memory, with what was deleted there meanwhile.
    func flush() throws(StoreError) {
        let handle = try handle()
        // No row is behind this, so nothing else is compacted.
        KeyRange.all.upper.withCharacters {
            leveldb_compact_range(
                handle.pointer, $0.baseAddress, $0.count, $0.baseAddress, $0.count)
        }
    }

    /// What LevelDB says of itself under a name such as `leveldb.stats`; `nil` if it has no such.
    package func property(_ name: String) throws(StoreError) -> String? {
        guard let text = leveldb_property_value(try handle().pointer, name) else { return nil }
        defer { leveldb_free(text) }
        return String(cString: text)
    }

    /// Removes a database that nobody has open, with all its files; one that is not there is removed.
    package static func destroy(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        try check(path) { leveldb_destroy_db(configuration.pointer, path, $0) }
    }

    /// Makes what can be read of a damaged database one that opens.
    ///
    /// Rows may be missing afterwards, and **rows that were deleted may be back**: LevelDB takes in
    /// every table that it finds. What is in a table has its checksum; in a log, maybe not. Takes no
    /// lock.
    package static func repair(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        // Else it takes blocks of tables without a look at their checksums, too.
        leveldb_options_set_paranoid_checks(configuration.pointer, 1)
        try check(path) { leveldb_repair_db(configuration.pointer, path, $0) }
    }
}
