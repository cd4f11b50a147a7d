import CScrollbackFaultEnvironment
package import Foundation
package import Store

/// A disk for one database.
///
/// It can be made to fail.
package final class FailingDisk: @unchecked Sendable {
    // @unchecked: the pointer never changes, and every call through it is thread-safe.
    package let pointer: OpaquePointer = fault_env_create()

    package init() {}

    deinit { fault_env_destroy(pointer) }

    package var environment: LevelDB.Environment {
        .around(fault_env_base(pointer), owner: self)
    }

    /// Makes the nth change from now fail.
    ///
    /// Unless `once`, all later changes fail, too.
    package func fail(at change: Int, with error: Int32, once: Bool, tearing: Bool = false) {
        fault_env_tear_appends(pointer, tearing)
        if once {
            fault_env_fail_once(pointer, UInt64(change), error)
        } else {
            fault_env_fail_after(pointer, UInt64(change), error)
        }
    }

    /// Ends the process at the nth change from now, as `kill -9` does.
    package func kill(at change: Int) { fault_env_kill_at(pointer, UInt64(change)) }

    /// Makes reading the file `CURRENT` fail, so that the database cannot be opened.
    package func failOpening(with error: Int32) {
        fault_env_fail_opens(pointer, "CURRENT", error)
    }

    /// Makes reading files fail whose paths end with a suffix, until ``heal()`` is called.
    package func failReading(_ suffix: String, with error: Int32) {
        fault_env_fail_reads(pointer, suffix, error)
    }

    /// Makes creating tables fail.
    package func failTables(with error: Int32) { fault_env_fail_creates(pointer, ".ldb", error) }

    package func heal() { fault_env_heal(pointer) }

    /// The number of changes to the disk so far.
    package var changes: Int { Int(fault_env_counted(pointer).changes) }

    /// Stops all changes from reaching the disk.
    package func cutPower() { fault_env_freeze(pointer) }

    /// Stops the nth change from now and all later ones from reaching the disk.
    package func cutPower(at change: Int) { fault_env_freeze_after(pointer, UInt64(change)) }

    /// Removes unsynced data from the files in a directory.
    ///
    /// The databases must be closed.
    package func loseUnsynced(in directory: URL) throws {
        let logs = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".log") }
        _ = fault_env_lose_unsynced(pointer, fault_env_all_files)
        // The call above removes a log that was never synced. On a real disk, such a log would
        // exist and be empty, because the environment above this one syncs the directory after it
        // has created a log. This environment is not notified of that sync, so create the empty log
        // here.
        for name in logs {
            let log = directory.appending(path: name)
            if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        }
    }
}
