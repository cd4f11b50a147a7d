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
        try withLocks { () throws(StoreError) in try rebuildLockedOutbox(sealedBy: keys) }
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

    /// Writes an encrypted outbox with the same rows except requests, in which no item is pending
    /// or has a path.
    ///
    /// No list shows requests, such as receipts, so the user could not confirm them.
    ///
    /// The files of this outbox, which is not encrypted, are never encrypted themselves: a program
    /// that cuts the logs or restores files could undo what was changed in them afterwards. The
    /// caller holds the locks of both databases.
    func writeHeldOutbox(to new: String, sealedBy keys: DataKeys) throws(StoreError) {
        do throws(StoreError) {
            try copyHeldItems(to: new, sealedBy: keys)
        } catch {
            guard error.code == .corruption else { throw error }
            try rebuildLockedOutbox(sealedBy: nil)
            try DiskFile.removeAll(at: new)
            try copyHeldItems(to: new, sealedBy: keys)
        }
        try DiskFile.removeAll(at: repaired)
    }

    private func copyHeldItems(to new: String, sealedBy keys: DataKeys) throws(StoreError) {
        try DiskFile.removeAll(at: repaired)
        try DatabaseFiles(outbox).copy(to: repaired)
        let source = try LevelDB(at: repaired)
        defer { source.close() }
        let version = try source.schemaVersion() ?? StoreSchema.current.version
        try StoreSchema.current.check(version, at: outbox)
        let environment = { LevelDB.Environment.disk(keys, as: StoreFiles.outboxName) }
        guard try Rows(snapshot: try source.snapshot()).count(.all) > 0 else {
            // It is new, or its rows were lost, which the next opening reports.
            try DiskFile.createDirectory(new)
            return try LevelDB(at: new, environment: environment()).close()
        }
        try writeOutbox(at: new, environment, from: source, version, isTrusted: false) { item in
            item.distrust()
            return item.operation != .request
        } findLoss: { reindexing throws(StoreError) in
            try OutboxLoss(of: nil, in: environment(), reindexing)
        }
    }

    private func salvageItems(
        into new: String, for copy: String, sealedBy keys: DataKeys?
    ) throws(StoreError) {
        let environment = { LevelDB.Environment.disk(keys, as: StoreFiles.outboxName) }
        try DatabaseFiles(outbox).copy(to: repaired)
        // LevelDB's repair ignores the checksums of log records.
        try DatabaseFiles(repaired).bridgeDamage(in: environment())
        try LevelDB.repair(at: repaired, environment: environment())
        let source = try LevelDB(at: repaired, environment: environment(), skippingDamage: true)
        defer { source.close() }
        let version = (try? source.schemaVersion()) ?? StoreSchema.current.version
        try StoreSchema.current.check(version, at: outbox)
        try writeOutbox(at: new, environment, from: source, version, isTrusted: true) { item in
            guard item.state == .pending else { return true }
            item.isDoubtful = true
            // An attacker may have damaged an encrypted outbox to undo a cancellation.
            return keys == nil || item.requireConfirmation()
        } findLoss: { reindexing throws(StoreError) in
            var loss = try OutboxLoss(of: outbox, in: environment(), reindexing)
            loss.copyName = URL(filePath: copy).lastPathComponent
            return loss
        }
    }

    /// Writes the rows of another outbox and the index of its items to a new one.
    ///
    /// `isTrusted` is false for an outbox that another program may have written: its items get new
    /// numbers, and unreadable rows, its index and its report of lost items are not copied.
    /// `change` changes an item, and returns whether to keep it. To the result of `findLoss`, the
    /// number of rows is added that could not be copied.
    private func writeOutbox(
        at path: String, _ environment: () -> LevelDB.Environment, from source: LevelDB,
        _ version: Int, isTrusted: Bool, changing change: (inout OutboxItem) -> Bool,
        findLoss: (OutboxReindexing) throws(StoreError) -> OutboxLoss
    ) throws(StoreError) {
        try DiskFile.createDirectory(path)
        let target = try LevelDB(at: path, environment: environment())
        defer { target.close() }
        let lostRows = try target.addOutboxRows(
            of: source, isTrusted: isTrusted, changing: change)
        try target.setSchemaVersion(version)
        try target.reindexOutboxItems { (reindexing, _) throws(StoreError) in
            var loss = try findLoss(reindexing)
            loss.unreadableCount += lostRows
            return loss
        }
    }
}

extension LevelDB {
    /// Copies the rows, with changed items, and returns the number of those that could not be
    /// copied: rows of unknown tables and, unless `isTrusted`, unreadable items.
    fileprivate func addOutboxRows(
        of source: LevelDB, isTrusted: Bool, changing change: (inout OutboxItem) -> Bool
    ) throws(StoreError) -> Int {
        let rows = Rows(snapshot: try source.snapshot())
        var batch = Overlay()
        if isTrusted, let loss = (try? source.outboxLoss()) ?? nil { batch.put(loss) }
        var (lost, count) = (0, UInt64(0))
        try rows.scan(.all) { (key, value) throws(StoreError) in
            switch key.first.flatMap(OutboxTable.init) {
            case .outboxItem:
                if var item: OutboxItem = rows.readableRecord(value) {
                    guard change(&item) else { return true }
                    count += 1
                    batch.put(
                        { writer in
                            if isTrusted { return writer.raw(key) }
                            writer.outboxItemKey(item.channelURL, count)
                        }, { $0.raw(item.serializedBytes) })
                } else if isTrusted {
                    batch.put({ $0.raw(key) }, { $0.raw(value) })
                } else {
                    lost += 1
                }
            case .request where !isTrusted: return true
            case .request, .draft, .pin, .appTable: batch.put({ $0.raw(key) }, { $0.raw(value) })
            case .schema
            where isTrusted && key.count == 2
                && [SchemaRow.nextNumber, .generation].map(\.rawValue).contains(key[1]):
                batch.put({ $0.raw(key) }, { $0.raw(value) })
            case .schema: return true
            case nil: lost += 1
            }
            guard batch.isLarge else { return true }
            try write(batch, isDurable: false)
            batch = Overlay()
            return true
        }
        try write(batch, isDurable: false)
        return lost
    }
}
