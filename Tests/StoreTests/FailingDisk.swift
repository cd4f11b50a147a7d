import CFaultEnvironment
import Foundation
import Store

/// A disk that fails on purpose.
final class FailingDisk: @unchecked Sendable {
    // @unchecked: the pointer never changes, and every call through it is thread-safe.
    let pointer: OpaquePointer = fault_env_create()

    deinit { fault_env_destroy(pointer) }

    var environment: LevelDB.Environment { .around(fault_env_leveldb(pointer), owner: self) }

    /// Fails the nth change from now, alone or with all that come after it.
    func fail(at change: Int, with error: Int32, once: Bool, tearing: Bool = false) {
        fault_env_tear_appends(pointer, tearing)
        if once {
            fault_env_fail_once(pointer, UInt64(change), error)
        } else {
            fault_env_fail_after(pointer, UInt64(change), error)
        }
    }

    func heal() { fault_env_heal(pointer) }

    /// How many changes were asked for so far.
    var changes: Int { Int(fault_env_counted(pointer).changes) }

    /// Lets nothing more reach the disk.
    func cutPower() { fault_env_freeze(pointer) }

    /// Lets the nth change from now not reach the disk, nor any that comes after it.
    func cutPower(at change: Int) { fault_env_freeze_after(pointer, UInt64(change)) }

    /// Takes from the files of a directory what was not synced; the database has to be closed.
    func loseUnsynced(in directory: URL) throws {
        let logs = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".log") }
        _ = fault_env_lose_unsynced(pointer, fault_env_all_files)
        // A log that was never synced goes altogether here. On a disk it is there, and empty: our
        // environment syncs the directory when a log is new, which this one below it does not see.
        for name in logs {
            let log = directory.appending(path: name)
            if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        }
    }

    /// Keeps logs from becoming tables.
    func failTables(with error: Int32) { fault_env_fail_creates(pointer, ".ldb", error) }
}
