/// The version of the format of the files, with the migrations of the outbox.
///
/// A cache of another version is replaced by an empty one, because its data can be fetched again.
package struct StoreSchema: Sendable {
    /// The version that this code writes.
    package let version: Int
    /// One migration for each version from 2 on, in order.
    package let migrations: [Migration]

    /// - Precondition: The migrations lead from version 1 to the last version, without omitting
    ///   one.
    package init(migrations: [Migration]) {
        precondition(
            migrations.enumerated().allSatisfy { $1.version == $0 + 2 },
            "Migrations lead from version 1 on, one version at a time.")
        self.migrations = migrations
        version = migrations.count + 1
    }

    /// The schema that this version of the package writes.
    package static let current = StoreSchema(migrations: [
        // Version 1 compressed tables with Snappy if the linked LevelDB had it.
        Migration(to: 2) { (outbox, _) throws(StoreError) in try outbox.compact() }
    ])
}

extension StoreSchema {
    /// Throws `newerSchema` if newer code wrote a version.
    func check(_ found: Int?, at path: String) throws(StoreError) {
        guard let found, found > version else { return }
        throw StoreError(newer: found, than: version, path: path)
    }

    /// Returns the versions of a store's databases.
    ///
    /// - Throws: `newerSchema` if newer code wrote one of them.
    func versions(
        of cache: LevelDB, _ outbox: LevelDB
    ) throws(StoreError) -> (cache: Int?, outbox: Int?) {
        let found = (cache: try cache.schemaVersion(), outbox: try outbox.schemaVersion())
        // Check the outbox first: a cache of newer code alone is replaced.
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

/// A migration from one version of the schema to the next.
package struct Migration: Sendable {
    /// The version after the migration.
    package let version: Int

    /// Changes the rows or the files of the outbox.
    ///
    /// The last parameter is a closure to call with the completed fraction. The new version is
    /// written only after the migration. If the process ends during a migration, the migration runs
    /// again, so it must accept rows that it has already changed.
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
    /// Returns the version of the schema; `nil` in a new database.
    ///
    /// - Throws: `corruption` if the stored version is below 1.
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

    /// Stores the version durably, in one batch with a loss that this opening has found.
    func setSchemaVersion(_ version: Int, _ loss: OutboxLoss? = nil) throws(StoreError) {
        let overlay = Overlay()
        if let loss { overlay.put(loss) }
        overlay.put({ $0.schemaKey(.version) }, { $0.integer(UInt32(version)) })
        try write(overlay, isDurable: true)
    }
}
