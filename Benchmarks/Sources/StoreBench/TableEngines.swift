import CPeers
import Foundation
import GRDB
import Measuring
import Store

/// A table of values of 200 bytes under integer keys, in one of the stores that are compared.
///
/// Reads return each value as `Data`.
protocol TableEngine: AnyObject {
    static var name: String { get }
    /// False if writes are not compared.
    static var writes: Bool { get }

    init(at directory: URL) throws
    /// Writes values in one transaction.
    func put(_ values: [(key: Int, value: Data)]) throws
    /// Writes a value, which is on disk when the call returns.
    func putDurably(_ key: Int, _ value: Data) throws
    func get(_ key: Int) throws -> Data?
    /// Reads values in the order of their keys, beginning at a key.
    func range(from key: Int, limit: Int) throws -> [Data]
    func close() throws
}

extension TableEngine {
    static var writes: Bool { true }
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

    func put(_ values: [(key: Int, value: Data)]) throws {
        try store.write { [cached] batch in
            for (key, value) in values { try batch.put(value, for: key, in: cached) }
        }
    }

    func putDurably(_ key: Int, _ value: Data) throws {
        try store.write { [kept] in try $0.put(value, for: key, in: kept) }
    }

    func get(_ key: Int) throws -> Data? { try store.value(for: key, in: cached) }

    func range(from key: Int, limit: Int) throws -> [Data] {
        try store.values(in: cached, from: key, limit: limit).map(\.value)
    }

    func close() { store.close() }
}

final class SQLiteTable: TableEngine {
    static let name = "SQLite from C"

    private let table: OpaquePointer
    private var isDurable = false

    init(at directory: URL) {
        table = peer_sqlite_table_open(directory.appending(path: "table.db").path)
    }

    func put(_ values: [(key: Int, value: Data)]) {
        setDurable(false)
        withPeerValues(values) { peer_sqlite_table_put(table, $0.baseAddress!, $0.count) }
    }

    func putDurably(_ key: Int, _ value: Data) {
        setDurable(true)
        withPeerValues([(key, value)]) { peer_sqlite_table_put(table, $0.baseAddress!, 1) }
    }

    private func setDurable(_ isDurable: Bool) {
        guard isDurable != self.isDurable else { return }
        peer_sqlite_table_set_durable(table, isDurable)
        self.isDurable = isDurable
    }

    func get(_ key: Int) -> Data? {
        collected { peer_sqlite_table_get(table, Int64(key), readData, $0) }.first
    }

    func range(from key: Int, limit: Int) -> [Data] {
        collected { peer_sqlite_table_range(table, Int64(key), limit, readData, $0) }
    }

    func close() { peer_sqlite_table_close(table) }
}

/// LMDB, as the limit for reads: with its default settings, each write waits for the disk.
final class LMDBTable: TableEngine {
    static let name = "LMDB from C"
    static let writes = false

    private let table: OpaquePointer

    init(at directory: URL) {
        table = peer_lmdb_table_open(directory.appending(path: "table.lmdb").path)
    }

    func put(_ values: [(key: Int, value: Data)]) {
        withPeerValues(values) { peer_lmdb_table_put(table, $0.baseAddress!, $0.count) }
    }

    func putDurably(_ key: Int, _ value: Data) { put([(key, value)]) }
    func get(_ key: Int) -> Data? { range(from: key, limit: 1).first }

    func range(from key: Int, limit: Int) -> [Data] {
        collected { peer_lmdb_table_range(table, Int64(key), limit, readData, $0) }
    }

    func close() { peer_lmdb_table_close(table) }
}

final class GRDBTable: TableEngine {
    static let name = "GRDB"

    private let pool: DatabasePool
    private var isDurable = false

    init(at directory: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA mmap_size = 2147418112") }
        pool = try DatabasePool(
            path: directory.appending(path: "grdb.db").path, configuration: configuration)
        try pool.write { db in
            try db.create(table: "value", options: .ifNotExists) { table in
                table.primaryKey("key", .integer)
                table.column("payload", .blob).notNull()
            }
        }
    }

    func put(_ values: [(key: Int, value: Data)]) throws {
        try setDurable(false)
        try write(values)
    }

    func putDurably(_ key: Int, _ value: Data) throws {
        try setDurable(true)
        try write([(key, value)])
    }

    private func write(_ values: [(key: Int, value: Data)]) throws {
        try pool.write { db in
            let put = try db.cachedStatement(sql: "INSERT OR REPLACE INTO value VALUES (?, ?)")
            for (key, value) in values { try put.execute(arguments: [key, value]) }
        }
    }

    private func setDurable(_ isDurable: Bool) throws {
        guard isDurable != self.isDurable else { return }
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        }
        self.isDurable = isDurable
    }

    func get(_ key: Int) throws -> Data? {
        try pool.read { db in
            let get = try db.cachedStatement(sql: "SELECT payload FROM value WHERE key = ?")
            return try Data.fetchOne(get, arguments: [key])
        }
    }

    func range(from key: Int, limit: Int) throws -> [Data] {
        try pool.read { db in
            let range = try db.cachedStatement(
                sql: "SELECT payload FROM value WHERE key >= ? ORDER BY key LIMIT ?")
            return try Data.fetchAll(range, arguments: [key, limit])
        }
    }

    func close() throws { try pool.close() }
}

// MARK: Values for C, and values from C

private let readData: peer_reader = { context, bytes, size in
    context!.assumingMemoryBound(to: [Data].self).pointee.append(Data(bytes: bytes, count: size))
}

private func collected(_ read: (UnsafeMutableRawPointer) -> Int) -> [Data] {
    var values: [Data] = []
    _ = withPointer(to: &values) { read($0) }
    return values
}

private func withPeerValues(
    _ values: [(key: Int, value: Data)], _ body: (UnsafeBufferPointer<peer_value>) -> Void
) {
    let copies = values.map { [UInt8]($0.value) }
    withExtendedLifetime(copies) {
        let rows = zip(values, copies).map { value, copy in
            copy.withUnsafeBufferPointer {
                peer_value(key: Int64(value.key), bytes: $0.baseAddress!, size: $0.count)
            }
        }
        rows.withUnsafeBufferPointer(body)
    }
}
