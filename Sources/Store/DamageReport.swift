import Models

/// What is damaged in a store, for the application to hand in: figures, and nothing of what a user has.
///
/// It has no text, no id, no URL, no path and no key; of names, those of LevelDB's logs. Its JSON form goes
/// wherever the application's other reports go. Whether anything in it is damage, ``isDamaged`` says.
public struct DamageReport: Hashable, Codable, Sendable {
    /// The version of the schema that this package writes.
    public internal(set) var schemaVersion = StoreSchema.current.version

    /// The code of the error that kept the store from being opened, such as `corruption`; `nil` if it is open.
    ///
    /// Then nothing else is known.
    public internal(set) var openingFailure: String?

    /// Whether the files are encrypted.
    public internal(set) var isEncrypted = false

    /// How many bytes the cache takes.
    public internal(set) var cacheSize = 0

    /// How many bytes the outbox takes.
    public internal(set) var outboxSize = 0

    /// What the cache's logs held when the store was opened.
    public internal(set) var cacheLogs = LogReport()

    /// What the outbox's logs held when the store was opened.
    public internal(set) var outboxLogs = LogReport()

    /// Whether tokens and coverage were dropped then, since commits of the cache were missing.
    public internal(set) var isCoverageDropped = false

    /// Whether the rows that lead to drafts were made anew then.
    public internal(set) var isOutboxReindexed = false

    /// Whether the outbox was gone then, with all drafts, while the cache was there.
    public internal(set) var isOutboxLost = false

    /// Whether a copy of a damaged outbox lies beside it.
    public internal(set) var hasOutboxCopy = false

    /// Whether encrypting all files anew was begun, and did not come to its end.
    public internal(set) var isReencryptionUnfinished = false

    /// How many rows cannot be decoded, by the names of their tables in Docs/Format.md.
    public internal(set) var unreadableRows: [String: Int] = [:]

    /// The codes of the errors that ended the search for such rows early, such as `corruption` where a table of
    /// LevelDB is damaged.
    public internal(set) var searchFailures: [String] = []

    /// How many lines of drops could not be read, by the reason: of those that wait, and, where a client makes the
    /// report, of those that it took in last.
    public internal(set) var damagedDropLines: [String: Int] = [:]

    /// Whether anything is damaged, or was when the store was opened.
    public var isDamaged: Bool {
        openingFailure == StoreError.Code.corruption.description
            || cacheLogs.isDamaged || outboxLogs.isDamaged
            || isCoverageDropped || isOutboxReindexed || isOutboxLost || hasOutboxCopy
            || !unreadableRows.isEmpty || !searchFailures.isEmpty || !damagedDropLines.isEmpty
    }

    /// A report of a store that is open, or about to be looked at.
    package init() {}

    /// A report of a store that could not be opened.
    package init(failure: StoreError) { openingFailure = failure.code.description }

    /// Adds what could not be read of drops.
    package mutating func add(_ damage: [DropBox.Damage]) {
        for line in damage { damagedDropLines[line.reason.description, default: 0] += 1 }
    }
}

extension ChatStore {
    /// Looks for what is damaged, and returns a report that says nothing of what a user has.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `suspended`, `permission` or `io`.
    /// - Complexity: O(*n*) in the rows; reads and decodes each.
    public func damageReport() throws(StoreError) -> DamageReport {
        let snapshot = try snapshot()
        var report = DamageReport()
        report.isEncrypted = isEncrypted
        report.cacheSize = try cachedDataSize()
        report.outboxSize = try outboxDataSize()
        report.cacheLogs = openingReport.cacheLogs
        report.outboxLogs = openingReport.outboxLogs
        report.isCoverageDropped = openingReport.isCoverageDropped
        report.isOutboxReindexed = openingReport.isOutboxReindexed
        report.isOutboxLost = openingReport.isOutboxLost
        report.hasOutboxCopy = openingReport.outboxCopy != nil
        report.isReencryptionUnfinished = openingReport.isReencryptionUnfinished
        let view = snapshot.view
        report.search(view.cache) { letter, bytes in
            guard let table = Table(rawValue: letter) else { return "?" }
            return table.canDecode(bytes) ? nil : table.name
        }
        report.search(view.outbox) { letter, bytes in
            guard let table = OutboxTable(rawValue: letter) else { return "?" }
            return table != .draft || (try? Draft(serialized: bytes)) != nil ? nil : table.name
        }
        do throws(StoreError) {
            for name in try dropNames() { report.add(try drop(name)?.damage ?? []) }
        } catch {
            report.searchFailures.append(error.code.description)
        }
        return report
    }
}

extension DamageReport {
    /// Counts the rows of a database of which a closure names the table, since they cannot be decoded.
    fileprivate mutating func search(
        _ rows: Rows, _ unreadable: (UInt8, [UInt8]) -> String?
    ) {
        var counts: [String: Int] = [:]
        do throws(StoreError) {
            try rows.scan(.all) { (key, value) throws(StoreError) in
                if let letter = key.first, let table = unreadable(letter, Array(value)) {
                    counts[table, default: 0] += 1
                }
                return true
            }
        } catch {
            searchFailures.append(error.code.description)
        }
        unreadableRows.merge(counts, uniquingKeysWith: +)
    }
}

extension Table {
    /// Whether a value of the table is what it should be, where that is a record.
    fileprivate func canDecode(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .message: (try? Message(serialized: bytes)) != nil
        case .groupChannel: (try? GroupChannel(serialized: bytes)) != nil
        case .openChannel: (try? OpenChannel(serialized: bytes)) != nil
        case .user: (try? User(serialized: bytes)) != nil
        default: true
        }
    }
}
