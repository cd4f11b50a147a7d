public import Foundation
import Models

extension ChatStore {
    /// Saves the readable items of an outbox that cannot be opened anymore.
    ///
    /// The store must be closed. Use this if opening fails with the code `corruption` because of
    /// the outbox, as the message states. All files are moved aside unchanged, to
    /// ``SalvageReport/outboxCopy``. Their readable items become a new outbox.
    ///
    /// It is unknown which rows of damaged files are the latest: **an item that was sent or removed
    /// may reappear**, and an edited one may have its earlier content. Before sending them, ask the
    /// user, or ask the server whether it has their request IDs. Data with a wrong checksum is
    /// omitted, so that no item has a text that the user did not write.
    ///
    /// If the call is interrupted before the new outbox is in place, it has no effect.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store. If it has no outbox, the call has no effect.
    ///   - encryptionKey: The key of the store, if it is encrypted.
    /// - Returns: A report of the saved items.
    /// - Throws: ``StoreError``: `wrongKey`, `locked` if the store is open, `newerSchema` if a
    ///   newer version of this package wrote it, `permission`, `noSpace`, `io`, or `corruption` if
    ///   LevelDB cannot repair the files. The outbox is unchanged then.
    /// - Complexity: O(*n*) in the number of bytes, twice; waits for the disk, which needs space
    ///   for two copies.
    @discardableResult
    public static func salvageOutbox(
        at directory: URL, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) -> SalvageReport {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        let keys = try files.unlock(encryptionKey, isCreating: false)
        try files.finishSalvage()
        guard access(files.outbox, F_OK) == 0 else {
            if errno == ENOENT { return SalvageReport() }
            throw StoreError(errno: errno, doing: "find", path: files.outbox)
        }
        // Its lock excludes processes that would create an outbox while there is none.
        try OpenFile.createDirectory(files.cache)
        let environment = LevelDB.Environment.disk()
        var report = SalvageReport()
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            try environment.withLock(of: files.cache) { () throws(StoreError) in
                report = try files.salvageOutbox(sealedBy: keys)
            }
        }
        return report
    }
}

/// The result of ``ChatStore/salvageOutbox(at:encryptionKey:)``.
public struct SalvageReport: Hashable, Sendable {
    /// The number of items in the new outbox.
    public internal(set) var keptOutboxItems = 0

    /// The number of unreadable rows.
    ///
    /// Rows in a block with a wrong checksum are unknown and not counted.
    public internal(set) var unreadableRows = 0

    /// The items missing from the new outbox, as far as the damaged files show.
    public internal(set) var loss = OutboxLoss()

    /// The path of the unchanged files; `nil` if there was no outbox.
    public internal(set) var outboxCopy: String?
}

extension StoreFiles {
    /// The path of the complete new outbox, before it is moved into place.
    var salvaged: String { outbox + "-salvaged" }
    /// The path of the copy that is repaired.
    var repaired: String { outbox + "-repaired" }

    /// Creates an outbox from the readable data, and moves the damaged one aside.
    ///
    /// Both databases must be locked.
    fileprivate func salvageOutbox(
        sealedBy keys: DataKeys?
    ) throws(StoreError) -> SalvageReport {
        let unfinished = salvaged + OpenFile.unfinished
        // An earlier call may have been interrupted.
        for path in [salvaged, unfinished, repaired] { try OpenFile.removeAll(at: path) }
        var report: SalvageReport
        do throws(StoreError) {
            report = try LevelDB.salvageOutboxItems(
                of: outbox, by: repaired, into: unfinished, sealedBy: keys)
        } catch {
            // Report the original error. Leftover files are removed by the next call.
            for path in [unfinished, repaired] { try? OpenFile.removeAll(at: path) }
            throw error
        }
        try OpenFile.removeAll(at: repaired)
        let copy = try nextOutboxCopy()
        try OpenFile.move(unfinished, to: salvaged)
        try OpenFile.move(outbox, to: copy)
        try finishSalvage()
        try outboxDistrust.remove()
        report.outboxCopy = copy
        return report
    }

    /// Moves a new outbox into place, if an earlier call was interrupted before that.
    func finishSalvage() throws(StoreError) {
        let error = rename(salvaged, outbox) == 0 ? 0 : errno
        switch error {
        case 0: try OpenFile.syncParent(of: outbox)
        // There is no new outbox; or the old outbox still exists and is valid.
        case ENOENT, ENOTDIR, ENOTEMPTY, EEXIST: return
        default: throw StoreError(errno: error, doing: "rename to \(outbox)", path: salvaged)
        }
    }
}

extension LevelDB {
    /// Copies a database, repairs the copy, and writes its outbox items into a new database,
    /// durably.
    fileprivate static func salvageOutboxItems(
        of outbox: String, by copy: String, into new: String, sealedBy keys: DataKeys?
    ) throws(StoreError) -> SalvageReport {
        func environment() -> Environment { .disk(keys, as: StoreFiles.outboxName) }
        try DatabaseFiles(outbox).copy(to: copy)
        // LevelDB's repair does not check the records of logs.
        try DatabaseFiles(copy).bridgeDamage(in: environment())
        try repair(at: copy, environment: environment())
        let source = try LevelDB(at: copy, environment: environment(), skippingDamage: true)
        defer { source.close() }
        // An unreadable version is treated as a missing one.
        let version = (try? source.schemaVersion()) ?? StoreSchema.current.version
        try StoreSchema.current.check(version, at: outbox)
        try OpenFile.createDirectory(new)
        let target = try LevelDB(at: new, environment: environment())
        defer { target.close() }
        var report = SalvageReport()
        report.unreadableRows = try target.addReadableOutboxItems(of: source)
        try target.setSchemaVersion(version)
        let reindexing = try target.reindexOutboxItems()
        report.keptOutboxItems = reindexing.readable
        report.unreadableRows += reindexing.unreadable
        report.loss = try OutboxLoss(
            of: outbox, in: environment(), outbox: target, reindexing)
        return report
    }

    /// Copies the readable outbox items and all index rows.
    ///
    /// - Returns: The number of unreadable rows.
    private func addReadableOutboxItems(of source: LevelDB) throws(StoreError) -> Int {
        let rows = Rows(snapshot: try source.snapshot())
        var batch = Overlay()
        var unreadable = 0
        try rows.scan(.all) { (key, value) throws(StoreError) in
            switch key.first.flatMap(OutboxTable.init) {
            case .outboxItem:
                let item: OutboxItem? = rows.readableRecord(value)
                guard item != nil else {
                    unreadable += 1
                    return true
                }
            case .request: break
            case .schema where key.dropFirst().elementsEqual([SchemaRow.nextNumber.rawValue]): break
            case .schema: return true
            case nil:
                unreadable += 1
                return true
            }
            batch.put({ $0.raw(key) }, { $0.raw(value) })
            guard batch.isLarge else { return true }
            try write(batch, isDurable: false)
            batch = Overlay()
            return true
        }
        try write(batch, isDurable: false)
        return unreadable
    }
}
