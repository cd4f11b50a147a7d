package struct TableSize: Hashable, Sendable {
    package let database: RowDescription.Database

    /// The name of the table in Docs/Format.md; `?` if no table has the first letter of the keys.
    package let table: String

    package fileprivate(set) var rowCount: Int

    /// The size of the keys and values before compression and encryption.
    package fileprivate(set) var byteCount: Int
}

extension Snapshot {
    /// Returns the sizes of the tables that have rows, without decoding the rows.
    package func tableSizes() throws(StoreError) -> [TableSize] {
        var sizes: [TableSize] = []
        for database in RowDescription.Database.allCases {
            var sizesByLetter: [UInt8: TableSize] = [:]
            try view.rows(of: database).forEachRow(in: .all) { key, value in
                let letter = key.first ?? 0
                let size = TableSize(
                    database: database, table: database.table(letter)?.name ?? "?", rowCount: 0,
                    byteCount: 0)
                sizesByLetter[letter, default: size].rowCount += 1
                sizesByLetter[letter, default: size].byteCount += key.count + value.count
            }
            sizes += sizesByLetter.sorted { $0.key < $1.key }.map(\.value)
        }
        return sizes
    }
}

extension ChatStore {
    /// Returns a property of LevelDB, such as `leveldb.stats`; `nil` if it is unknown.
    package func property(
        _ name: String, of database: RowDescription.Database
    ) throws(StoreError) -> String? {
        try (database == .cache ? cache : outbox).property(name)
    }
}
