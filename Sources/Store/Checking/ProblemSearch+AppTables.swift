import Models

extension ProblemSearch {
    /// Finds undecodable definitions, keys and versions of the app's tables; only the app knows the
    /// values' types.
    mutating func searchAppTables(_ rows: Rows) throws(StoreError) {
        try rows.forEachRow(in: KeyRange(Table.appTable)) { key, value in
            if !ProblemSearch.canDecode(key, value) { add(.unreadable) }
        }
    }

    private static func canDecode(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Bool {
        var (key, value) = (ByteReader(key), ByteReader(value))
        guard (try? key.byte()) != nil, (try? key.measured()) != nil else { return false }
        switch try? key.byte() {
        case 0: return key.isAtEnd && (try? TableDefinition(&value)) != nil
        case 1: return (try? key.keyParts()) != nil && (try? value.varint()).map { $0 > 0 } ?? false
        default: return false
        }
    }
}
