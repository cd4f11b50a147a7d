extension ChatStore {
    fileprivate static let convertedInOneBatch = 500

    /// Opens a table: checks its types, and converts all values of earlier versions.
    ///
    /// Call this method before the first use of a table whose `version` has increased.
    /// Until then, each read converts the values that it returns. A later call continues an
    /// interrupted one. A value that the migration rejects stays as it is, and reads report it.
    ///
    /// - Throws: The errors of any use of the table, and of ``write(_:)``.
    /// - Precondition: The call is not inside a write.
    /// - Complexity: One lookup; O(*n*) in the rows after a change of the version. Other writes run
    ///   between the batches.
    public func open<Key, Value>(_ table: StoreTable<Key, Value>) throws(StoreError) {
        let rows = try view.rows(of: table)
        let definition = try rows.tableDefinition(table.name)
        guard let definition, definition.version < table.version else { return }
        var start: KeyBytes? = table.rowPrefix
        while let lower = start {
            start = try writeRows { (batch) throws(StoreError) in
                try batch.convert(table, from: lower)
            }
        }
    }

    package func writeRows<Result>(
        _ body: (Batch) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try write { batch in try body(batch) }
        } catch {
            // Neither the closure nor the store throws another error.
            throw error as? StoreError
                ?? StoreError(.io, "the rows were not written", path: path, cause: error)
        }
    }
}

extension Batch {
    /// Converts the next rows, and returns the key at which to continue; `nil` after the last row.
    fileprivate func convert<Key, Value>(
        _ table: StoreTable<Key, Value>, from lower: KeyBytes
    ) throws(StoreError) -> KeyBytes? {
        let stored = view.rows(of: table.home)
        let overlay = rows.overlay(of: table.home)
        var converted: [(key: KeyBytes, value: [UInt8])] = []
        var (visited, size) = (0, 0)
        var next: KeyBytes?
        try stored.scan(KeyRange(lower, table.rowPrefix.successorOfPrefix)) {
            (bytes, value) throws(StoreError) in
            if visited == ChatStore.convertedInOneBatch || size > 1 << 20 {
                next = KeyBytes(bytes)
                return false
            }
            visited += 1
            var reader = ByteReader(value)
            guard let version = try? reader.varint(), version < table.version,
                let key = table.key(ofRow: bytes),
                // Reads report the error of a value that stays.
                let new = try? table.value(value, of: key, path: stored.path),
                let encoded = try? table.encoded(new, of: key, path: stored.path)
            else { return true }
            converted.append((KeyBytes(bytes), encoded))
            size += encoded.count
            return true
        }
        for row in converted { overlay.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        if next == nil {
            putDefinition(TableDefinition(of: table), of: table.name, in: table.home)
        }
        return next
    }
}
