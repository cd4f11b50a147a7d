public import Models

/// What damage took from an outbox, as far as the damaged files tell.
///
/// Nothing in it is sent: an app shows it, so that the user can write again what was lost. The damaged
/// files stay beside the store until ``ChatStore/removeOutboxCopies()``.
public struct OutboxLoss: Hashable, Sendable {
    /// The lost outbox items of which something can be read, oldest first.
    ///
    /// Their bytes have a wrong checksum, so any character of them may be another than the user typed. One
    /// of which only the name is known has a request id and a channel, and no message.
    public internal(set) var items: [Draft] = []

    /// The number of damaged rows and records of the log of which nothing can be read.
    ///
    /// Each may have held an item, a change of one, or its removal. In an encrypted store nothing of a
    /// damaged record can be read.
    public internal(set) var unreadableCount = 0

    /// The greatest number of items that may be lost.
    public var count: Int { items.count + unreadableCount }

    /// Whether nothing is lost.
    public var isEmpty: Bool { count == 0 }

    init() {}
}

extension OutboxLoss {
    /// Finds out what a damaged outbox had and the one that was made of it does not.
    ///
    /// - Parameters:
    ///   - copy: The directory of the damaged files.
    ///   - environment: What reads them.
    ///   - outbox: The outbox as it is now.
    ///   - reindexing: What became of its rows.
    ///   - logs: What LevelDB found in the logs; `nil` if it did not replay them.
    /// - Throws: What the disk says.
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
            let isHeld = try rows.contains(ByteWriter.key { $0.draftRequestKey(item.requestID) })
            if !isHeld { items.append(item) }
        }
        unreadableCount = search.unreadableCount + reindexing.unreadableLost
        // A log that is missing, or that was cut, leaves nothing to look through.
        if let logs, damagedRecords == 0 {
            unreadableCount += max(logs.damagedRecords, logs.breaks)
        }
    }
}

/// The items that damaged records of a log held and no later record removes.
private struct LostItems {
    private(set) var items: [Draft] = []
    private(set) var unreadableCount = 0

    mutating func add(record payload: ArraySlice<UInt8>) {
        for operation in LoggedBatch(payload).operations {
            // Removed, or written again.
            if let id = operation.requestID ?? operation.draft?.requestID {
                items.removeAll { $0.requestID == id }
            }
        }
    }

    mutating func add(damage bytes: ArraySlice<UInt8>) {
        let removals = LoggedBatch(bytes.dropFirst(LogParts.headerSize)).operations.filter {
            $0.value == nil && $0.requestID != nil
        }
        let rows = LoggedBatch(salvaging: bytes) { $0.draft != nil || $0.index != nil }.operations
        if rows.isEmpty && removals.isEmpty { unreadableCount += 1 }
        for draft in rows.compactMap(\.draft) {
            items.removeAll { $0.requestID == draft.requestID }
            items.append(draft)
        }
        for item in rows.compactMap(\.index) { add(item) }
    }

    /// Adds an item of which only the name is known.
    mutating func add(_ item: Draft) {
        if !items.contains(where: { $0.requestID == item.requestID }) { items.append(item) }
    }
}

extension LoggedBatch.Operation {
    /// The item that the operation writes.
    fileprivate var draft: Draft? {
        guard key.first == OutboxTable.draft.rawValue, let value,
            let draft = try? Draft(serialized: Array(value)), !draft.requestID.rawValue.isEmpty,
            DraftPlace(key.dropFirst())?.channelURL == draft.channelURL
        else { return nil }
        return draft
    }

    /// What the row that leads to an item says of it, if the operation writes such a row.
    fileprivate var index: Draft? {
        guard let requestID, let value, let place = DraftPlace(value) else { return nil }
        return Draft(unreadable: requestID, at: place)
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
