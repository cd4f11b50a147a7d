/// The findings of opening a store, all of which the store has already handled.
public struct OpeningReport: Hashable, Sendable {
    /// Whether the store did not exist and was created.
    public internal(set) var isNew = false

    /// Whether an empty cache was created, because none existed.
    ///
    /// The cache is new in a new store, after ``ChatStore/removeCache(at:)`` or a migration, and
    /// after its files were lost or replaced.
    public internal(set) var isCacheNew = false

    /// The version of the schema before the migration; `nil` if no migration was necessary.
    public internal(set) var migratedFrom: Int?

    /// Whether a call of ``ChatStore/reencrypt(at:from:to:progress:)`` was interrupted.
    ///
    /// All data can be read and written. Repeat the call with the same keys to complete it.
    public internal(set) var isReencryptionUnfinished = false

    /// The state of the cache's logs.
    ///
    /// After a crash, the commit that was being written may be missing; after a power failure, also
    /// commits that were not yet synced. The engine fetches the missing data again.
    public internal(set) var cacheLogs = LogReport()

    /// The state of the outbox's logs.
    ///
    /// After a crash, a write that had not returned may be missing. If the disk loses synced data,
    /// completed writes may also be missing; this cannot be detected if the log ends exactly
    /// between two commits.
    public internal(set) var outboxLogs = LogReport()

    /// The damage because of which this opening replaced the cache by an empty one; otherwise
    /// `nil`.
    ///
    /// The newest replaced cache stays in the directory until ``ChatStore/clearCachedData()``.
    public internal(set) var replacedCache: StoreError?

    /// The report of the outbox's logs if they are damaged, so that items may be missing; otherwise
    /// `nil`.
    ///
    /// A damaged outbox of an encrypted store is rebuilt instead: see ``isOutboxRebuilt``.
    public var outboxDamage: LogReport? { outboxLogs.isDamaged ? outboxLogs : nil }

    /// Whether the index of outbox items was rebuilt from the items.
    ///
    /// The reason is ``outboxDamage``, damage that an earlier, interrupted opening found, or a call
    /// of ``ChatStore/reindexOutbox(at:)``.
    public internal(set) var isOutboxReindexed = false

    /// The path of the newest copy of a damaged outbox's files; `nil` if none exists.
    ///
    /// ``ChatStore/acknowledgeOutboxLoss()`` removes the copies.
    public internal(set) var outboxCopy: String?

    /// Whether this opening rebuilt an unreadable outbox, or the damaged one of an encrypted store,
    /// from the readable items.
    ///
    /// An item that was sent or removed may reappear, and an edited item may have its earlier text.
    /// If the server deduplicates requests, the engine sends pending items again with the same
    /// request IDs. Otherwise, it marks them as failed, and the user decides whether to resend
    /// them.
    public internal(set) var isOutboxRebuilt = false

    /// The items that the outbox lost; `nil` if it lost none.
    ///
    /// Every opening reports the loss until ``ChatStore/acknowledgeOutboxLoss()`` is called.
    public internal(set) var outboxLoss: OutboxLoss?

    /// Whether the whole outbox was lost although the cache exists.
    public var isOutboxLost: Bool { outboxLoss?.isWholeOutbox ?? false }
}

/// The result of replaying the logs of a database.
public struct LogReport: Hashable, Codable, Sendable {
    /// The number of replayed logs.
    public internal(set) var logs = 0

    /// The number of batches that were read.
    public internal(set) var batches = 0

    /// The number of places at which batches are missing between two existing batches.
    public internal(set) var breaks = 0

    /// The number of damaged records, which were skipped.
    public internal(set) var damagedRecords = 0

    /// Whether the last log ends within a batch, as after a power failure.
    ///
    /// This is not damage, because no commit follows the incomplete one.
    public internal(set) var hasTornTail = false

    /// The name of the first damaged log, or `nil` if none was damaged.
    public internal(set) var firstDamagedFile: String?

    /// Whether commits are missing, although later commits exist.
    public var isDamaged: Bool { breaks > 0 || damagedRecords > 0 }
}

extension LogReport: CustomStringConvertible {
    /// The counts and the name of the first damaged log, in one line.
    public var description: String {
        "\(logs) logs, \(batches) batches, \(breaks) breaks, \(damagedRecords) damaged records"
            + (hasTornTail ? ", a torn tail" : "")
            + (firstDamagedFile.map { ", first in \($0)" } ?? "")
    }
}

/// The progress of migrating a store to this package's schema.
public struct MigrationProgress: Hashable, Sendable {
    /// The version of the schema that was found.
    public let fromVersion: Int

    /// The version of this package's schema.
    public let toVersion: Int

    /// The completed fraction of the work, from 0 to 1, which never decreases.
    public let fractionCompleted: Double
}
