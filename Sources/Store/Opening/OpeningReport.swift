/// The conditions that were found when a store was opened.
///
/// Every condition in the report has already been handled. The report is intended for logging.
public struct OpeningReport: Hashable, Sendable {
    /// A Boolean value that indicates whether the store did not exist and was created.
    public internal(set) var isNew = false

    /// A Boolean value that indicates whether the cache did not exist and an empty one was created.
    ///
    /// This is the case in a new store, and after ``ChatStore/rebuildCache(at:)`` or another loss
    /// of the cache's files. In the latter cases ``isNew`` is false, and the outbox is still there.
    public internal(set) var isCacheNew = false

    /// The version of the schema that was found, if it was an older one.
    public internal(set) var migratedFrom: Int?

    /// A Boolean value that indicates whether a call of
    /// ``ChatStore/reencrypt(at:from:to:progress:)`` was interrupted.
    ///
    /// All data can be read and written. To complete the encryption, call it again with the same
    /// keys.
    public internal(set) var isReencryptionUnfinished = false

    /// The contents of the cache's logs.
    ///
    /// A torn tail results from a crash: the commit that was being written is missing and, after a
    /// power failure, the most recent unsynced ones. Their tokens are missing too, so the next sync
    /// fetches the data again.
    public internal(set) var cacheLogs = LogReport()

    /// The contents of the outbox's logs.
    ///
    /// A torn tail results from a crash during a write that never returned. It contains completed
    /// writes only if the disk loses data that it has synced. If such a disk cuts the log between
    /// two commits, the loss cannot be detected.
    public internal(set) var outboxLogs = LogReport()

    /// The damage to the cache's logs, or `nil` if there is none; with damage, some commits are
    /// missing.
    public var cacheDamage: LogReport? { cacheLogs.isDamaged ? cacheLogs : nil }

    /// A Boolean value that indicates whether all tokens were dropped, and the history of each
    /// channel became one gap.
    ///
    /// This follows from ``cacheDamage``, found now or at an earlier opening that was interrupted.
    /// The existing rows are kept, and the next sync fetches the lost data again.
    public internal(set) var isCoverageDropped = false

    /// The damage to the outbox's logs, or `nil` if there is none; with damage, outbox items may be
    /// missing.
    ///
    /// ``outboxCopy`` names a directory with a copy of the files as they were found.
    public var outboxDamage: LogReport? { outboxLogs.isDamaged ? outboxLogs : nil }

    /// A Boolean value that indicates whether the request ID rows of the outbox were rebuilt from
    /// its items.
    ///
    /// This follows from ``outboxDamage``, found now or at an earlier opening that was interrupted.
    /// Each item that exists can be read, replaced and removed.
    public internal(set) var isOutboxReindexed = false

    /// The path of the newest copy of a damaged outbox's files.
    ///
    /// Made now or at an earlier opening. Stays until ``ChatStore/acknowledgeOutboxLoss()``; `nil`
    /// if there is none.
    public internal(set) var outboxCopy: String?

    /// A Boolean value that indicates whether this opening could not read the outbox's files, and
    /// made a new outbox of the items that can be read.
    ///
    /// An item that was sent or removed may be there again, and an edited one may have its earlier
    /// text. The engine sends pending items under their request IDs if the server deduplicates
    /// requests; otherwise they fail, and the user decides. ``outboxCopy`` has the files as they
    /// were.
    public internal(set) var isOutboxRebuilt = false

    /// The items lost from the outbox; `nil` if none were.
    ///
    /// Each opening reports it, from the one that found the damage on, until
    /// ``ChatStore/acknowledgeOutboxLoss()``.
    public internal(set) var outboxLoss: OutboxLoss?

    /// A Boolean value that indicates whether the outbox was lost, with all its items, while the
    /// cache exists.
    ///
    /// Reported until it is acknowledged, like ``outboxLoss``.
    public var isOutboxLost: Bool { outboxLoss?.isWholeOutbox ?? false }
}

/// The result of replaying the logs of a database.
///
/// A log is the file to which a batch is written before it is sorted into a table.
public struct LogReport: Hashable, Codable, Sendable {
    /// The number of logs that were replayed.
    public internal(set) var logs = 0

    /// The number of batches in the logs, without those that were lost.
    public internal(set) var batches = 0

    /// The number of places where batches are missing between two others.
    public internal(set) var breaks = 0

    /// The number of records that were damaged and skipped.
    public internal(set) var damagedRecords = 0

    /// A Boolean value that indicates whether the last log ends within a batch, as after a power
    /// failure.
    ///
    /// A torn tail is not damage, because no commit follows it.
    public internal(set) var hasTornTail = false

    /// The name of the first damaged log, or `nil` if none was damaged.
    public internal(set) var firstDamagedFile: String?

    /// A Boolean value that indicates whether commits are missing that were followed by others.
    public var isDamaged: Bool { breaks > 0 || damagedRecords > 0 }
}

extension LogReport: CustomStringConvertible {
    /// The figures in one line.
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
