package import Foundation
package import Store

/// Two disks, one for each database of a store, that fail on purpose.
package final class FailingDisks: Sendable {
    package let cache = FailingDisk()
    package let outbox = FailingDisk()

    package init() {}

    package var both: [FailingDisk] { [cache, outbox] }

    /// Opens a store that lies on them.
    package func open(
        _ directory: URL, _ options: StoreOptions = StoreOptions(), key: EncryptionKey? = nil
    ) throws(StoreError) -> ChatStore {
        try ChatStore(
            at: directory, options: options,
            environments: (cache.environment, outbox.environment), encryptionKey: key)
    }

    /// Fails whatever is written from now on, or after some more changes of each database.
    package func fill(after count: Int = 0) {
        for disk in both { disk.fail(at: count + 1, with: ENOSPC, once: false) }
    }

    package func heal() { for disk in both { disk.heal() } }

    /// Takes what was not synced of a store that is closed.
    package func loseUnsynced(in directory: URL) throws {
        try cache.loseUnsynced(in: directory.appending(path: "cache"))
        try outbox.loseUnsynced(in: directory.appending(path: "outbox"))
    }

    /// Cuts the power under a store, and takes from its files what was not synced.
    ///
    /// The store is closed then, and the disks of no use any more.
    package func cutPower(of store: ChatStore, at directory: URL) throws {
        for disk in both { disk.cutPower() }
        store.close()
        try loseUnsynced(in: directory)
    }
}
