import CFaultEnvironment
package import Foundation
package import Store

/// A disk that fails on purpose, below one database.
package final class FailingDisk: @unchecked Sendable {
    // @unchecked: the pointer never changes, and every call through it is thread-safe.
    package let pointer: OpaquePointer = fault_env_create()

    package init() {}

    deinit { fault_env_destroy(pointer) }

    package var environment: LevelDB.Environment {
        .around(fault_env_leveldb(pointer), owner: self)
    }

    /// Fails the nth change from now, alone or with all that come after it.
    package func fail(at change: Int, with error: Int32, once: Bool, tearing: Bool = false) {
        fault_env_tear_appends(pointer, tearing)
        if once {
            fault_env_fail_once(pointer, UInt64(change), error)
        } else {
            fault_env_fail_after(pointer, UInt64(change), error)
        }
    }

    /// Ends the process, as `kill -9` does, when the nth change from now is asked for.
    package func kill(at change: Int) { fault_env_kill_at(pointer, UInt64(change)) }

    /// Fails to open the file that names the others for reading, and so the database.
    package func failOpening(with error: Int32) {
        fault_env_fail_opens(pointer, "CURRENT", error)
    }

    /// Keeps logs from becoming tables.
    package func failTables(with error: Int32) { fault_env_fail_creates(pointer, ".ldb", error) }

    package func heal() { fault_env_heal(pointer) }

    /// How many changes were asked for so far.
    package var changes: Int { Int(fault_env_counted(pointer).changes) }

    /// Lets nothing more reach the disk.
    package func cutPower() { fault_env_freeze(pointer) }

    /// Lets the nth change from now not reach the disk, nor any that comes after it.
    package func cutPower(at change: Int) { fault_env_freeze_after(pointer, UInt64(change)) }

    /// Takes from the files below a directory what was not synced; the databases have to be closed.
    package func loseUnsynced(in directory: URL) throws {
        let logs = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".log") }
        _ = fault_env_lose_unsynced(pointer, fault_env_all_files)
        // A log that was never synced goes altogether here. On a disk it is there, and empty: our
        // environment syncs the directory when a log is new, which this one below it does not see.
        for name in logs {
            let log = directory.appending(path: name)
            if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        }
    }
}
