import Foundation
import Models
import Store
import Sync

struct StoreReport: Encodable, Sendable {
    struct Table: Encodable, Sendable {
        var database: String
        var table: String
        var rows: Int
        var bytes: Int

        init(_ size: TableSize) {
            (database, table) = (size.database.rawValue, size.table)
            (rows, bytes) = (size.rowCount, size.byteCount)
        }
    }

    struct Database: Encodable, Sendable {
        var name: String
        var bytes: Int
        /// The memory of LevelDB's tables and caches in bytes.
        var memory: Int?
        var levels: String?
    }

    var directory: String?
    var isEncrypted: Bool
    var databases: [Database]
    var opening: [String]
    /// The maximum memory of the process in bytes.
    var peakMemory: Int

    init(_ store: ChatStore, _ mask: TextMask) throws(StoreError) {
        directory = store.directory?.path
        isEncrypted = store.isEncrypted
        databases = []
        for database in RowDescription.Database.allCases {
            let memory = try store.property("leveldb.approximate-memory-usage", of: database)
            databases.append(
                Database(
                    name: database.rawValue,
                    bytes: try database == .cache
                        ? store.cachedDataSize() : store.outboxDataSize(),
                    memory: memory.flatMap { Int($0) },
                    levels: try store.property("leveldb.stats", of: database)))
        }
        opening = store.openingReport.findings(mask)
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            // Linux reports kilobytes; Apple platforms report bytes.
            peakMemory = usage.ru_maxrss * 1024
        #else
            getrusage(RUSAGE_SELF, &usage)
            peakMemory = usage.ru_maxrss
        #endif
    }
}

extension OpeningReport {
    /// A line for each finding when the store was opened.
    fileprivate func findings(_ mask: TextMask) -> [String] {
        var lines: [String] = []
        if isNew { lines.append("the store was created") }
        if isCacheNew, !isNew {
            lines.append("the cache was missing, and an empty one was created")
        }
        if let migratedFrom { lines.append("migrated from schema version \(migratedFrom)") }
        lines.append("cache: \(cacheLogs)")
        lines.append("outbox: \(outboxLogs)")
        if let replacedCache {
            lines.append("the cache was replaced by an empty one: \(mask.shown(replacedCache))")
        }
        if isOutboxReindexed { lines.append("the request IDs of the outbox were rebuilt") }
        if isOutboxRebuilt { lines.append("the outbox was rebuilt from its readable items") }
        if isOutboxLost { lines.append("the outbox was missing, with all its items") }
        if let loss = outboxLoss { lines.append("at most \(loss.count) outbox items were lost") }
        if let outboxCopy { lines.append("a copy of the damaged outbox is in \(outboxCopy)") }
        if isReencryptionUnfinished { lines.append("a re-encryption was interrupted") }
        return lines
    }
}

struct EvictionReport: Encodable, Sendable {
    struct Part: Encodable, Sendable {
        var channel: String
        var messages: Int
        var reason: String
    }

    var parts: [Part]
    var sizeBefore: Int
    var sizeAfter: Int

    init(_ eviction: Eviction) {
        parts = eviction.parts.map {
            Part(
                channel: $0.channelURL.rawValue, messages: $0.messageCount, reason: "\($0.reason)")
        }
        (sizeBefore, sizeAfter) = (eviction.sizeBefore, eviction.sizeAfter)
    }
}
