public import Foundation
import Models
public import Store

/// The damage that a client has found in its user's files.
public struct StorageDamage: Sendable {
    /// The first error of a read that found the cache damaged since the files were opened, or since
    /// the cache was replaced.
    ///
    /// Only reads of damaged rows fail, and outbox items are written and sent. The client replaces
    /// the cache once it is connected, and sets ``replacedCache``, but not twice within an hour for
    /// a reason of the same kind; then ``ChatClient/clearCachedData()`` replaces it.
    public internal(set) var cache: StoreError?

    /// The damage because of which the client has replaced the cache by an empty one, when it
    /// opened the files or since.
    ///
    /// The client fetches the data again, and collections keep their rows until it arrives, so the
    /// app need not react. Outbox items are kept.
    public internal(set) var replacedCache: StoreError?

    /// The report of opening the files, if outbox items may have been lost; otherwise `nil`.
    ///
    /// ``/Store/OpeningReport/outboxLoss`` describes the lost items. Each opening of the files
    /// reports them, until the app calls ``ChatClient/acknowledgeOutboxLoss()``. A torn tail of a
    /// log in ``/Store/OpeningReport/outboxLogs`` means that the process ended while it was writing
    /// the last change.
    public internal(set) var outbox: OpeningReport?

    /// The directory of an unencrypted store of the user next to the encrypted one, if any.
    ///
    /// The client does not read it, because any program that can write there could have made it. To
    /// examine it, open it with
    /// ``/Store/ChatStore/init(at:options:encryptionKey:migrationHandler:)``; to stop this report,
    /// remove it. ``ChatClient/logOut(wiping:)`` with `everything` removes it, too.
    public internal(set) var plainStore: URL?

    /// A Boolean value that indicates whether no damage was found.
    public var isEmpty: Bool {
        cache == nil && replacedCache == nil && outbox == nil && plainStore == nil
    }

    init() {}

    init(_ report: OpeningReport) {
        if report.outboxDamage != nil || report.outboxLoss != nil || report.outboxCopy != nil
            || report.outboxLogs.hasTornTail
        {
            outbox = report
        }
        replacedCache = report.replacedCache
    }
}

extension StorageDamage {
    /// Sentences about each kind of damage; empty without damage.
    public var sentences: [String] {
        var sentences: [String] = []
        if let cache {
            sentences.append(
                "the cache is damaged: \(cache.message); with a connection, it is replaced by an "
                    + "empty one, and the server's data is fetched again")
        }
        if let replacedCache {
            sentences.append(
                "the cache was damaged and is replaced by an empty one: \(replacedCache.message); "
                    + "the server's data is fetched again")
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
            if outbox.outboxLoss?.isRolledBack == true {
                sentences.append(
                    "the outbox was replaced by an earlier copy, so its items are not sent: resend "
                        + "those that are not sent yet")
            }
            if outbox.outboxLogs.hasTornTail {
                sentences.append("the last change of the outbox was incomplete and is lost")
            }
        }
        if let plainStore {
            sentences.append(
                "an unencrypted store is next to the encrypted one, and is not used: "
                    + plainStore.path)
        }
        return sentences
    }
}
