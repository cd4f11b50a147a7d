import CPeers
import Foundation
import GRDB
import Measuring
import Store

/// A table of values of 200 bytes under integer keys, in one of the stores that are compared.
///
/// As in ``Engine``, each method returns the call that is timed, and the arguments are converted
/// before. A call returns the number of values. Reads create each value as `Data`.
protocol TableEngine: AnyObject, SendableMetatype {
    static var name: String { get }

    init(at directory: URL) throws
    /// Writes the values with which the table is measured, in one transaction.
    func fill(_ values: [(key: Int, value: Data)]) throws
    /// Writes values in one transaction, which is on disk when the call returns if it is durable.
    func put(_ values: [(key: Int, value: Data)], isDurable: Bool) throws -> Call
    func get(_ key: Int) -> Call
    /// Reads values in the order of their keys, beginning at a key.
    func range(from key: Int, limit: Int) -> Call
    func close() throws
}

extension TableEngine {
    func fill(_ values: [(key: Int, value: Data)]) throws {
        _ = try put(values, isDurable: false)()
    }
}

let tableEngineTypes: [any TableEngine.Type] = [
    ScrollbackTable.self, SQLiteTable.self, GRDBTable.self, LMDBTable.self,
]

final class ScrollbackTable: TableEngine {
    static let name = "Scrollback"

    private let store: ChatStore
    private let cached = StoreTable<Int, Data>("values", home: .cached)
    private let kept = StoreTable<Int, Data>("kept", home: .kept)

    init(at directory: URL) throws { store = try ChatStore(at: directory) }

    /// Fills both tables, because a durable write also replaces a value in the other stores.
    func fill(_ values: [(key: Int, value: Data)]) throws {
        try store.write { [cached, kept] batch in
            for (key, value) in values {
                try batch.put(value, for: key, in: cached)
                try batch.put(value, for: key, in: kept)
            }
        }
    }

    func put(_ values: [(key: Int, value: Data)], isDurable: Bool) -> Call {
        { [store, table = isDurable ? kept : cached] in
            try store.write { batch in
                for (key, value) in values { try batch.put(value, for: key, in: table) }
            }
            return values.count
        }
    }

    func get(_ key: Int) -> Call {
        { [store, cached] in
            let value = try store.value(for: key, in: cached)
            keep(value)
            return value == nil ? 0 : 1
        }
    }

    func range(from key: Int, limit: Int) -> Call {
        { [store, cached] in
            let values = try store.values(in: cached, from: key, limit: limit)
            keep(values)
            return values.count
        }
    }

    func close() { store.close() }
}

final class SQLiteTable: TableEngine {
    static let name = "SQLite from C"

    private let table: OpaquePointer

    init(at directory: URL) {
        table = peer_sqlite_table_open(directory.appending(path: "table.db").path)
    }

    func put(_ values: [(key: Int, value: Data)], isDurable: Bool) -> Call {
        let values = PeerValues(values)
        peer_sqlite_table_set_durable(table, isDurable)
        return { [table] in
            peer_sqlite_table_put(table, values.pointer, values.count)
            return values.count
        }
    }

    func get(_ key: Int) -> Call {
        { [table] in found { peer_sqlite_table_get(table, Int64(key), readValue, $0) } }
    }

    func range(from key: Int, limit: Int) -> Call {
        { [table] in
            collected(limit) {
                peer_sqlite_table_range(table, Int64(key), limit, readValues, $0)
            }
        }
    }

    func close() { peer_sqlite_table_close(table) }
}

/// LMDB, as the limit.
///
/// Durable writes have its default settings. Other writes do not wait for the disk (MDB_NOSYNC),
/// so that a crash of the system can damage the file, in contrast to the other stores.
final class LMDBTable: TableEngine {
    static let name = "LMDB from C"

    private let table: OpaquePointer

    init(at directory: URL) {
        table = peer_lmdb_table_open(directory.appending(path: "table.lmdb").path)
    }

    func put(_ values: [(key: Int, value: Data)], isDurable: Bool) -> Call {
        let values = PeerValues(values)
        peer_lmdb_table_set_durable(table, isDurable)
        return { [table] in
            peer_lmdb_table_put(table, values.pointer, values.count)
            return values.count
        }
    }

    func get(_ key: Int) -> Call {
        { [table] in found { peer_lmdb_table_get(table, Int64(key), readValue, $0) } }
    }

    func range(from key: Int, limit: Int) -> Call {
        { [table] in
            collected(limit) { peer_lmdb_table_range(table, Int64(key), limit, readValues, $0) }
        }
    }

    func close() { peer_lmdb_close(table) }
}

final class GRDBTable: TableEngine {
    static let name = "GRDB"

    private let pool: DatabasePool

    init(at directory: URL) throws {
        pool = try .tuned(in: directory)
        try pool.write { db in
            try db.create(table: "value", options: .ifNotExists) { table in
                table.primaryKey("key", .integer)
                table.column("payload", .blob).notNull()
            }
        }
    }

    func put(_ values: [(key: Int, value: Data)], isDurable: Bool) throws -> Call {
        let rows = values.map { key, value -> StatementArguments in [key, value] }
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        }
        return { [pool] in
            try pool.write { db in
                let put = try db.cachedStatement(sql: "INSERT OR REPLACE INTO value VALUES (?, ?)")
                for row in rows { try put.execute(arguments: row) }
            }
            return rows.count
        }
    }

    func get(_ key: Int) -> Call {
        { [pool] in
            try pool.read { db in
                let get = try db.cachedStatement(sql: "SELECT payload FROM value WHERE key = ?")
                let value = try Data.fetchOne(get, arguments: [key])
                keep(value)
                return value == nil ? 0 : 1
            }
        }
    }

    func range(from key: Int, limit: Int) -> Call {
        { [pool] in
            try pool.read { db in
                let range = try db.cachedStatement(
                    sql: "SELECT payload FROM value WHERE key >= ? ORDER BY key LIMIT ?")
                let values = try Array(
                    Data.fetchCursor(range, arguments: [key, limit]), minimumCapacity: limit)
                keep(values)
                return values.count
            }
        }
    }

    func close() throws { try pool.close() }
}

// MARK: Values for C, and values from C

private let readValue: peer_reader = { context, bytes, size in
    context!.assumingMemoryBound(to: Data?.self).pointee = Data(bytes: bytes, count: size)
}

private let readValues: peer_reader = { context, bytes, size in
    context!.assumingMemoryBound(to: [Data].self).pointee.append(Data(bytes: bytes, count: size))
}

private func found(_ read: (UnsafeMutableRawPointer) -> Int) -> Int {
    var value: Data?
    let count = withPointer(to: &value) { read($0) }
    keep(value)
    return count
}

private func collected(_ limit: Int, _ read: (UnsafeMutableRawPointer) -> Int) -> Int {
    var values: [Data] = []
    values.reserveCapacity(limit)
    let count = withPointer(to: &values) { read($0) }
    keep(values)
    return count
}

/// Values as C structures.
///
/// Their memory does not move.
private final class PeerValues {
    private let rows: UnsafeMutableBufferPointer<peer_value>
    private let kept = KeptBytes()

    var pointer: UnsafePointer<peer_value> { UnsafePointer(rows.baseAddress!) }
    var count: Int { rows.count }

    init(_ values: [(key: Int, value: Data)]) {
        rows = .allocate(capacity: values.count)
        for (index, (key, value)) in values.enumerated() {
            let bytes = kept.keep(Array(value))
            rows.initializeElement(
                at: index,
                to: peer_value(key: Int64(key), bytes: bytes.baseAddress!, size: bytes.count))
        }
    }

    deinit { rows.deallocate() }
}
