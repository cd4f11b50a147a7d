import Foundation
import Models
package import Store

extension ChatStore {
    /// How many outbox items are moved at once.
    private static let itemsOfABatch = 100

    /// Moves all outbox items to another store of the same user, behind those that it has.
    ///
    /// For a store without an engine. An item leaves this store once it is on the disk in the other one with its
    /// copies of files. A crash in between leaves it in both, and the next call moves it again.
    ///
    /// - Parameter target: The other store; no engine has loaded its outbox yet.
    /// - Throws: ``SyncError`` with code `store` if an item cannot be read, copied or written. Those before it are
    ///   moved; an unreadable one stays, and all others are moved nevertheless.
    package func moveOutbox(to target: ChatStore) throws(SyncError) {
        let (files, targetFiles) = (
            OutboxFiles(besides: directory), OutboxFiles(besides: target.directory)
        )
        while true {
            let drafts = try stored { () throws(StoreError) -> [Draft] in
                try self.drafts(limit: ChatStore.itemsOfABatch)
            }
            if drafts.isEmpty { break }
            var moved: [Draft] = []
            for var draft in drafts {
                for (index, name) in draft.keptFiles.enumerated() {
                    // Sending an item whose copy is missing reports that.
                    guard let copy = files.path(of: name), access(copy, F_OK) == 0 else { continue }
                    draft.setKeptFile(
                        try targetFiles.copy(copy, for: draft.requestID, at: index), at: index)
                }
                moved.append(draft)
            }
            do {
                try target.write { batch in for draft in moved { try batch.save(draft) } }
                try write { batch in
                    for draft in moved { try batch.removeDraft(draft.requestID) }
                }
            } catch let error as StoreError {
                throw SyncError(error)
            } catch {
                throw SyncError(.store, "\(error)", cause: error)
            }
            files.remove(drafts.flatMap(\.keptFiles))
        }
        let left = try stored { () throws(StoreError) in try draftCount() }
        guard left == 0 else {
            throw SyncError(
                StoreError(
                    .corruption, "\(left) outbox items cannot be read", path: directory?.path ?? "")
            )
        }
    }

    private func stored<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw SyncError(error)
        }
    }
}
