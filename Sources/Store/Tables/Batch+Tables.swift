import Models

extension Batch {
    /// Saves a value in a table, replacing the value with the same key.
    ///
    /// - Throws: `invalid` if the value cannot be encoded or has more than 4 MiB, or if the key has
    ///   more than 65,535 bytes; also the errors of any use of the table.
    /// - Complexity: One lookup for the first row of a table in a batch, and one for each row of an
    ///   observed table, for the earlier value.
    public func put<Key, Value>(
        _ value: Value, for key: Key, in table: StoreTable<Key, Value>
    ) throws(StoreError) {
        let rows = try view.rows(of: table)
        let bytes = table.bytes(of: key)
        guard bytes.count - table.rowPrefix.count <= Limits.nameSize else {
            throw StoreError(
                .invalid,
                "the key of a row in table \(table.name) has "
                    + "\(bytes.count - table.rowPrefix.count) bytes; the limit is \(Limits.nameSize)",
                path: rows.path)
        }
        let encoded = try table.encoded(value, of: key, path: rows.path)
        try define(table, rows)
        try change(bytes, of: table.name, in: table.home, to: encoded)
    }

    /// Removes the value of a key, even an undecodable one, and returns whether there was one.
    ///
    /// - Complexity: One lookup.
    @discardableResult
    public func removeValue<Key, Value>(
        for key: Key, in table: StoreTable<Key, Value>
    ) throws(StoreError) -> Bool {
        let rows = try view.rows(of: table)
        let bytes = table.bytes(of: key)
        guard try rows.contains(bytes) else { return false }
        try change(bytes, of: table.name, in: table.home, to: nil)
        return true
    }

    /// Removes the values of a range, even undecodable ones, and returns their number.
    ///
    /// - Complexity: O(*n*) in the rows.
    @discardableResult
    public func removeValues<Key, Value>(
        in table: StoreTable<Key, Value>, within range: StoreKeyRange<Key> = .all
    ) throws(StoreError) -> Int {
        _ = try view.rows(of: table)
        return try removeRows(table.range(range), of: table.name, in: table.home)
    }

    /// Removes a table with all its values and its types, so that its name can be used for other
    /// types.
    ///
    /// - Returns: Whether the table existed.
    /// - Throws: `closed`, `io` or `corruption`.
    /// - Complexity: O(*n*) in the rows.
    @discardableResult
    public func removeTable(_ name: String) throws(StoreError) -> Bool {
        var isFound = false
        for home in StoreTableHome.allCases {
            let definition = ByteWriter.key { $0.tableDefinitionKey(name) }
            let range = KeyRange(prefix: ByteWriter.key { $0.tableRowPrefix(name) })
            let count = try removeRows(range, of: name, in: home)
            let isDefined = try view.rows(of: home).contains(definition)
            guard count > 0 || isDefined else { continue }
            if home == .kept { recordsGeneration = true }
            rows.overlay(of: home).remove { $0.raw(definition) }
            isFound = true
        }
        definedTables.remove(name)
        committed.tables.forget(name)
        return isFound
    }

    package func removeKeptTables() throws(StoreError) {
        for name in try outbox.tableNames() { try removeTable(name) }
    }

    func removeRows(of url: ChannelURL) throws(StoreError) {
        for name in try committed.tables.cachedNames(in: cache).sorted() {
            let prefix = ByteWriter.key {
                $0.tableRowPrefix(name)
                $0.raw(url.keyBytes)
            }
            _ = try removeRows(KeyRange(prefix: prefix), of: name, in: .cached)
        }
    }
}

extension Batch {
    private func define<Key, Value>(
        _ table: StoreTable<Key, Value>, _ stored: Rows
    ) throws(StoreError) {
        if definedTables.contains(table.name) { return }
        if try stored.tableDefinition(table.name) == nil {
            putDefinition(TableDefinition(of: table), of: table.name, in: table.home)
        }
        definedTables.insert(table.name)
    }

    func putDefinition(_ definition: TableDefinition, of name: String, in home: StoreTableHome) {
        rows.overlay(of: home).put({ $0.tableDefinitionKey(name) }, definition.write)
        if home == .cached { committed.tables.addCached(name) }
    }

    private func change(
        _ key: KeyBytes, of name: String, in home: StoreTableHome, to value: [UInt8]?
    ) throws(StoreError) {
        if observedTables.contains(name) {
            let old = try view.rows(of: home).withValue(of: key) { (value) throws(StoreError) in
                value.map(Array.init)
            }
            record(
                .changedRow(
                    StoreRowChange(
                        tableName: name, home: home,
                        key: KeyBytes(key.dropFirst(name.utf8.count + 4)),
                        oldValue: old, newValue: value)))
        } else {
            unreportedTables.insert(name)
        }
        if name == ChannelLabels.table.name, home == ChannelLabels.table.home {
            try recordLabels(key, value)
        }
        if home == .kept { recordsGeneration = true }
        if let value {
            rows.overlay(of: home).put({ $0.raw(key) }, { $0.raw(value) })
        } else {
            rows.overlay(of: home).remove { $0.raw(key) }
        }
    }

    private func removeRows(
        _ range: KeyRange, of name: String, in home: StoreTableHome
    ) throws(StoreError) -> Int {
        guard range.lower.precedes(range.upper) else { return 0 }
        let keys = try view.rows(of: home).keys(in: range)
        for key in keys { try change(key, of: name, in: home, to: nil) }
        return keys.count
    }
}

extension StoreTable {
    func encoded(
        _ value: Value, of key: @autoclosure () -> Key, path: String
    ) throws(StoreError) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.varint(UInt64(version))
        let start = writer.count
        do {
            try encode(value, &writer)
        } catch {
            throw StoreError(
                .invalid, "cannot encode the value of \(name(of: key()))", path: path, cause: error)
        }
        guard writer.count - start <= Self.maximumValueByteCount else {
            throw StoreError(
                .invalid,
                "the value of \(name(of: key())) has \(writer.count - start) bytes; the limit is "
                    + "\(Self.maximumValueByteCount)",
                path: path)
        }
        return writer.bytes
    }
}

extension BatchRows {
    func overlay(of home: StoreTableHome) -> Overlay { home == .kept ? outbox : cache }
}
