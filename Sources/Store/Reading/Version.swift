import Models

/// The store after one commit: what everybody reads until the next.
///
/// Made by the writer, so that a reader takes it with a reference count and waits for nobody.
final class Version: Sendable {
    /// The number of the last change; 0 before the first.
    let number: Int
    let cache: LevelDB.Snapshot
    let outbox: LevelDB.Snapshot
    let names: ChannelNames
    /// The orders of channels that somebody has asked for, as of this commit.
    private let sorted: Locked<[ChannelSorting: SortedKeys]>

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot, names: ChannelNames,
        sorted: [ChannelSorting: SortedKeys] = [:]
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.names = names
        self.sorted = Locked(sorted)
    }

    /// The channels in an order; made at the first call, and kept up by each commit after it.
    func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let keys = sorted.withLock({ $0[sorting] }) { return keys }
        let keys = try SortedKeys(Rows(snapshot: cache, overlay: nil), by: sorting)
        sorted.withLock { $0[sorting] = keys }
        return keys
    }

    /// What the orders are after some channels changed.
    func sorted(after changes: [ChannelRowChange]) -> [ChannelSorting: SortedKeys] {
        sorted.withLock { sorted in
            if changes.isEmpty { return sorted }
            var changed = sorted
            for sorting in sorted.keys {
                for change in changes {
                    let old = change.old.flatMap { sorting.key(of: $0, change.oldNumber) }
                    let new = change.new.flatMap { sorting.key(of: $0, change.newNumber) }
                    if old == new { continue }
                    if let old { changed[sorting]?.remove(old) }
                    if let new { changed[sorting]?.insert(new) }
                }
            }
            return changed
        }
    }
}

/// What a batch did to the row of a channel.
struct ChannelRowChange {
    var old: AnyChannel?
    var oldNumber: ChannelNumber
    var new: AnyChannel?
    var newNumber: ChannelNumber
}

extension SortedKeys {
    /// Reads all channels of a kind.
    init(_ rows: Rows, by sorting: ChannelSorting) throws(StoreError) {
        var keys: [KeyBytes] = []
        let range = KeyRange(prefix: [sorting.table.rawValue])
        try rows.scan(range) { (key, value) throws(StoreError) in
            let number = try rows.channelNumber(ofKey: key)
            let channel: AnyChannel =
                switch sorting {
                case .group: .group(try rows.record(value, as: "group channel \(number)"))
                case .open: .open(try rows.record(value, as: "open channel \(number)"))
                }
            if let key = sorting.key(of: channel, number) { keys.append(key) }
            return true
        }
        self.init(keys)
    }
}

extension Rows {
    /// The channel's number, which follows the letter of most tables.
    func channelNumber(ofKey key: UnsafeRawBufferPointer) throws(StoreError) -> ChannelNumber {
        try decode(
            UnsafeRawBufferPointer(rebasing: key[..<min(5, key.count)]), as: "the key of a channel"
        ) { (reader) throws(ByteReader.Damage) in
            _ = try reader.byte()
            return try reader.integer()
        }
    }

    /// Reads a record.
    @inline(__always)
    func record<Value: Record>(
        _ bytes: UnsafeRawBufferPointer, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value {
        do throws(SerializationError) {
            return try Value(serialized: bytes)
        } catch {
            throw StoreError(.corruption, "\(what()) is damaged", path: path, cause: error)
        }
    }

    func record<Value: Record>(
        _ key: KeyBytes, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            guard let bytes else { return nil }
            return try record(bytes, as: what())
        }
    }
}
