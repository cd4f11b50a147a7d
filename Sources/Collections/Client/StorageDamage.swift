import Models
public import Store
public import Sync

/// The damage that a client found in its user's files.
public struct StorageDamage: Sendable {
    /// The error of the first read that found the cache damaged; `nil` if no read has found damage
    /// since the store was opened.
    ///
    /// Lists may then be incomplete, and received messages may not be stored. Outbox items are sent
    /// nevertheless. ``ChatClient/clearCachedData()`` starts with an empty cache.
    public internal(set) var cache: StoreError?

    /// The error of opening the cache, if the client has replaced it by an empty one; otherwise
    /// `nil`.
    ///
    /// The server's data is fetched again, and outbox items stay. The app need not react.
    public internal(set) var replacedCache: StoreError?

    /// The report of the opening, if it has repaired the cache; otherwise `nil`.
    ///
    /// A log of the cache was damaged. The opening has rebuilt the indexes and counts from the
    /// messages and channels that can be read, and made each channel's history one gap: the missing
    /// messages are fetched again as they become visible. The app need not react.
    public internal(set) var repairedCache: OpeningReport?

    /// The report of the opening, if outbox items may have been lost; otherwise `nil`.
    ///
    /// ``/Store/OpeningReport/outboxLoss`` describes the lost items. A loss is reported each time
    /// the client opens the user's files, until ``ChatClient/acknowledgeOutboxLoss()`` is called.
    /// If a log in ``/Store/OpeningReport/outboxLogs`` has a torn tail, the process ended while it
    /// was writing its last change.
    public internal(set) var outbox: OpeningReport?

    /// The reason why outbox items that the user wrote without a key could not be moved to the
    /// encrypted store; `nil` if there are none.
    ///
    /// The items stay, encrypted, in a separate directory. The client tries to move them again when
    /// the store is next opened. ``ChatClient/logOut(wiping:)`` with `everything` removes them.
    public internal(set) var unmovedOutbox: SyncError?

    /// A Boolean value that indicates whether no damage was found.
    public var isEmpty: Bool {
        cache == nil && replacedCache == nil && repairedCache == nil && outbox == nil
            && unmovedOutbox == nil
    }

    init() {}

    /// Creates the damage that opening a store has found.
    init(_ report: OpeningReport) {
        if report.outboxDamage != nil || report.outboxLoss != nil || report.outboxCopy != nil
            || report.outboxLogs.hasTornTail
        {
            outbox = report
        }
        if report.cacheDamage != nil || report.isCoverageDropped { repairedCache = report }
    }
}

extension StorageDamage {
    /// A sentence for each kind of damage; empty if there is none.
    public var sentences: [String] {
        var sentences: [String] = []
        if let cache {
            sentences.append(
                "the cache is damaged: \(cache.message); clearCachedData() replaces it by an empty "
                    + "one, and the server's data is fetched again")
        }
        if let replacedCache {
            sentences.append(
                "the cache was damaged and is replaced by an empty one: \(replacedCache.message); "
                    + "the server's data is fetched again")
        }
        if repairedCache != nil {
            sentences.append(
                "the cache was damaged and is repaired; missing messages are fetched again")
        }
        if let outbox {
            if outbox.isOutboxLost {
                sentences.append("the outbox was missing, with all items that were not sent")
            }
            if let copy = outbox.outboxCopy {
                sentences.append(
                    "the outbox was damaged, and items may be lost; the damaged files are in "
                        + "\(copy) until acknowledgeOutboxLoss()")
            }
            if let loss = outbox.outboxLoss, loss.count > 0 {
                sentences.append(
                    "at most \(loss.count) outbox item\(loss.count == 1 ? "" : "s") lost")
                sentences += loss.items.map { item in
                    let text = item.message.map { ": \($0.text)" } ?? ""
                    return "lost in \(item.channelURL), request \(item.requestID)\(text)"
                }
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
