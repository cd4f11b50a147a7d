import Models

/// The version of the files' format, with the migrations of the outbox.
///
/// A cache of another version is replaced by an empty one.
package struct StoreSchema: Sendable {
    package let version: Int
    /// One migration for each version from 2 on, in order.
    package let migrations: [Migration]

    package init(migrations: [Migration]) {
        precondition(
            migrations.enumerated().allSatisfy { $1.version == $0 + 2 },
            "Migrations lead from version 1 on, one version at a time.")
        self.migrations = migrations
        version = migrations.count + 1
    }

    package static let current = StoreSchema(migrations: [
        // Version 1 compressed tables with Snappy if the linked LevelDB had it.
        Migration(to: 2) { (outbox, _) throws(StoreError) in try outbox.compact() }
    ])
}

extension StoreSchema {
    func check(_ found: Int?, at path: String) throws(StoreError) {
        guard let found, found > version else { return }
        throw StoreError(newer: found, than: version, path: path)
    }

    func versions(
        of cache: LevelDB, _ outbox: LevelDB
    ) throws(StoreError) -> (cache: Int?, outbox: Int?) {
        let found = (cache: try cache.schemaVersion(), outbox: try outbox.schemaVersion())
        // A cache of newer code alone is replaced.
        try check(found.outbox, at: outbox.path)
        try check(found.cache, at: cache.path)
        return found
    }
}

extension StoreError {
    init(newer found: Int, than known: Int, path: String) {
        self.init(
            .newerSchema, "the files have version \(found), this code knows up to \(known)",
            path: path)
    }
}

package struct Migration: Sendable {
    package let version: Int

    /// Changes the rows or the files of the outbox, and calls the closure with the completed
    /// fraction.
    ///
    /// An interrupted migration runs again, so it must accept changed rows.
    package let run: @Sendable (_ outbox: LevelDB, (Double) -> Void) throws(StoreError) -> Void

    package init(
        to version: Int,
        run: @escaping @Sendable (LevelDB, (Double) -> Void) throws(StoreError) -> Void
    ) {
        self.version = version
        self.run = run
    }
}

extension LevelDB {
    /// Returns `nil` in a new database.
    func schemaVersion() throws(StoreError) -> Int? {
        let rows = Rows(snapshot: try snapshot())
        return try rows.read(ByteWriter.key { $0.schemaKey(.version) }, as: "the schema's version")
        { (reader) throws(ByteReader.Damage) in
            let version = Int(try reader.integer(UInt32.self))
            guard version > 0 else {
                throw ByteReader.Damage(offset: 0, expected: "a schema version of at least 1")
            }
            return version
        }
    }

    /// Durably stores the version, a loss that this opening has found, and the time if the database
    /// is a cache that replaces another one.
    func setSchemaVersion(
        _ version: Int, _ loss: OutboxLoss? = nil, replacedAt: Timestamp? = nil
    ) throws(StoreError) {
        let overlay = Overlay()
        if let loss { overlay.put(loss) }
        if let replacedAt { overlay.put(replacedAt: replacedAt) }
        overlay.put({ $0.schemaKey(.version) }, { $0.integer(UInt32(version)) })
        try write(overlay, isDurable: true)
    }
}
