/// What was found when a store was opened.
public struct OpeningReport: Hashable, Sendable {
    /// Whether there was nothing, and the store was created.
    public var isNew = false

    /// The version of the schema that was there, if it was an older one.
    public var migratedFrom: Int?

    /// What the cache's logs held.
    ///
    /// A torn tail is what a crash leaves: the commit that was being written, and unsynced ones of
    /// the last moments where the power failed. Tokens went with them, so the next sync brings them
    /// back.
    public var cacheLogs = LogReport()

    /// What the outbox's logs held.
    ///
    /// A torn tail is what a crash leaves of a write that never returned. Only a disk that loses what
    /// it has synced makes it more; a tail that it cuts between two commits cannot be seen.
    public var outboxLogs = LogReport()

    /// What had become of the cache's logs, if anything had: some commits are missing.
    public var cacheDamage: LogReport? { cacheLogs.isDamaged ? cacheLogs : nil }

    /// Whether all tokens were dropped, and each channel's history is one gap.
    ///
    /// So it is where ``cacheDamage`` was found, now or at an earlier opening that did not come to
    /// its end. The rows that are there were kept, and the next sync brings back what was lost.
    public var isCoverageDropped = false

    /// What had become of the outbox's logs, if anything had: drafts may be missing.
    ///
    /// A copy of the files as they were found is in the directory that ``outboxCopy`` names.
    public var outboxDamage: LogReport? { outboxLogs.isDamaged ? outboxLogs : nil }

    /// The newest copy of a damaged outbox's files, made now or at an earlier opening.
    ///
    /// Stays until somebody removes it.
    public var outboxCopy: String?

    /// Whether the outbox was gone, with all drafts, while the cache was there.
    public var isOutboxLost = false

    /// Creates a report that nothing was found.
    public init() {}
}

/// What was found in the logs of a database when they were replayed.
public struct LogReport: Hashable, Sendable {
    /// How many logs were replayed.
    public var logs = 0
    /// How many batches they held.
    public var batches = 0
    /// How often batches were missing between two others.
    public var breaks = 0
    /// How many records were damaged, and skipped.
    public var damagedRecords = 0
    /// Whether the last log ended within a batch: what was being written when the power failed.
    public var hasTornTail = false
    /// The first log that was damaged.
    public var firstDamagedFile: String?

    /// Whether commits are missing that others came after.
    public var isDamaged: Bool { breaks > 0 || damagedRecords > 0 }

    /// Creates a report of no logs.
    public init() {}
}

extension LogReport: CustomStringConvertible {
    /// The figures in one line.
    public var description: String {
        "\(logs) logs, \(batches) batches, \(breaks) breaks, \(damagedRecords) damaged records"
            + (hasTornTail ? ", a torn tail" : "")
            + (firstDamagedFile.map { ", first in \($0)" } ?? "")
    }
}

/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
    /// The version that was found.
    public let fromVersion: Int
    /// The version that it is being brought to.
    public let toVersion: Int
    /// From 0 to 1.
    public let fractionCompleted: Double
}
