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
    /// What was made of the rows because somebody asked; each commit keeps it up.
    private let derived: Locked<Derived>

    /// What would take long to read at each call.
    struct Derived: Sendable {
        /// The orders of channels.
        var sorted: [ChannelSorting: SortedKeys] = [:]
        /// How many messages there are in all. Counters are written with each batch, and LevelDB
        /// steps over all that they were before.
        var messageCount: Int?
    }

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot, names: ChannelNames,
        derived: Derived = Derived()
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.names = names
        self.derived = Locked(derived)
    }

    /// The same rows under another number.
    func numbered(_ number: Int) -> Version {
        Version(
            number: number, cache: cache, outbox: outbox, names: names, derived: derived())
    }

    /// How many messages there are in all; counted at the first call.
    func messageCount() throws(StoreError) -> Int {
        if let count = derived.withLock({ $0.messageCount }) { return count }
        let count = try Rows(snapshot: cache, overlay: nil).messageCount()
        derived.withLock { $0.messageCount = count }
        return count
    }

    /// The channels in an order; made at the first call, and kept up by each commit after it.
    func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let keys = derived.withLock({ $0.sorted[sorting] }) { return keys }
        let keys = try SortedKeys(Rows(snapshot: cache, overlay: nil), by: sorting)
        derived.withLock { $0.sorted[sorting] = keys }
        return keys
    }

    /// What was derived, as it is after a commit.
    func derived(
        after changes: [ChannelRowChange] = [], addingMessages count: Int = 0
    ) -> Derived {
        var derived = derived.withLock { $0 }
        derived.messageCount? += count
        for sorting in derived.sorted.keys {
            for change in changes {
                let old = change.old.flatMap { sorting.key(of: $0, change.oldNumber) }
                let new = change.new.flatMap { sorting.key(of: $0, change.newNumber) }
                if old == new { continue }
                if let old { derived.sorted[sorting]?.remove(old) }
                if let new { derived.sorted[sorting]?.insert(new) }
            }
        }
        return derived
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

extension Rows {
    /// How many messages all channels count.
    func messageCount() throws(StoreError) -> Int {
        var count = 0
        try scan(KeyRange(prefix: [Table.state.rawValue])) { (_, value) throws(StoreError) in
            count += Int(
                try decode(value, as: "the state of a channel") {
                    (reader) throws(ByteReader.Damage) in try ChannelState(&reader)
                }.messageCount)
            return true
        }
        return count
    }
}
