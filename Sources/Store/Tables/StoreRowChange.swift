/// A changed row of a table of the app, which ``Change/rows(of:)`` decodes.
public struct StoreRowChange: Hashable, Sendable {
    /// The name of the table.
    public let tableName: String
    /// The database of the row.
    public let home: StoreTableHome
    package let key: [UInt8]
    package let oldValue: [UInt8]?
    package let newValue: [UInt8]?

    /// The key and the table, such as `general, 5 in table bookmarks`.
    package var name: String {
        "\(key.keyParts.joined(separator: ", ")) in table \(tableName)"
    }

    package var verb: String {
        newValue == nil ? "removed" : oldValue == nil ? "saved" : "replaced"
    }
}

/// A decoded change of a row.
public struct StoreTableChange<Key: StoreKey, Value: Sendable>: Sendable {
    /// The key of the row.
    public let key: Key
    /// The earlier value; `nil` if there was none, or it is undecodable.
    public let oldValue: Value?
    /// The new value; `nil` if the row was removed, or the value is undecodable.
    public let newValue: Value?
    /// True if there is a new value that cannot be decoded.
    package let isUnreadable: Bool
}

extension StoreTableChange: Equatable where Value: Equatable {}
extension StoreTableChange: Hashable where Value: Hashable {}

extension Change {
    /// Returns the changes of a table's rows, in the order of the batch.
    ///
    /// There is one for each write to a row. If the cache was cleared or replaced,
    /// ``removesCachedRows`` is `true` instead.
    public func rows<Key, Value>(
        of table: StoreTable<Key, Value>
    ) -> [StoreTableChange<Key, Value>] {
        entries.compactMap { entry in
            guard case .changedRow(let row) = entry.operation, row.tableName == table.name,
                row.home == table.home,
                let key = row.key.withBytes({ Key(keyBytes: $0) })
            else { return nil }
            // An observer treats a value that cannot be decoded as missing; a read reports its
            // error.
            func value(_ bytes: [UInt8]?) -> Value? {
                bytes?.withBytes { try? table.value($0, of: key, path: "") }
            }
            let new = value(row.newValue)
            return StoreTableChange(
                key: key, oldValue: value(row.oldValue), newValue: new,
                isUnreadable: new == nil && row.newValue != nil)
        }
    }

    /// Whether all rows of cached tables were removed.
    public var removesCachedRows: Bool {
        operations.contains(.clearedCachedData) || operations.contains(.replacedCache)
    }
}

struct ObservedTables {
    var isEverything = false
    var names: Set<String> = []

    func contains(_ name: String) -> Bool { isEverything || names.contains(name) }
}
