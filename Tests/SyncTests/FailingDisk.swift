import CFaultEnvironment
import Foundation
import Store

/// The disk of a store, which fails on purpose, and whose power can be cut.
final class FailingDisk: @unchecked Sendable {
    // @unchecked: the pointers never change, and every call through them is thread-safe.
    private let cache: OpaquePointer = fault_env_create()
    private let outbox: OpaquePointer = fault_env_create()

    deinit {
        fault_env_destroy(cache)
        fault_env_destroy(outbox)
    }

    private var both: [OpaquePointer] { [cache, outbox] }

    /// Opens a store that lies on it.
    func open(_ directory: URL, _ options: StoreOptions = StoreOptions()) throws -> ChatStore {
        try ChatStore(
            at: directory, options: options,
            environments: (
                .around(fault_env_leveldb(cache), owner: self),
                .around(fault_env_leveldb(outbox), owner: self)
            ))
    }

    /// Fails whatever is written from now on, or after some more changes of each database.
    func fill(after count: Int = 0) {
        for disk in both { fault_env_fail_after(disk, UInt64(count + 1), ENOSPC) }
    }

    func empty() { for disk in both { fault_env_heal(disk) } }

    /// Cuts the power under a store, and takes from its files what was not synced.
    ///
    /// The store is closed then, and the disk of no use any more.
    func cutPower(of store: ChatStore, at directory: URL) throws {
        for disk in both { fault_env_freeze(disk) }
        store.close()
        for (disk, name) in [(cache, "cache"), (outbox, "outbox")] {
            let files = directory.appending(path: name)
            let logs = try FileManager.default.contentsOfDirectory(atPath: files.path)
                .filter { $0.hasSuffix(".log") }
            _ = fault_env_lose_unsynced(disk, fault_env_all_files)
            // A log that was never synced goes altogether here. On a disk it is there, and empty: our
            // environment syncs the directory when a log is new, which this one below it does not see.
            for name in logs {
                let log = files.appending(path: name)
                if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
            }
        }
    }
}

/// A directory that goes when nobody has it any more.
final class ScratchDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(
        path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)

    deinit { try? FileManager.default.removeItem(at: url) }
}
