/// The findings of opening a store, for logging.
///
/// The store has already handled each finding.
public struct OpeningReport: Hashable, Sendable {
    /// A Boolean value that indicates whether the store did not exist and was created.
    public internal(set) var isNew = false

    /// A Boolean value that indicates whether the cache did not exist and an empty one was created.
    ///
    /// The cache is new in a new store, after ``ChatStore/removeCache(at:)``, after a migration, and
    /// after its files were lost or replaced. Except in a new store, the outbox still exists, and
    /// ``isNew`` is false.
    public internal(set) var isCacheNew = false

    /// The version of the schema before the migration; `nil` if no migration was necessary.
    ///
    /// A migration keeps the outbox, and replaces the cache by an empty one.
    public internal(set) var migratedFrom: Int?

    /// A Boolean value that indicates whether a call of
    /// ``ChatStore/reencrypt(at:from:to:progress:)`` was interrupted.
    ///
    /// All data can be read and written. To complete the re-encryption, repeat that call with the
    /// same keys.
    public internal(set) var isReencryptionUnfinished = false

    /// The state of the cache's logs.
    ///
    /// After a crash, a log may have a torn tail: the commit that was being written is missing.
    /// After a power failure, the latest commits that were not yet synced to disk may also be
    /// missing. Each commit contains the tokens that belong to its data, so the engine fetches the
    /// missing data again.
    public internal(set) var cacheLogs = LogReport()

    /// The state of the outbox's logs.
    ///
    /// After a crash, a log may have a torn tail: a write that had not returned is missing. If the
    /// disk loses data that it has reported as synced, completed writes may also be missing. This
    /// loss cannot be detected if the log then ends exactly between two commits.
    public internal(set) var outboxLogs = LogReport()

    /// The damage because of which this opening has replaced the cache by an empty one; `nil` if it
    /// has not.
    ///
    /// The engine fetches the data again. The newest replaced cache stays in the directory until
    /// ``ChatStore/clearCachedData()``.
    public internal(set) var replacedCache: StoreError?

    /// The report of the outbox's logs if they are damaged; otherwise `nil`.
    ///
    /// After such damage, items may be missing. ``outboxCopy`` is the path of a copy of the damaged
    /// files.
    public var outboxDamage: LogReport? { outboxLogs.isDamaged ? outboxLogs : nil }

    /// A Boolean value that indicates whether the index of outbox items was rebuilt from the items.
    ///
    /// The reason is ``outboxDamage``, or the damage that an earlier, interrupted opening found, or
    /// a call of ``ChatStore/reindexOutbox(at:)``. Each existing item can be read, replaced and
    /// removed.
    public internal(set) var isOutboxReindexed = false

    /// The path of the newest copy of a damaged outbox's files; `nil` if no copy exists.
    ///
    /// This or an earlier opening made the copy. ``ChatStore/acknowledgeOutboxLoss()`` removes it.
    public internal(set) var outboxCopy: String?

    /// A Boolean value that indicates whether this opening could not read the outbox's files, and
    /// created a new outbox from the readable items.
    ///
    /// An item that was sent or removed may reappear, and an edited item may have its earlier text.
    /// If the server deduplicates requests, the engine sends pending items again with the same
    /// request IDs. Otherwise, the engine marks them as failed, and the user decides whether to
    /// resend them. ``outboxCopy`` is the path of the damaged files.
    public internal(set) var isOutboxRebuilt = false

    /// The items that the outbox lost; `nil` if it lost none.
    ///
    /// ``OutboxLoss/isRolledBack`` says that the outbox was replaced by an earlier copy.
    ///
    /// Every opening reports the loss until ``ChatStore/acknowledgeOutboxLoss()`` is called.
    public internal(set) var outboxLoss: OutboxLoss?

    /// A Boolean value that indicates whether the whole outbox was lost although the cache exists.
    ///
    /// Like ``outboxLoss``, it is reported until the loss is acknowledged.
    public var isOutboxLost: Bool { outboxLoss?.isWholeOutbox ?? false }
}

/// The result of replaying the logs of a database.
///
/// LevelDB writes each batch to a log first, and later sorts it into a table.
public struct LogReport: Hashable, Codable, Sendable {
    /// The number of logs that were replayed.
    public internal(set) var logs = 0

    /// The number of batches that were read from the logs.
    public internal(set) var batches = 0

    /// The number of places in the logs at which batches are missing between two existing batches.
    public internal(set) var breaks = 0

    /// The number of records that were damaged and skipped.
    public internal(set) var damagedRecords = 0

    /// A Boolean value that indicates whether the last log ends within a batch, as after a power
    /// failure.
    ///
    /// This is not damage, because no commit follows the incomplete one.
    public internal(set) var hasTornTail = false

    /// The name of the first damaged log, or `nil` if none was damaged.
    public internal(set) var firstDamagedFile: String?

    /// A Boolean value that indicates whether commits are missing, although later commits exist.
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

/// The progress of migrating a store to the schema of this version of the package.
public struct MigrationProgress: Hashable, Sendable {
    /// The version of the schema that was found.
    public let fromVersion: Int

    /// The version of the schema to which the store is migrated.
    public let toVersion: Int

    /// The completed fraction of the work, from 0 to 1; it never decreases.
    public let fractionCompleted: Double
}
