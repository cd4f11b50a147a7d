import CScrollbackLevelDB

extension LevelDB {
    /// Rewrites all tables without deleted and replaced rows: seconds for a million messages.
    package func compact() throws(StoreError) {
        // LevelDB compacts only tables.
        try flush()
        // LevelDB rewrites an older table only with a newer, overlapping one. The table of these
        // removals overlaps all others.
        let ends = Overlay()
        ends.remove { $0.raw([0]) }
        ends.remove { $0.raw([0xff]) }
        try write(ends, isDurable: false)
        try flush()
        scrollback_db_compact(try handle().pointer, nil, 0, nil, 0)
    }

    func compact(_ ranges: [KeyRange]) throws(StoreError) {
        if ranges.isEmpty { return }
        try flush()
        for range in ranges {
            scrollback_db_compact(
                try handle().pointer, range.lower, range.lower.count, range.upper,
                range.upper.count)
        }
    }

    /// Writes LevelDB's memory table to a file, without deleted rows.
    func flush() throws(StoreError) {
        // For an empty range, LevelDB does nothing else.
        let key = KeyRange.all.upper
        scrollback_db_compact(try handle().pointer, key, key.count, key, key.count)
    }

    package func property(_ name: String) throws(StoreError) -> String? {
        try handle().property(name)
    }

    package static func destroy(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        try check(path) { scrollback_db_destroy(environment.pointer, path, $0) }
    }

    /// Repairs a damaged database, as far as its files can be read, without taking its lock.
    ///
    /// Rows may be missing, and **deleted rows may reappear**, because LevelDB adds every table
    /// file. Rows from logs may have wrong checksums.
    package static func repair(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        var options = StoreOptions().native
        try check(path) { scrollback_db_repair(environment.pointer, path, &options, $0) }
    }
}
