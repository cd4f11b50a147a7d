import CLevelDB
import CLevelDBEnvironment
import Foundation

extension LevelDB {
    /// Where a database keeps its files, and what is done around each of them.
    ///
    /// Logs are synced before another one is begun, files belong to their owner alone, and errors
    /// say what kind they are; CLevelDBEnvironment.h has the whole of it. Serves one database.
    package final class Environment: Sendable {
        private let environment: Pointer
        let isOnDisk: Bool
        /// What lies below, if the caller brought it; it has to outlive this.
        private let base: (any Sendable)?

        private init(_ pointer: OpaquePointer, isOnDisk: Bool, base: (any Sendable)? = nil) {
            environment = Pointer(pointer)
            self.isOnDisk = isOnDisk
            self.base = base
        }

        deinit { scrollback_env_destroy(pointer) }

        var pointer: OpaquePointer { @inline(__always) get { environment.raw } }

        /// Files on the disk.
        package static func disk() -> Environment {
            Environment(scrollback_env_create_disk(), isOnDisk: true)
        }

        /// Files in memory, which leave nothing behind.
        package static func memory() -> Environment {
            Environment(scrollback_env_create_memory(), isOnDisk: false)
        }

        /// Files of another environment, such as one that injects faults.
        ///
        /// - Parameters:
        ///   - base: A `leveldb_env_t`.
        ///   - owner: Is kept as long as this environment.
        /// - Returns: An environment whose files are on the disk, as those of the other are.
        package static func around(_ base: OpaquePointer, owner: any Sendable) -> Environment {
            Environment(scrollback_env_create_around(base), isOnDisk: true, base: owner)
        }
    }
}

extension LevelDB.Environment {
    /// What LevelDB found in the logs that it replayed when it opened, since the last call.
    func takeLogReport() -> scrollback_log_report { scrollback_env_take_log_report(pointer) }

    /// Whether an opening fails, and changes nothing, if its logs are damaged.
    func refuseDamage(_ refuses: Bool) { scrollback_env_refuse_damage(pointer, refuses) }

    /// Calls a closure while nobody can open the database in a directory; if there is no directory,
    /// nobody can open it either.
    ///
    /// - Throws: `locked` if somebody has it open; then the closure was not called.
    func withLock(
        of path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        var error: Int32 = 0
        let lock = scrollback_env_lock(pointer, path, &error)
        defer { if let lock { scrollback_env_unlock(pointer, lock) } }
        if lock == nil && error == EBUSY { throw StoreError(lockedAt: path) }
        guard lock != nil || error == ENOENT else {
            throw StoreError(errno: error, doing: "lock", path: path)
        }
        try body()
    }

    /// Notes that all that was written so far is there to stay.
    @inline(__always)
    func mark() { scrollback_env_mark(pointer) }

    /// Cuts off what was written to logs since ``mark()``; the database has to be closed.
    ///
    /// Returns what the system says if it cannot.
    func rollBack() -> Int32 { scrollback_env_roll_back(pointer) }
}

extension LogReport {
    init(_ report: scrollback_log_report) {
        logs = Int(report.logs)
        batches = Int(report.batches)
        breaks = Int(report.breaks)
        damagedRecords = Int(report.damaged)
        hasTornTail = report.torn_tail
        let name = withUnsafeBytes(of: report.first_damaged) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        firstDamagedFile = name.isEmpty ? nil : name
    }
}
