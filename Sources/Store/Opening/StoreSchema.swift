/// The version of the keys and values on disk, and the steps that lead to it.
package struct StoreSchema: Sendable {
    /// What this code writes.
    package let version: Int
    /// One step for each version from 2 on, in order.
    package let migrations: [Migration]

    /// - Precondition: The steps lead from version 1 to the last one, without a hole.
    package init(migrations: [Migration]) {
        precondition(
            migrations.enumerated().allSatisfy { $1.version == $0 + 2 },
            "Migrations lead from version 1 on, one version at a time.")
        self.migrations = migrations
        version = migrations.count + 1
    }

    /// What is on people's disks.
    package static let current = StoreSchema(migrations: [])
}

extension StoreSchema {
    /// Makes sure that what was found is not of a newer code.
    func check(_ found: Int?, at path: String) throws(StoreError) {
        guard let found, found > version else { return }
        throw StoreError(newer: found, than: version, path: path)
    }

    /// The versions of a store's databases, of which none is a newer code's.
    func versions(
        of cache: LevelDB, _ outbox: LevelDB
    ) throws(StoreError) -> (cache: Int?, outbox: Int?) {
        let found = (cache: try cache.schemaVersion(), outbox: try outbox.schemaVersion())
        try check(found.cache, at: cache.path)
        try check(found.outbox, at: outbox.path)
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

/// A step from one version of the schema to the next.
package struct Migration: Sendable {
    /// The version that it leads to.
    package let version: Int

    /// Changes the rows of both databases.
    ///
    /// Calls the closure with the fraction that is done. Begun anew after a crash, so it has to be
    /// able to meet its own work; the version is written behind it.
    package let run:
        @Sendable (_ cache: LevelDB, _ outbox: LevelDB, (Double) -> Void)
            throws(StoreError) -> Void

    package init(
        to version: Int,
        run: @escaping @Sendable (LevelDB, LevelDB, (Double) -> Void) throws(StoreError) -> Void
    ) {
        self.version = version
        self.run = run
    }
}

extension LevelDB {
    /// The version of the schema; `nil` in a database that was just created.
    ///
    /// - Throws: `corruption` if it is one that no code ever wrote.
    func schemaVersion() throws(StoreError) -> Int? {
        let rows = Rows(snapshot: try snapshot())
        return try rows.read(ByteWriter.key { $0.schemaKey(.version) }, as: "the schema's version")
        { (reader) throws(ByteReader.Damage) in
            let version = Int(try reader.integer(UInt32.self))
            guard version > 0 else {
                throw ByteReader.Damage(offset: 0, expected: "the first of a version from 1 on")
            }
            return version
        }
    }

    func setSchemaVersion(_ version: Int) throws(StoreError) {
        let overlay = Overlay()
        overlay.put({ $0.schemaKey(.version) }, { $0.integer(UInt32(version)) })
        try write(overlay, isDurable: true)
    }
}
