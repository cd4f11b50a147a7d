import CScrollbackFaultEnvironment
package import Foundation
package import Store

/// A disk for one database that fails on purpose.
package final class FailingDisk: @unchecked Sendable {
    // @unchecked: the pointer never changes, and every call through it is thread-safe.
    package let pointer: OpaquePointer = fault_env_create()

    package init() {}

    deinit { fault_env_destroy(pointer) }

    package var environment: LevelDB.Environment {
        .around(fault_env_leveldb(pointer), owner: self)
    }

    /// Fails the nth change from now, alone or with all later ones.
    package func fail(at change: Int, with error: Int32, once: Bool, tearing: Bool = false) {
        fault_env_tear_appends(pointer, tearing)
        if once {
            fault_env_fail_once(pointer, UInt64(change), error)
        } else {
            fault_env_fail_after(pointer, UInt64(change), error)
        }
    }

    /// Ends the process, as `kill -9` does, at the nth change from now.
    package func kill(at change: Int) { fault_env_kill_at(pointer, UInt64(change)) }

    /// Fails to open the manifest pointer for reading, so the database cannot be opened.
    package func failOpening(with error: Int32) {
        fault_env_fail_opens(pointer, "CURRENT", error)
    }

    /// Fails to read files whose paths end with a suffix, until ``heal()``.
    package func failReading(_ suffix: String, with error: Int32) {
        fault_env_fail_reads(pointer, suffix, error)
    }

    /// Fails to create tables.
    package func failTables(with error: Int32) { fault_env_fail_creates(pointer, ".ldb", error) }

    package func heal() { fault_env_heal(pointer) }

    /// The number of changes to the disk so far.
    package var changes: Int { Int(fault_env_counted(pointer).changes) }

    /// Stops all changes from reaching the disk.
    package func cutPower() { fault_env_freeze(pointer) }

    /// Stops the nth change from now, and all later ones, from reaching the disk.
    package func cutPower(at change: Int) { fault_env_freeze_after(pointer, UInt64(change)) }

    /// Removes unsynced data from the files in a directory.
    ///
    /// The databases have to be closed.
    package func loseUnsynced(in directory: URL) throws {
        let logs = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".log") }
        _ = fault_env_lose_unsynced(pointer, fault_env_all_files)
        // A log that was never synced is removed here. On a real disk it would exist and be empty,
        // because our environment syncs the directory after creating a log; this layer does not see
        // that.
        for name in logs {
            let log = directory.appending(path: name)
            if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        }
    }
}
