import Foundation

extension StoreReader {
    /// Returns the value of a key in a table; `nil` if there is none.
    ///
    /// - Throws: `unreadableValue` if the value cannot be decoded; also the errors of any use of
    ///   the table.
    /// - Complexity: One lookup.
    public func value<Key, Value>(
        for key: Key, in table: StoreTable<Key, Value>
    ) throws(StoreError) -> Value? {
        let rows = try view.rows(of: table)
        return try rows.withValue(of: table.bytes(of: key)) {
            (value) throws(StoreError) -> Value? in
            guard let value else { return nil }
            return try table.value(value, of: key, path: rows.path)
        }
    }

    /// Returns whether a table has a value for a key, even if the value cannot be decoded.
    ///
    /// - Complexity: One lookup.
    public func contains<Key, Value>(
        _ key: Key, in table: StoreTable<Key, Value>
    ) throws(StoreError) -> Bool {
        try view.rows(of: table).contains(table.bytes(of: key))
    }

    /// Returns the rows of a table from a key, inclusive, to another one, exclusive, in the order
    /// of their keys.
    ///
    /// A missing key is no bound. The rest is as for
    /// ``values(in:within:after:isDescending:limit:)``.
    public func values<Key, Value>(
        in table: StoreTable<Key, Value>, from lower: Key? = nil, to upper: Key? = nil,
        isDescending: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> StoreRows<Key, Value> {
        try values(
            in: table, within: StoreKeyRange(from: lower, to: upper), isDescending: isDescending,
            limit: limit)
    }

    /// Returns the rows of a range of a table, in the order of their keys.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - range: The range of keys.
    ///   - last: The key after which the page starts, in the direction of the read; `nil` for the
    ///     first page.
    ///   - isDescending: Whether the last key comes first.
    ///   - limit: The maximum number of rows that can be decoded; `nil` for all.
    /// - Returns: The rows, fewer than `limit` only at the end of the range. Undecodable values are
    ///   in ``StoreRows/unreadable``.
    /// - Throws: `invalid` if the table was used with other types.
    /// - Complexity: One seek, then O(*n*) in the rows visited.
    public func values<Key, Value>(
        in table: StoreTable<Key, Value>, within range: StoreKeyRange<Key>,
        after last: Key? = nil, isDescending: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> StoreRows<Key, Value> {
        let rows = try view.rows(of: table)
        var found = StoreRows<Key, Value>()
        let limit = limit ?? .max
        var range = table.range(range)
        if let last {
            let key = table.bytes(of: last)
            if isDescending { range.upper = key } else { range.lower = key + [0] }
        }
        guard limit > 0, range.lower.precedes(range.upper) else { return found }
        let path = rows.path
        try rows.scan(range, isDescending: isDescending) { (bytes, value) throws(StoreError) in
            guard let key = table.key(ofRow: bytes) else { return true }
            do throws(StoreError) {
                found.rows.append((key, try table.value(value, of: key, path: path)))
            } catch {
                found.unreadable.append((key, error))
            }
            return found.rows.count < limit
        }
        return found
    }

    /// Returns the first row of a range whose value can be decoded; `nil` if there is none.
    ///
    /// - Complexity: One seek, and O(*n*) in the undecodable values before the row.
    public func first<Key, Value>(
        in table: StoreTable<Key, Value>, within range: StoreKeyRange<Key> = .all
    ) throws(StoreError) -> (key: Key, value: Value)? {
        try values(in: table, within: range, limit: 1).first
    }

    /// Returns the last row of a range whose value can be decoded; `nil` if there is none.
    ///
    /// - Complexity: As of ``first(in:within:)``.
    public func last<Key, Value>(
        in table: StoreTable<Key, Value>, within range: StoreKeyRange<Key> = .all
    ) throws(StoreError) -> (key: Key, value: Value)? {
        try values(in: table, within: range, isDescending: true, limit: 1).first
    }

    /// Returns the number of rows in a range, including those whose values cannot be decoded.
    ///
    /// - Complexity: O(*n*) in the rows, without decoding them.
    public func count<Key, Value>(
        in table: StoreTable<Key, Value>, within range: StoreKeyRange<Key> = .all
    ) throws(StoreError) -> Int {
        try view.rows(of: table).count(table.range(range))
    }
}

extension StoreView {
    /// Checks the table's types first.
    func rows<Key, Value>(of table: StoreTable<Key, Value>) throws(StoreError) -> Rows {
        try committed.tables.check(table, self)
        return rows(of: table.home)
    }
}

extension StoreTable {
    func bytes(of key: Key) -> KeyBytes {
        var bytes = rowPrefix
        key.append(to: &bytes)
        return bytes
    }

    func range(_ range: StoreKeyRange<Key>) -> KeyRange {
        let end = rowPrefix.successorOfPrefix
        let upper = rowPrefix + range.bytes.upper
        return KeyRange(rowPrefix + range.bytes.lower, upper.precedes(end) ? upper : end)
    }

    func key(ofRow bytes: UnsafeRawBufferPointer) -> Key? {
        Key(keyBytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(rowPrefix.count)))
    }

    func value(
        _ bytes: UnsafeRawBufferPointer, of key: @autoclosure () -> Key, path: String
    ) throws(StoreError) -> Value {
        var reader = ByteReader(bytes)
        do {
            let found = try reader.varint()
            let payload = UnsafeRawBufferPointer(rebasing: bytes[reader.offset...])
            if found == version { return try decode(payload) }
            if found < version {
                return try migration.map { try $0(Int(found), key(), Data(payload)) }
                    ?? decode(payload)
            }
            throw StoreError(
                .newerSchema,
                "the value of \(name(of: key())) has version \(found), this code knows up to "
                    + "\(version)",
                path: path)
        } catch let error as StoreError where error.code == .newerSchema {
            throw error
        } catch {
            throw StoreError(
                .unreadableValue, "cannot decode the value of \(name(of: key()))", path: path,
                cause: error)
        }
    }

    /// Returns the key in words, for errors: `"general", 5 in table bookmarks`.
    func name(of key: Key) -> String {
        "\(key.keyBytes.keyParts.joined(separator: ", ")) in table \(name)"
    }
}
