/// What was found when a store was opened.
///
/// An app may want to log it: all that is told here has been dealt with already.
public struct OpeningReport: Hashable, Sendable {
    /// Whether there was nothing, and the store was created.
    public internal(set) var isNew = false

    /// Whether there was no cache, and an empty one was created.
    ///
    /// So it is in a store that is new, and after ``ChatStore/rebuildCache(at:)`` or another loss of the
    /// cache's files; then ``isNew`` is false, and the drafts are there.
    public internal(set) var isCacheNew = false

    /// The version of the schema that was there, if it was an older one.
    public internal(set) var migratedFrom: Int?

    /// Whether ``ChatStore/reencrypt(at:from:to:progress:)`` was begun, and did not come to its end.
    ///
    /// All can be read and written; call it again, with the same keys, to finish it.
    public internal(set) var isReencryptionUnfinished = false

    /// What the cache's logs held.
    ///
    /// A torn tail is what a crash leaves: the commit that was being written, and unsynced ones of
    /// the last moments where the power failed. Tokens went with them, so the next sync brings them
    /// back.
    public internal(set) var cacheLogs = LogReport()

    /// What the outbox's logs held.
    ///
    /// A torn tail is what a crash leaves of a write that never returned. Only a disk that loses what
    /// it has synced makes it more; a tail that it cuts between two commits cannot be seen.
    public internal(set) var outboxLogs = LogReport()

    /// What had become of the cache's logs, if anything had: some commits are missing.
    public var cacheDamage: LogReport? { cacheLogs.isDamaged ? cacheLogs : nil }

    /// Whether all tokens were dropped, and each channel's history is one gap.
    ///
    /// So it is where ``cacheDamage`` was found, now or at an earlier opening that did not come to
    /// its end. The rows that are there were kept, and the next sync brings back what was lost.
    public internal(set) var isCoverageDropped = false

    /// What had become of the outbox's logs, if anything had: drafts may be missing.
    ///
    /// A copy of the files as they were found is in the directory that ``outboxCopy`` names.
    public var outboxDamage: LogReport? { outboxLogs.isDamaged ? outboxLogs : nil }

    /// Whether the rows that lead to the drafts were made anew from the drafts themselves.
    ///
    /// So it is where ``outboxDamage`` was found, now or at an earlier opening that did not come to
    /// its end. Each draft that is there can be read, replaced and removed.
    public internal(set) var isOutboxReindexed = false

    /// The path of the newest copy of a damaged outbox's files.
    ///
    /// Made now, at an earlier opening, or by ``ChatStore/salvageOutbox(at:encryptionKey:)``. Stays
    /// until ``ChatStore/removeOutboxCopies()``; `nil` if there is none.
    public internal(set) var outboxCopy: String?

    /// What was lost of the outbox, where ``isOutboxReindexed``; `nil` if nothing was.
    ///
    /// Reported by the opening that found the damage alone. The copy stays until the app decides.
    public internal(set) var outboxLoss: OutboxLoss?

    /// Whether the outbox was gone, with all drafts, while the cache was there.
    public internal(set) var isOutboxLost = false
}

/// What was found in the logs of a database when they were replayed.
///
/// A log is the file that a batch is written to before it is sorted into a table.
public struct LogReport: Hashable, Codable, Sendable {
    /// How many logs were replayed.
    public internal(set) var logs = 0

    /// How many batches they held, without those that were lost.
    public internal(set) var batches = 0

    /// How often batches were missing between two others.
    public internal(set) var breaks = 0

    /// How many records were damaged, and skipped.
    public internal(set) var damagedRecords = 0

    /// Whether the last log ended within a batch: what was being written when the power failed.
    ///
    /// No damage: nothing came after it.
    public internal(set) var hasTornTail = false

    /// The name of the first log that was damaged; `nil` if none was.
    public internal(set) var firstDamagedFile: String?

    /// Whether commits are missing that others came after.
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

/// How far the migration of a store is to the schema of this version of the package.
public struct MigrationProgress: Hashable, Sendable {
    /// The version of the schema that was found.
    public let fromVersion: Int

    /// The version that it is being brought to.
    public let toVersion: Int

    /// How much of the work is done, from 0 to 1; it never goes back.
    public let fractionCompleted: Double
}
