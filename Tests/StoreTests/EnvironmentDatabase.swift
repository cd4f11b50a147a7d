import CScrollbackFaultEnvironment
import CScrollbackLevelDB
import CScrollbackLevelDBEnvironment
import Foundation
import ScrollbackTestSupport
import Testing

/// The environment that is tested, on top of an environment that can be made to fail.
final class TestEnvironment: @unchecked Sendable {
    // @unchecked: the pointers never change, and both environments are thread-safe.
    let pointer: OpaquePointer
    let faults: OpaquePointer

    init() {
        faults = fault_env_create()
        pointer = scrollback_env_create_around(fault_env_leveldb(faults))
    }

    deinit {
        scrollback_env_destroy(pointer)
        fault_env_destroy(faults)
    }

    var report: LogReport { LogReport(scrollback_env_take_log_report(pointer)) }
    func mark() { scrollback_env_mark(pointer) }
    func rollBack() -> Int32 { scrollback_env_roll_back(pointer) }
}

/// The findings in LevelDB's logs as one line, such as "2 logs, 9 batches, 1 break in 000003.log".
struct LogReport: Equatable, CustomStringConvertible {
    let logs, batches, breaks, damaged: Int
    let hasTornTail: Bool
    let first: String

    init(_ report: scrollback_log_report) {
        (logs, batches) = (Int(report.logs), Int(report.batches))
        (breaks, damaged) = (Int(report.breaks), Int(report.damaged))
        hasTornTail = report.torn_tail
        first = withUnsafeBytes(of: report.first_damaged) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    var isClean: Bool { breaks == 0 && damaged == 0 && !hasTornTail && first.isEmpty }

    var description: String {
        var line = "\(logs) logs, \(batches) batches"
        if breaks > 0 { line += ", \(breaks) breaks" }
        if damaged > 0 { line += ", \(damaged) damaged" }
        if !first.isEmpty { line += " in \(first)" }
        if hasTornTail { line += ", torn tail" }
        return line
    }
}

/// An error with LevelDB's own message.
struct LevelDBError: Error, CustomStringConvertible {
    let description: String
}

/// A LevelDB database.
///
/// It is accessed only through the C API.
final class TestDatabase: @unchecked Sendable {
    // @unchecked: leveldb/db.h promises that concurrent use of the database is safe. A test closes
    // it on one thread, when no other thread uses it.
    private var pointer: OpaquePointer?
    private let options: OpaquePointer
    private let environment: TestEnvironment?

    /// Opens the database.
    ///
    /// Without an environment, uses LevelDB's own.
    ///
    /// The write buffer has LevelDB's minimum size, so that a new log begins soon.
    init(
        _ path: String, in environment: TestEnvironment? = nil, over leveldb: OpaquePointer? = nil,
        reusesLogs: Bool = false, writeBuffer: Int = 64 << 10
    ) throws {
        self.environment = environment
        options = leveldb_options_create()
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_compression(options, Int32(leveldb_no_compression))
        leveldb_options_set_write_buffer_size(options, writeBuffer)
        scrollback_options_set_reuse_logs(options, reusesLogs ? 1 : 0)
        if let environment {
            leveldb_options_set_env(options, scrollback_env_leveldb(environment.pointer))
        } else if let leveldb {
            leveldb_options_set_env(options, leveldb)
        }
        let options = options
        pointer = try Self.check { leveldb_open(options, path, $0) }
    }

    deinit {
        close()
        leveldb_options_destroy(options)
    }

    func close() {
        if let pointer { leveldb_close(pointer) }
        pointer = nil
    }

    /// Writes a row, and marks the write as committed.
    func put(_ key: String, _ value: String = "", isSynced: Bool = false) throws {
        let writing = leveldb_writeoptions_create()
        defer { leveldb_writeoptions_destroy(writing) }
        leveldb_writeoptions_set_sync(writing, isSynced ? 1 : 0)
        try Self.check {
            leveldb_put(pointer, writing, key, key.utf8.count, value, value.utf8.count, $0)
        }
        environment?.mark()
    }

    /// The keys, in order.
    var keys: [String] {
        let reading = leveldb_readoptions_create()
        defer { leveldb_readoptions_destroy(reading) }
        let iterator = leveldb_create_iterator(pointer, reading)
        defer { leveldb_iter_destroy(iterator) }
        var keys: [String] = []
        leveldb_iter_seek_to_first(iterator)
        while leveldb_iter_valid(iterator) != 0 {
            var count = 0
            let bytes = leveldb_iter_key(iterator, &count)
            keys.append(
                String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self))
            leveldb_iter_next(iterator)
        }
        return keys
    }

    private static func check<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws -> Result {
        var error: UnsafeMutablePointer<CChar>?
        let result = body(&error)
        guard let error else { return result }
        defer { leveldb_free(error) }
        throw LevelDBError(description: String(cString: error))
    }
}

/// The files of a database in a scratch directory.
extension ScratchDirectory {
    var database: String { path + "/db" }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: database).sorted()) ?? []
    }

    /// The paths of the logs, oldest first.
    var logs: [String] { names.filter { $0.hasSuffix(".log") }.map { database + "/" + $0 } }

    func copy() throws -> ScratchDirectory {
        let copy = try ScratchDirectory.made()
        try FileManager.default.copyItem(atPath: database, toPath: copy.database)
        return copy
    }
}

func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}
