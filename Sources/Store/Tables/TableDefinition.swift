import Foundation
import Models

// On-disk format, do not change: see Docs/Format.md. Both databases have these rows.

extension ByteWriter {
    /// A definition has the byte 0 after this prefix, and a row the byte 1.
    mutating func tablePrefix(_ name: String) {
        byte(Table.appTable.rawValue)
        measured(name)
    }

    mutating func tableDefinitionKey(_ name: String) {
        tablePrefix(name)
        byte(0)
    }

    mutating func tableRowPrefix(_ name: String) {
        tablePrefix(name)
        byte(1)
    }
}

/// The types of a table on disk, stored with its first row.
package struct TableDefinition: Hashable, Sendable {
    /// The version of all converted rows; some may have a later one.
    package var version: Int
    package var keyParts: [StoreKeyPart]
    package var form: String

    init<Key, Value>(of table: StoreTable<Key, Value>) {
        version = table.version
        keyParts = table.keyParts
        form = table.form
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        version = Int(try reader.integer(UInt32.self))
        keyParts = []
        for _ in 0..<(try reader.byte()) {
            let start = reader.offset
            guard let part = StoreKeyPart(rawValue: try reader.byte()) else {
                throw ByteReader.Damage(offset: start, expected: "the type of a part of a key")
            }
            keyParts.append(part)
        }
        form = try reader.text()
    }

    func write(_ writer: inout ByteWriter) {
        writer.integer(UInt32(version))
        writer.byte(UInt8(clamping: keyParts.count))
        for part in keyParts { writer.byte(part.rawValue) }
        writer.text(form)
    }

    package var keyDescription: String { keyParts.map { "\($0)" }.joined(separator: " ") }
}

extension Rows {
    /// A damaged definition is `nil`, so that the next write replaces it.
    func tableDefinition(_ name: String) throws(StoreError) -> TableDefinition? {
        try withValue(of: ByteWriter.key { $0.tableDefinitionKey(name) }) {
            (value) throws(StoreError) in
            guard let value else { return nil }
            var reader = ByteReader(value)
            return try? TableDefinition(&reader)
        }
    }

    /// Returns the names of the tables with rows, by length and then by bytes, with one seek for
    /// each.
    func tableNames() throws(StoreError) -> [String] {
        var names: [String] = []
        let end = [Table.appTable.rawValue].successorOfPrefix
        var start: KeyBytes? = [Table.appTable.rawValue]
        while let lower = start {
            start = nil
            try scan(KeyRange(lower, end)) { (key, _) throws(StoreError) in
                var reader = ByteReader(key)
                guard (try? reader.byte()) != nil, let name = try? reader.measured() else {
                    start = KeyBytes(key) + [0]
                    return false
                }
                names.append(name)
                start = ByteWriter.key { $0.tablePrefix(name) }.successorOfPrefix
                return false
            }
        }
        return names
    }
}

/// The tables that this process has used, shared by a store's committed states.
final class UsedTables: Sendable {
    private struct Use: Hashable {
        let home: StoreTableHome
        let key: ObjectIdentifier
        let value: ObjectIdentifier
        let version: Int
    }

    private struct State {
        var uses: [KeyBytes: Use] = [:]
        /// The cached tables with rows; `nil` until they are read.
        var cachedNames: Set<String>?
    }

    private let state = Locked(State())

    func check<Key, Value>(
        _ table: StoreTable<Key, Value>, _ view: StoreView
    ) throws(StoreError) {
        let use = Use(
            home: table.home, key: ObjectIdentifier(Key.self), value: ObjectIdentifier(Value.self),
            version: table.version)
        // The prompt and the inspector take the types from the definition.
        let isRaw = Key.self == RawKey.self
        let known = isRaw ? nil : state.withLock { $0.uses[table.rowPrefix] }
        if known == use { return }
        let path = view.rows(of: table.home).path
        func fail(_ message: String) -> StoreError {
            StoreError(.invalid, "table \(table.name) \(message)", path: path)
        }
        if known != nil {
            throw fail("was used with another home, version, key or value type")
        }
        guard !table.name.isEmpty, table.name.utf8.count <= 255 else {
            throw StoreError(
                .invalid, "the name of a table has \(table.name.utf8.count) bytes, not 1 to 255",
                path: path)
        }
        guard table.name.isComposed else {
            throw fail("has a name in decomposed form: use precomposedStringWithCanonicalMapping")
        }
        let other: StoreTableHome = table.home == .kept ? .cached : .kept
        guard try view.rows(of: other).tableDefinition(table.name) == nil else {
            throw fail("is \(other) in this store, not \(table.home)")
        }
        if let found = try view.rows(of: table.home).tableDefinition(table.name) {
            let new = TableDefinition(of: table)
            if found.version > new.version {
                throw StoreError(
                    .newerSchema,
                    "table \(table.name) has version \(found.version), this code knows up to "
                        + "\(new.version)",
                    path: path)
            }
            if found.keyParts != new.keyParts {
                throw fail("has keys of type \(found.keyDescription), not \(new.keyDescription)")
            }
            if found.version == new.version && found.form != new.form {
                throw fail("has values of type \(found.form), not \(new.form)")
            }
        }
        if !isRaw { state.withLock { $0.uses[table.rowPrefix] = use } }
    }

    func forget(_ name: String) {
        let prefix = ByteWriter.key { $0.tableRowPrefix(name) }
        state.withLock { $0.uses[prefix] = nil }
    }

    func addCached(_ name: String) { state.withLock { _ = $0.cachedNames?.insert(name) } }

    func cachedNames(in cache: Rows) throws(StoreError) -> Set<String> {
        if let names = state.withLock({ $0.cachedNames }) { return names }
        let names = Set(try cache.tableNames())
        state.withLock { $0.cachedNames = names }
        return names
    }
}

extension StoreView {
    func rows(of home: StoreTableHome) -> Rows { home == .kept ? outbox : cache }
}

extension String {
    /// Swift considers texts equal if they differ only in Unicode's normalization form.
    fileprivate var isComposed: Bool {
        utf8.allSatisfy { $0 < 0x80 }
            || utf8.elementsEqual(precomposedStringWithCanonicalMapping.utf8)
    }
}
