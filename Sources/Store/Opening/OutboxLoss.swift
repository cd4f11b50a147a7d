public import Models

/// The items that damage removed from an outbox, as far as the damaged files show.
///
/// None of them is sent: an app shows them, so that the user can write them again. The damaged
/// files stay beside the store until ``ChatStore/removeOutboxCopies()``.
public struct OutboxLoss: Hashable, Sendable {
    /// The lost outbox items of which something can be read, oldest first.
    ///
    /// Their bytes have a wrong checksum, so any character of them may be another than the user typed. One
    /// of which only the name is known has a request id and a channel, and no message.
    public internal(set) var items: [OutboxItem] = []

    /// The number of damaged rows and records of the log that are completely unreadable.
    ///
    /// Each may have contained an item, a change of one, or its removal. In an encrypted store,
    /// damaged records are always unreadable.
    public internal(set) var unreadableCount = 0

    /// The greatest number of items that may be lost.
    public var count: Int { items.count + unreadableCount }

    /// A Boolean value that indicates whether nothing is lost.
    public var isEmpty: Bool { count == 0 }

    init() {}
}

extension OutboxLoss {
    /// Compares a damaged outbox with the one that was rebuilt from it.
    ///
    /// - Parameters:
    ///   - copy: The directory of the damaged files.
    ///   - environment: The environment that reads them.
    ///   - outbox: The outbox as it is now.
    ///   - reindexing: The result of rebuilding its rows.
    ///   - logs: LevelDB's findings in the logs; `nil` if it did not replay them.
    /// - Throws: Errors of the disk.
    init(
        of copy: String?, in environment: LevelDB.Environment, outbox: LevelDB,
        _ reindexing: OutboxReindexing, logs: LogReport? = nil
    ) throws(StoreError) {
        var search = LostItems()
        var damagedRecords = 0
        for path in try copy.map(DatabaseFiles.init)?.logs() ?? [] {
            let bytes = try environment.contents(of: path)
            let log = LogParts(bytes)
            damagedRecords += log.damaged.count
            for part in log.parts {
                switch part {
                case .record(let range): search.add(record: bytes[range])
                case .damage(let range): search.add(damage: bytes[range])
                case .fragment: break
                }
            }
        }
        for item in reindexing.lost { search.add(item) }
        let rows = Rows(snapshot: try outbox.snapshot())
        for item in search.items {
            let isHeld = try rows.contains(
                ByteWriter.key { $0.outboxItemRequestKey(item.requestID) })
            if !isHeld { items.append(item) }
        }
        unreadableCount = search.unreadableCount + reindexing.unreadableLost
        // A log that is missing, or that was cut, leaves nothing to look through.
        if let logs, damagedRecords == 0 {
            unreadableCount += max(logs.damagedRecords, logs.breaks)
        }
    }
}

/// The items that damaged records of a log contained and no later record removes.
private struct LostItems {
    private(set) var items: [OutboxItem] = []
    private(set) var unreadableCount = 0

    mutating func add(record payload: ArraySlice<UInt8>) {
        for operation in LoggedBatch(payload).operations {
            // Removed, or written again.
            if let id = operation.requestID ?? operation.outboxItem?.requestID {
                items.removeAll { $0.requestID == id }
            }
        }
    }

    mutating func add(damage bytes: ArraySlice<UInt8>) {
        let removals = LoggedBatch(bytes.dropFirst(LogParts.headerSize)).operations.filter {
            $0.value == nil && $0.requestID != nil
        }
        let rows = LoggedBatch(salvaging: bytes) { $0.outboxItem != nil || $0.index != nil }
            .operations
        if rows.isEmpty && removals.isEmpty { unreadableCount += 1 }
        for item in rows.compactMap(\.outboxItem) {
            items.removeAll { $0.requestID == item.requestID }
            items.append(item)
        }
        for item in rows.compactMap(\.index) { add(item) }
    }

    /// Adds an item of which only the name is known.
    mutating func add(_ item: OutboxItem) {
        if !items.contains(where: { $0.requestID == item.requestID }) { items.append(item) }
    }
}

extension LoggedBatch.Operation {
    /// The item that the operation writes.
    fileprivate var outboxItem: OutboxItem? {
        guard key.first == OutboxTable.outboxItem.rawValue, let value,
            let item = try? OutboxItem(serialized: Array(value)), !item.requestID.rawValue.isEmpty,
            OutboxItemLocation(key.dropFirst())?.channelURL == item.channelURL
        else { return nil }
        return item
    }

    /// The contents of the row that leads to an item, if the operation writes such a row.
    fileprivate var index: OutboxItem? {
        guard let requestID, let value, let place = OutboxItemLocation(value) else { return nil }
        return OutboxItem(unreadable: requestID, at: place)
    }

    /// The item that the operation writes or removes the index row of.
    fileprivate var requestID: RequestID? {
        guard key.first == OutboxTable.request.rawValue, key.count > 1 else { return nil }
        return key.dropFirst().withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (try? reader.text()).map { RequestID($0) }
        }
    }
}
