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
            let rows = database == .cache ? view.cache : view.outbox
            var sizesByLetter: [UInt8: TableSize] = [:]
            try rows.scan(.all) { (key, value) throws(StoreError) in
                let letter = key.first ?? 0
                let size = TableSize(
                    database: database, table: database.name(of: letter), rowCount: 0, byteCount: 0)
                sizesByLetter[letter, default: size].rowCount += 1
                sizesByLetter[letter, default: size].byteCount += key.count + value.count
                return true
            }
            sizes += sizesByLetter.sorted { $0.key < $1.key }.map(\.value)
        }
        return sizes
    }
}

extension RowDescription.Database {
    fileprivate func name(of letter: UInt8) -> String {
        switch self {
        case .cache: Table(rawValue: letter)?.name ?? "?"
        case .outbox: OutboxTable(rawValue: letter)?.name ?? "?"
        }
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
