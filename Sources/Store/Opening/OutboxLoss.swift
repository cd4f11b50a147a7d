public import Models

/// The items that an outbox lost because of damage, as far as the damaged files show.
///
/// The engine does not send these items: show them, so that the user can write them again. The
/// store keeps the report, the damaged files and the copies of outgoing files until
/// ``ChatStore/acknowledgeOutboxLoss()`` is called.
public struct OutboxLoss: Hashable, Sendable {
    /// The lost items that are at least partly readable, oldest first.
    ///
    /// Their checksums are wrong, so any character may differ from what the user wrote. If only an
    /// item's index row is readable, the value has a request ID and a channel, but no message.
    public internal(set) var items: [OutboxItem] = []

    /// The number of damaged rows and log records of which nothing can be read.
    ///
    /// Each may have contained an item, its change or its removal. In an encrypted store, damaged
    /// records are always unreadable.
    public internal(set) var unreadableCount = 0

    /// Whether all files of the outbox were missing.
    public internal(set) var isWholeOutbox = false

    /// Whether the outbox was replaced by an earlier copy, such as a backup.
    ///
    /// Newer items are lost. The copy's items may since have been sent, edited or removed.
    /// Therefore, the pending ones have failed with ``/Models/ErrorCode/needsConfirmation``, and
    /// the engine does not send them by itself.
    public internal(set) var isRolledBack = false

    /// The name of the newest copy that was searched; empty if none was.
    var copyName = ""

    /// An upper bound of the number of lost items, unless ``isWholeOutbox`` is true.
    ///
    /// Items in a table block with a wrong checksum are not counted, because their number is
    /// unknown.
    public var count: Int { items.count + unreadableCount }

    /// Whether no loss is known.
    public var isEmpty: Bool { count == 0 && !isWholeOutbox && !isRolledBack }

    init() {}

    /// Adds a later loss, whose items replace earlier items with the same request ID.
    mutating func add(_ later: OutboxLoss) {
        let known = Set(later.items.map(\.requestID))
        items = items.filter { !known.contains($0.requestID) } + later.items
        unreadableCount += later.unreadableCount
        isWholeOutbox = isWholeOutbox || later.isWholeOutbox
        isRolledBack = isRolledBack || later.isRolledBack
        if !later.copyName.isEmpty { copyName = later.copyName }
    }
}

// MARK: The row

extension OutboxLoss {
    /// On-disk format, do not change: flags, the copy's name, the number of unreadable rows, and
    /// the items, each after its length.
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let flags = try reader.byte()
        (isWholeOutbox, isRolledBack) = (flags & 1 != 0, flags & 2 != 0)
        copyName = try reader.measured()
        unreadableCount = Int(try reader.integer(UInt32.self))
        while !reader.isAtEnd {
            let count = Int(try reader.integer(UInt32.self))
            let offset = reader.offset
            guard let item = try? OutboxItem(serialized: try reader.bytes(count)) else {
                throw ByteReader.Damage(offset: offset, expected: "an outbox item")
            }
            items.append(item)
        }
    }

    func write(_ writer: inout ByteWriter) {
        writer.byte((isWholeOutbox ? 1 : 0) | (isRolledBack ? 2 : 0))
        writer.measured(copyName)
        writer.integer(UInt32(clamping: unreadableCount))
        for item in items {
            let bytes = item.serializedBytes
            writer.integer(UInt32(bytes.count))
            writer.raw(bytes)
        }
    }
}

extension LevelDB {
    func outboxLoss() throws(StoreError) -> OutboxLoss? {
        let rows = Rows(snapshot: try snapshot())
        return try rows.read(ByteWriter.key { $0.schemaKey(.loss) }, as: "the report of a loss") {
            (reader) throws(ByteReader.Damage) in try OutboxLoss(&reader)
        }
    }
}

extension Overlay {
    func put(_ loss: OutboxLoss) { put({ $0.schemaKey(.loss) }, loss.write) }
}

extension OutboxLoss {
    /// Compares damaged files with the outbox that was rebuilt from them; `logs` is LevelDB's
    /// report if it has replayed their logs.
    init(
        of files: String?, in environment: LevelDB.Environment, _ reindexing: OutboxReindexing,
        logs: LogReport? = nil
    ) throws(StoreError) {
        var search = LostItems()
        var damagedRecords = 0
        for path in try files.map(DatabaseFiles.init)?.logs() ?? [] {
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
        items = search.items.filter { !reindexing.ids.contains($0.requestID) }
        unreadableCount = search.unreadableCount + reindexing.unreadableLost
        // A missing or truncated log contains no damaged records to count.
        if let logs, damagedRecords == 0 {
            unreadableCount += max(logs.damagedRecords, logs.breaks)
        }
    }
}

/// The items in damaged log records that no later record removes or writes again.
private struct LostItems {
    private(set) var items: [OutboxItem] = []
    private(set) var unreadableCount = 0

    mutating func add(record payload: ArraySlice<UInt8>) {
        for operation in LoggedBatch(payload).operations {
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

    mutating func add(_ item: OutboxItem) {
        if !items.contains(where: { $0.requestID == item.requestID }) { items.append(item) }
    }
}

extension LoggedBatch.Operation {
    fileprivate var outboxItem: OutboxItem? {
        guard key.first == OutboxTable.outboxItem.rawValue, let value,
            let item = try? OutboxItem(serialized: Array(value)), !item.requestID.rawValue.isEmpty,
            OutboxItemLocation(key.dropFirst())?.channelURL == item.channelURL
        else { return nil }
        return item
    }

    fileprivate var index: OutboxItem? {
        guard let requestID, let value, let location = OutboxItemLocation(value) else { return nil }
        return OutboxItem(unreadable: requestID, at: location)
    }

    fileprivate var requestID: RequestID? {
        guard key.first == OutboxTable.request.rawValue, key.count > 1 else { return nil }
        return key.dropFirst().withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (try? reader.text()).map { RequestID($0) }
        }
    }
}
