package import Foundation
package import Store

/// Two disks that can be made to fail, one for each database of a store.
package final class FailingDisks: Sendable {
    package let cache = FailingDisk()
    package let outbox = FailingDisk()

    package init() {}

    package var both: [FailingDisk] { [cache, outbox] }

    /// Opens a store on these disks.
    package func open(
        _ directory: URL, _ options: StoreOptions = StoreOptions(), key: EncryptionKey? = nil
    ) throws(StoreError) -> ChatStore {
        try ChatStore(
            at: directory, options: options,
            environments: (cache.environment, outbox.environment), encryptionKey: key)
    }

    /// Makes all writes fail, from now on or after `count` more changes of each database.
    package func fill(after count: Int = 0) {
        for disk in both { disk.fail(at: count + 1, with: ENOSPC, once: false) }
    }

    package func heal() { for disk in both { disk.heal() } }

    /// Removes the unsynced data of a closed store.
    package func loseUnsynced(in directory: URL) throws {
        try cache.loseUnsynced(in: directory.appending(path: "cache"))
        // The copies of outgoing files are on the disk of the outbox.
        try outbox.loseUnsynced(in: directory.appending(path: "outbox"))
    }

    /// Cuts the power of a store, closes the store, and removes the unsynced data from its files.
    ///
    /// The disks cannot be used again.
    package func cutPower(of store: ChatStore, at directory: URL) throws {
        for disk in both { disk.cutPower() }
        store.close()
        try loseUnsynced(in: directory)
    }
}
