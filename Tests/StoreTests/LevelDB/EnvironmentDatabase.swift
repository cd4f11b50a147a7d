import CScrollbackFaultEnvironment
import CScrollbackLevelDB
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
        pointer = scrollback_env_create_disk(fault_env_base(faults))
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

/// A LevelDB database, without the store's code.
final class TestDatabase: @unchecked Sendable {
    // @unchecked: leveldb/db.h promises that concurrent use of the database is safe. A test closes
    // it on one thread, when no other thread uses it.
    private var pointer: OpaquePointer?
    private let environment: TestEnvironment

    /// Opens the database, and skips damage.
    ///
    /// The write buffer has LevelDB's minimum size, so that a new log begins soon.
    init(
        _ path: String, in environment: TestEnvironment = TestEnvironment(),
        reusesLogs: Bool = false, writeBuffer: Int = 64 << 10
    ) throws {
        self.environment = environment
        var options = scrollback_db_options()
        options.skips_damage = true
        options.reuses_logs = reusesLogs
        options.max_open_files = 1000
        options.write_buffer_size = writeBuffer
        options.block_cache_size = 8 << 20
        pointer = try Self.check { scrollback_db_open(environment.pointer, path, &options, $0) }
    }

    deinit { close() }

    func close() {
        if let pointer { scrollback_db_close(pointer) }
        pointer = nil
    }

    /// Writes a row, and marks the write as committed.
    func put(_ key: String, _ value: String = "", isSynced: Bool = false) throws {
        let bytes = Array((key + value).utf8)
        var row = scrollback_row(key: 0, value: key.utf8.count, end: bytes.count)
        try Self.check {
            scrollback_db_write(pointer!, bytes, bytes.count, &row, 1, isSynced, $0)
        }
        environment.mark()
    }

    /// The keys, in order.
    var keys: [String] {
        let snapshot = scrollback_snapshot_create(pointer!)
        defer { scrollback_snapshot_release(snapshot) }
        let cursor = scrollback_cursor_create(snapshot)
        defer { scrollback_cursor_destroy(cursor) }
        var keys: [String] = []
        var count = 0
        scrollback_cursor_seek(cursor, nil, 0)
        while let key = scrollback_cursor_key(cursor, &count) {
            keys.append(
                String(decoding: UnsafeBufferPointer(start: key, count: count), as: UTF8.self))
            scrollback_cursor_next(cursor)
        }
        return keys
    }

    private static func check<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws -> Result {
        var error: UnsafeMutablePointer<CChar>?
        let result = body(&error)
        guard let error else { return result }
        defer { free(error) }
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
