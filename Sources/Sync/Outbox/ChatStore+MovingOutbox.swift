import Foundation
import Models
package import Store

extension ChatStore {
    /// The number of outbox items to move in one write batch.
    private static let itemsOfABatch = 100

    /// Moves all outbox items, drafts and pins to another store of the same user.
    ///
    /// The moved items follow the items of the other store. A draft is moved only if the other
    /// store has no draft for the channel.
    ///
    /// This store must have no engine. An item is removed from this store after the item and its
    /// copies of files are on disk in the other store. If the process ends before that, both stores
    /// have the item, and the next call moves it again. If a copy of a file is missing or damaged,
    /// the item is moved nevertheless, and sending it reports the damage.
    ///
    /// - Parameter target: The other store, whose outbox no engine has loaded yet.
    /// - Throws: ``SyncError`` with code `store` if an item cannot be copied or written; the items
    ///   before it have been moved. Items that cannot be read stay in this store, and the error is
    ///   thrown after all others were moved.
    package func moveOutbox(to target: ChatStore) throws(SyncError) {
        while true {
            let items = try translatingStoreErrors { () throws(StoreError) -> [OutboxItem] in
                try self.outboxItems(limit: ChatStore.itemsOfABatch)
            }
            if items.isEmpty { break }
            var moved: [OutboxItem] = []
            for var item in items {
                for index in item.fileCopies.indices {
                    guard let copy = item.fileCopy(at: index), let files = outboxFiles,
                        let targetFiles = target.outboxFiles
                    else { continue }
                    do throws(StoreError) {
                        item.setFileCopy(try targetFiles.add(copy, of: files), at: index)
                    } catch {
                        guard error.code == .corruption else { throw SyncError(error) }
                    }
                }
                moved.append(item)
            }
            do {
                try target.write { batch in for item in moved { try batch.save(item) } }
                try write { batch in
                    for item in moved { try batch.removeOutboxItem(item.requestID) }
                }
            } catch let error as StoreError {
                throw SyncError(error)
            } catch {
                throw SyncError(.store, "the outbox could not be moved: \(error)", cause: error)
            }
            outboxFiles?.remove(items.flatMap(\.fileCopies))
        }
        try moveDraftsAndPins(to: target)
        let left = try translatingStoreErrors { () throws(StoreError) in try outboxItemCount() }
        guard left == 0 else {
            throw SyncError(
                StoreError(
                    .corruption, "\(left) outbox items cannot be read, so they are not moved",
                    path: directory?.path ?? "")
            )
        }
    }

    private func moveDraftsAndPins(to target: ChatStore) throws(SyncError) {
        do {
            let (drafts, pinned) = (try self.drafts(), try pinnedChannelURLs())
            if drafts.isEmpty, pinned.isEmpty { return }
            let newer = try target.drafts()
            try target.write { batch in
                for (url, text) in drafts where newer[url] == nil {
                    try batch.setDraft(text, of: url)
                }
                for url in pinned { try batch.setPinned(true, for: url) }
            }
            try write { batch in
                try batch.removeDrafts()
                try batch.removePins()
            }
        } catch let error as StoreError {
            throw SyncError(error)
        } catch {
            throw SyncError(.store, "the outbox could not be moved: \(error)", cause: error)
        }
    }
}
