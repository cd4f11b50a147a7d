/// A report of the damage in a store that an app can submit, without user data.
///
/// The report consists of numbers, codes and names of LevelDB's log files, and contains no text,
/// ID, URL, path or key.
public struct DamageReport: Hashable, Codable, Sendable {
    /// The schema version that this package writes.
    public internal(set) var schemaVersion = StoreSchema.current.version

    /// The error code of the failed opening, such as `corruption`; `nil` if the store is open.
    ///
    /// All other properties then have their initial values.
    public internal(set) var openingFailure: String?

    /// Whether the files are encrypted.
    public internal(set) var isEncrypted = false

    /// The size of the cache in bytes.
    public internal(set) var cacheByteCount = 0

    /// The size of the outbox in bytes.
    public internal(set) var outboxByteCount = 0

    /// The state of the cache's logs when the store was opened.
    public internal(set) var cacheLogs = LogReport()

    /// The state of the outbox's logs when the store was opened.
    public internal(set) var outboxLogs = LogReport()

    /// Whether the cache was replaced when the store was opened.
    public internal(set) var isCacheReplaced = false

    /// Whether the index of outbox items was rebuilt when the store was opened.
    public internal(set) var isOutboxReindexed = false

    /// Whether the whole outbox was missing when the store was opened, although the cache existed.
    public internal(set) var isOutboxLost = false

    /// Whether a copy of a damaged outbox exists.
    public internal(set) var hasOutboxCopy = false

    /// Whether a re-encryption was started and not finished.
    public internal(set) var isReencryptionUnfinished = false

    /// The numbers of undecodable rows, by the names of the tables in Docs/Format.md.
    public internal(set) var unreadableRows: [String: Int] = [:]

    /// The codes of errors that stopped the search for ``unreadableRows``, such as `corruption` if
    /// a table file of LevelDB is damaged.
    public internal(set) var searchFailures: [String] = []

    /// The numbers of unreadable lines in the push inbox, by reason.
    ///
    /// A report that a client creates also covers the files that it processed last.
    public internal(set) var damagedPushLines: [String: Int] = [:]

    /// Whether anything is damaged, or was damaged when the store was opened.
    public var isDamaged: Bool {
        openingFailure == StoreError.Code.corruption.description
            || cacheLogs.isDamaged || outboxLogs.isDamaged
            || isCacheReplaced || isOutboxReindexed || isOutboxLost || hasOutboxCopy
            || !unreadableRows.isEmpty || !searchFailures.isEmpty || !damagedPushLines.isEmpty
    }

    package init() {}

    package init(failure: StoreError) { openingFailure = failure.code.description }

    package mutating func add(_ damage: [PushInbox.Damage]) {
        for line in damage { damagedPushLines[line.reason.description, default: 0] += 1 }
    }
}

extension ChatStore {
    /// Searches for damage, and returns a report.
    ///
    /// - Throws: `closed`, `suspended`, `permission` or `io`.
    /// - Complexity: O(*n*) in the rows, each of which is decoded.
    public func damageReport() throws(StoreError) -> DamageReport {
        let snapshot = try snapshot()
        var report = DamageReport()
        report.isEncrypted = isEncrypted
        report.cacheByteCount = try cachedDataSize()
        report.outboxByteCount = try outboxDataSize()
        report.cacheLogs = openingReport.cacheLogs
        report.outboxLogs = openingReport.outboxLogs
        report.isCacheReplaced = openingReport.replacedCache != nil
        report.isOutboxReindexed = openingReport.isOutboxReindexed
        report.isOutboxLost = openingReport.isOutboxLost
        report.hasOutboxCopy = openingReport.outboxCopy != nil
        report.isReencryptionUnfinished = openingReport.isReencryptionUnfinished
        for database in RowDescription.Database.allCases {
            report.search(database, snapshot.view.rows(of: database))
        }
        do throws(StoreError) {
            for name in try pushNames() { report.add(try contents(ofPush: name)?.damage ?? []) }
        } catch {
            report.searchFailures.append(error.code.description)
        }
        return report
    }
}

extension DamageReport {
    fileprivate mutating func search(_ database: RowDescription.Database, _ rows: Rows) {
        var counts: [String: Int] = [:]
        do throws(StoreError) {
            try rows.forEachRow(in: .all) { key, value in
                let table = database.table(key.first)
                let content = try? table?.content(value)
                if content == nil { counts[table?.name ?? "?", default: 0] += 1 }
            }
        } catch {
            searchFailures.append(error.code.description)
        }
        unreadableRows.merge(counts, uniquingKeysWith: +)
    }
}
