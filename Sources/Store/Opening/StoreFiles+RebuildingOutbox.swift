import Foundation
import Models

extension StoreFiles {
    /// The complete new outbox before it is moved.
    var salvaged: String { outbox + "-salvaged" }
    var repaired: String { outbox + "-repaired" }

    func isOutboxDamage(_ error: StoreError) -> Bool {
        error.code == .corruption && (error.path + "/").hasPrefix(outbox + "/")
    }

    /// Creates a new outbox from the readable items of a damaged one, whose files are kept as a
    /// copy.
    ///
    /// LevelDB repairs another copy, from which the items are read. The repair may restore removed
    /// or earlier rows. Therefore, pending items are marked as doubtful, so that the engine does
    /// not send them again to a server that does not deduplicate. Data with a wrong checksum is
    /// omitted.
    ///
    /// After a crash, the next opening rebuilds the damaged outbox, or moves a complete new one to
    /// its path. The call throws `corruption` if LevelDB cannot repair the files.
    func rebuildOutbox(_ key: EncryptionKey?) throws(StoreError) {
        let keys = try unlock(key, isCreating: false)
        // The lock prevents another process from creating an outbox while there is none.
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
        for path in [salvaged, unfinished, repaired] { try DiskFile.removeAll(at: path) }
        let copy = try nextOutboxCopy()
        do throws(StoreError) {
            try salvageItems(into: unfinished, for: copy, sealedBy: keys)
        } catch {
            // The next opening removes leftover files.
            for path in [unfinished, repaired] { try? DiskFile.removeAll(at: path) }
            throw error
        }
        try DiskFile.removeAll(at: repaired)
        // After a crash here, the next opening rebuilds the outbox again.
        try outboxDistrust.remove()
        try DiskFile.move(unfinished, to: salvaged)
        try DiskFile.move(outbox, to: copy)
        try finishSalvage()
    }

    /// Moves the new outbox to its path, also after a crash.
    func finishSalvage() throws(StoreError) {
        let error = rename(salvaged, outbox) == 0 ? 0 : errno
        switch error {
        case 0: try DiskFile.syncParent(of: outbox)
        case ENOENT, ENOTDIR, ENOTEMPTY, EEXIST: return
        default: throw StoreError(errno: error, doing: "rename to \(outbox)", path: salvaged)
        }
    }

    private func salvageItems(
        into new: String, for copy: String, sealedBy keys: DataKeys?
    ) throws(StoreError) {
        func environment() -> LevelDB.Environment { .disk(keys, as: StoreFiles.outboxName) }
        try DatabaseFiles(outbox).copy(to: repaired)
        // LevelDB's repair ignores the checksums of log records.
        try DatabaseFiles(repaired).bridgeDamage(in: environment())
        try LevelDB.repair(at: repaired, environment: environment())
        let source = try LevelDB(at: repaired, environment: environment(), skippingDamage: true)
        defer { source.close() }
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
    /// Copies the rows, with pending items marked as doubtful, and returns the number of rows of
    /// unknown tables, which are not copied.
    ///
    /// With `needsConfirmation`, pending items fail until the user resends them: an attacker may
    /// have damaged an encrypted outbox to undo a cancellation.
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
