import Foundation
import Models

// Recovery of an outbox that LevelDB cannot open or read.

extension StoreFiles {
    /// The path of the complete new outbox before it is moved to the outbox's path.
    var salvaged: String { outbox + "-salvaged" }
    /// The path of the copy that LevelDB repairs.
    var repaired: String { outbox + "-repaired" }

    /// Returns a Boolean value that indicates whether an error of opening reports a damaged outbox.
    func isOutboxDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && (error.path + "/").hasPrefix(outbox + "/")
    }

    /// Creates a new outbox from the readable items of a damaged one, and keeps the damaged files
    /// as a copy.
    ///
    /// LevelDB repairs another copy, from which the items are then read. The repair cannot
    /// determine the latest version of a row, so an item that was sent or removed may reappear, and
    /// an edited item may have its earlier content. Therefore, pending items are marked as
    /// doubtful, so that the engine does not send them again to a server that does not deduplicate.
    /// Data with a wrong checksum is omitted, so that no item contains text that the user did not
    /// write.
    ///
    /// After a crash, the directory contains either the damaged outbox, which the next opening
    /// rebuilds, or a complete new outbox, which the next opening moves to the outbox's path.
    ///
    /// - Throws: `locked` if another process has the store open, `newerSchema`, `permission`,
    ///   `noSpace`, `io`, or `corruption` if LevelDB cannot repair the files.
    /// - Complexity: O(*n*) in the bytes of the outbox, which are read twice. Needs disk space for
    ///   two copies.
    func rebuildOutbox(_ key: EncryptionKey?) throws(StoreError) {
        let keys = try unlock(key, isCreating: false)
        // Hold the cache's lock, so that no other process creates an outbox while the directory
        // has none.
        try DiskFile.createDirectory(cache)
        let environment = LevelDB.Environment.disk()
        try environment.withLock(of: outbox) { () throws(StoreError) in
            try environment.withLock(of: cache) { () throws(StoreError) in
                try rebuildLockedOutbox(sealedBy: keys)
            }
        }
    }

    private func rebuildLockedOutbox(sealedBy keys: DataKeys?) throws(StoreError) {
        let unfinished = salvaged + DiskFile.unfinished
        // Remove leftover files of an interrupted opening.
        for path in [salvaged, unfinished, repaired] { try DiskFile.removeAll(at: path) }
        let copy = try nextOutboxCopy()
        do throws(StoreError) {
            try salvageItems(into: unfinished, for: copy, sealedBy: keys)
        } catch {
            // Report the original error, and ignore one of the removal: the next opening removes
            // leftover files.
            for path in [unfinished, repaired] { try? DiskFile.removeAll(at: path) }
            throw error
        }
        try DiskFile.removeAll(at: repaired)
        // Remove the mark: the new outbox has a complete index. If the process ends here, the next
        // opening rebuilds the damaged outbox again.
        try outboxDistrust.remove()
        try DiskFile.move(unfinished, to: salvaged)
        try DiskFile.move(outbox, to: copy)
        try finishSalvage()
    }

    /// Moves a complete new outbox to the outbox's path, if a crash prevented this step.
    func finishSalvage() throws(StoreError) {
        let error = rename(salvaged, outbox) == 0 ? 0 : errno
        switch error {
        case 0: try DiskFile.syncParent(of: outbox)
        // There is no new outbox, or the old outbox still exists and can be used.
        case ENOENT, ENOTDIR, ENOTEMPTY, EEXIST: return
        default: throw StoreError(errno: error, doing: "rename to \(outbox)", path: salvaged)
        }
    }

    /// Copies the outbox, repairs the copy, and writes its items durably into a new database.
    private func salvageItems(
        into new: String, for copy: String, sealedBy keys: DataKeys?
    ) throws(StoreError) {
        func environment() -> LevelDB.Environment { .disk(keys, as: StoreFiles.outboxName) }
        try DatabaseFiles(outbox).copy(to: repaired)
        // LevelDB's repair ignores the checksums of log records, so remove damaged records first.
        try DatabaseFiles(repaired).bridgeDamage(in: environment())
        try LevelDB.repair(at: repaired, environment: environment())
        let source = try LevelDB(at: repaired, environment: environment(), skippingDamage: true)
        defer { source.close() }
        // If the version cannot be read, assume the current version.
        let version = (try? source.schemaVersion()) ?? StoreSchema.current.version
        try StoreSchema.current.check(version, at: outbox)
        try DiskFile.createDirectory(new)
        let target = try LevelDB(at: new, environment: environment())
        defer { target.close() }
        let unknownRows = try target.addOutboxRows(of: source, needsConfirmation: keys != nil)
        try target.setSchemaVersion(version)
        try target.reindexOutboxItems { (reindexing, _) throws(StoreError) in
            var loss = try OutboxLoss(of: outbox, in: environment(), reindexing)
            loss.unreadableCount += unknownRows
            loss.copyName = URL(filePath: copy).lastPathComponent
            return loss
        }
    }
}

extension LevelDB {
    /// Copies the outbox items, their index, the drafts, the pins, the kept tables of the app, the
    /// generation, and the unacknowledged loss.
    ///
    /// - Parameters:
    ///   - source: The outbox of which parts may be lost.
    ///   - needsConfirmation: A Boolean value that indicates whether pending items fail until the
    ///     user resends them, as in an encrypted store: an attacker may have damaged the outbox, to
    ///     undo a cancellation or an edit.
    /// - Returns: The number of rows that are not copied because their table is unknown.
    /// - Throws: Errors of the disk.
    fileprivate func addOutboxRows(
        of source: LevelDB, needsConfirmation: Bool
    ) throws(StoreError) -> Int {
        let rows = Rows(snapshot: try source.snapshot())
        var batch = Overlay()
        if let loss = (try? source.outboxLoss()) ?? nil { batch.put(loss) }
        var unknown = 0
        try rows.scan(.all) { (key, value) throws(StoreError) in
            switch key.first.flatMap(OutboxTable.init) {
            case .outboxItem:
                if var item: OutboxItem = rows.readableRecord(value), item.state == .pending {
                    item.isDoubtful = true
                    if needsConfirmation { item.requireConfirmation() }
                    batch.put({ $0.raw(key) }, { $0.raw(item.serializedBytes) })
                } else {
                    batch.put({ $0.raw(key) }, { $0.raw(value) })
                }
            case .request, .draft, .pin, .appTable: batch.put({ $0.raw(key) }, { $0.raw(value) })
            case .schema
            where key.count == 2
                && [SchemaRow.nextNumber, .generation].map(\.rawValue).contains(key[1]):
                batch.put({ $0.raw(key) }, { $0.raw(value) })
            case .schema: return true
            case nil: unknown += 1
            }
            guard batch.isLarge else { return true }
            try write(batch, isDurable: false)
            batch = Overlay()
            return true
        }
        try write(batch, isDurable: false)
        return unknown
    }
}
