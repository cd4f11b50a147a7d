public import Store
public import Sync

/// What a client found damaged or lost of the files that it keeps of its user.
public struct StorageDamage: Sendable {
    /// Why the cache cannot be read or written; `nil` if no damage was found since the store was opened.
    ///
    /// Lists may be incomplete then, and what comes may not be kept. What the user writes is sent nevertheless.
    /// ``ChatClient/clearCachedData()`` begins an empty cache.
    public internal(set) var cache: StoreError?

    /// What was found when the store was opened, if outbox items may have been lost; `nil` if not.
    ///
    /// Items are lost where ``/Store/OpeningReport/outboxDamage`` or ``/Store/OpeningReport/isOutboxLost`` says so. A
    /// torn tail of ``/Store/OpeningReport/outboxLogs`` is what the end of the process left of a last change.
    public internal(set) var outbox: OpeningReport?

    /// Why outbox items that the user wrote while the client had no key are not among those that wait; `nil` if
    /// there are none.
    ///
    /// They are encrypted, in a directory of their own, and are taken over when the store is next opened.
    /// ``ChatClient/logOut(wiping:)`` with `everything` removes them.
    public internal(set) var unmovedOutbox: SyncError?

    /// Whether nothing was found.
    public var isEmpty: Bool { cache == nil && outbox == nil && unmovedOutbox == nil }

    init() {}

    /// What opening a store has found.
    init(_ report: OpeningReport, unmoved: SyncError?) {
        if report.outboxDamage != nil || report.isOutboxLost || report.outboxLogs.hasTornTail {
            outbox = report
        }
        unmovedOutbox = unmoved
    }
}

extension StorageDamage {
    /// One sentence for each thing that was found, for people to read; none if nothing was.
    public var sentences: [String] {
        var sentences: [String] = []
        if let cache { sentences.append("the cache is damaged: \(cache.message)") }
        if let outbox {
            if outbox.isOutboxLost {
                sentences.append("the outbox was missing, with all items that were not sent")
            }
            if outbox.outboxDamage != nil {
                let copy = outbox.outboxCopy.map { "; the damaged files are in \($0)" } ?? ""
                sentences.append("the outbox was damaged, and items may be lost\(copy)")
            }
            if outbox.outboxLogs.hasTornTail {
                sentences.append("the last change of the outbox was not finished, and is lost")
            }
        }
        if let error = unmovedOutbox {
            let reason = (error.cause as? StoreError)?.message ?? error.message
            sentences.append("items that were written without a key cannot be sent: \(reason)")
        }
        return sentences
    }
}
