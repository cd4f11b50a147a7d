public import Foundation
import Models

extension ChatStore {
    /// Saves the drafts that can be read of an outbox that does not open any more.
    ///
    /// For a store that nobody has open, and that fails to open with the code `corruption` because of
    /// its outbox, as the message says. All files are set aside as they are, where
    /// ``SalvageReport/outboxCopy`` says; nothing of them is changed or removed. What can be read of
    /// them makes a new outbox.
    ///
    /// Nobody can tell any more which rows of damaged files are the last: **a draft that was sent or
    /// removed may be back**, and one that was edited may be as it was before. Ask the user before
    /// they are sent, or the server whether it has their request ids. What does not have its
    /// checksum is left out, so no draft has a text that nobody wrote.
    ///
    /// What is interrupted before the new outbox is in its place is as if it had not been begun.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store. If there is no outbox, nothing is done.
    ///   - encryptionKey: The store's key, if it is encrypted.
    /// - Returns: What was saved.
    /// - Throws: ``StoreError``: `wrongKey`, `locked` if somebody has the store open, `newerSchema` if a newer
    ///   version of this package wrote it, `permission`, `noSpace`, `io`, or `corruption` if LevelDB
    ///   can make nothing of the files. The outbox is as it was then.
    /// - Complexity: O(*n*) in the bytes, twice; waits for the disk, which needs room for two copies.
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
        // So that there is a lock which keeps away who would create an outbox while there is none.
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

/// What ``ChatStore/salvageOutbox(at:encryptionKey:)`` has saved.
public struct SalvageReport: Hashable, Sendable {
    /// How many drafts are in the new outbox.
    public internal(set) var keptDrafts = 0

    /// How many rows could not be read.
    ///
    /// Of a row that lies in a block whose checksum is wrong, nothing is known, not even that it was
    /// there: it is not counted.
    public internal(set) var unreadableRows = 0

    /// What is not in the new outbox, as far as the damaged files tell.
    public internal(set) var loss = OutboxLoss()

    /// The path of the files as they were found; `nil` if there was no outbox.
    public internal(set) var outboxCopy: String?
}

extension StoreFiles {
    /// A new outbox that has all that could be saved, for the moment before it takes its place.
    var salvaged: String { outbox + "-salvaged" }
    /// What the repair works on.
    var repaired: String { outbox + "-repaired" }

    /// Makes an outbox of what can be read, and sets the damaged one aside; both have to be locked.
    fileprivate func salvageOutbox(
        sealedBy keys: DataKeys?
    ) throws(StoreError) -> SalvageReport {
        let unfinished = salvaged + OpenFile.unfinished
        // An earlier call may have been interrupted.
        for path in [salvaged, unfinished, repaired] { try OpenFile.removeAll(at: path) }
        var report: SalvageReport
        do throws(StoreError) {
            report = try LevelDB.salvageDrafts(
                of: outbox, by: repaired, into: unfinished, sealedBy: keys)
        } catch {
            // What failed is told. What cannot be tidied up now is at the next call.
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

    /// Puts a new outbox in the place of one that was set aside, where that was interrupted.
    func finishSalvage() throws(StoreError) {
        let error = rename(salvaged, outbox) == 0 ? 0 : errno
        switch error {
        case 0: try OpenFile.syncParent(of: outbox)
        // There is none; or the old outbox is still there, and counts.
        case ENOENT, ENOTDIR, ENOTEMPTY, EEXIST: return
        default: throw StoreError(errno: error, doing: "rename to \(outbox)", path: salvaged)
        }
    }
}

extension LevelDB {
    /// Copies a database, repairs the copy, and writes the drafts in it into a new one.
    ///
    /// When it returns, the new one is on the disk.
    fileprivate static func salvageDrafts(
        of outbox: String, by copy: String, into new: String, sealedBy keys: DataKeys?
    ) throws(StoreError) -> SalvageReport {
        func environment() -> Environment { .disk(keys, as: StoreFiles.outboxName) }
        try DatabaseFiles(outbox).copy(to: copy)
        // LevelDB's repair does not check the records of logs.
        try DatabaseFiles(copy).bridgeDamage(in: environment())
        try repair(at: copy, environment: environment())
        let source = try LevelDB(at: copy, environment: environment(), skippingDamage: true)
        defer { source.close() }
        // A version that cannot be read says no more than one that is not there.
        let version = (try? source.schemaVersion()) ?? StoreSchema.current.version
        try StoreSchema.current.check(version, at: outbox)
        try OpenFile.createDirectory(new)
        let target = try LevelDB(at: new, environment: environment())
        defer { target.close() }
        var report = SalvageReport()
        report.unreadableRows = try target.addReadableDrafts(of: source)
        try target.setSchemaVersion(version)
        let reindexing = try target.reindexDrafts()
        report.keptDrafts = reindexing.readable
        report.unreadableRows += reindexing.unreadable
        report.loss = try OutboxLoss(
            of: outbox, in: environment(), outbox: target, reindexing)
        return report
    }

    /// Takes over the drafts that can be decoded, and what leads to any.
    ///
    /// - Returns: How many rows cannot be decoded.
    private func addReadableDrafts(of source: LevelDB) throws(StoreError) -> Int {
        let rows = Rows(snapshot: try source.snapshot())
        var batch = Overlay()
        var unreadable = 0
        try rows.scan(.all) { (key, value) throws(StoreError) in
            switch key.first.flatMap(OutboxTable.init) {
            case .draft:
                let draft: Draft? = rows.readableRecord(value)
                guard draft != nil else {
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
