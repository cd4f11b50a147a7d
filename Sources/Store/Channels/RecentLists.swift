/// The channels in those orders that were asked for last.
///
/// Few, since each commit keeps all of them up, and the key of metadata that a list sorts by may be
/// any text.
struct RecentLists: Sendable {
    /// The most orders that are kept.
    static let limit = 8

    /// The one asked for last comes last.
    private var lists: [(sorting: ChannelSorting, keys: SortedKeys)] = []

    /// How many there are.
    var count: Int { lists.count }

    /// The orders.
    var sortings: [ChannelSorting] { lists.map(\.sorting) }

    /// Returns an order if it is there, as the one that was asked for last.
    mutating func list(by sorting: ChannelSorting) -> SortedKeys? {
        guard let index = lists.lastIndex(where: { $0.sorting == sorting }) else { return nil }
        let found = lists[index]
        if index != lists.count - 1 {
            lists.remove(at: index)
            lists.append(found)
        }
        return found.keys
    }

    /// Keeps an order, in place of the one that nobody asked for since longest if there are many.
    mutating func keep(_ keys: SortedKeys, by sorting: ChannelSorting) {
        lists.removeAll { $0.sorting == sorting }
        lists.append((sorting, keys))
        if lists.count > RecentLists.limit { lists.removeFirst() }
    }

    /// Takes over what a commit did.
    mutating func take(_ changes: [ChannelRowChange]) {
        for index in lists.indices { lists[index].keys.take(changes, by: lists[index].sorting) }
    }
}

/// What a batch did to the row of a channel.
struct ChannelRowChange: Sendable {
    var old: AnyChannel?
    var oldNumber: ChannelNumber
    var new: AnyChannel?
    var newNumber: ChannelNumber
}

extension SortedKeys {
    /// Takes over what a commit did.
    mutating func take(_ changes: [ChannelRowChange], by sorting: ChannelSorting) {
        if changes.isEmpty { return }
        // Has both keys of each change: one buffer does for a commit.
        var keys = ByteWriter(capacity: 128)
        for change in changes {
            keys.removeAll()
            if let old = change.old { sorting.writeKey(of: old, change.oldNumber, to: &keys) }
            let middle = keys.count
            if let new = change.new { sorting.writeKey(of: new, change.newNumber, to: &keys) }
            keys.bytes.withBytes { bytes in
                replace(
                    UnsafeRawBufferPointer(rebasing: bytes[..<middle]),
                    with: UnsafeRawBufferPointer(rebasing: bytes[middle...]))
            }
        }
    }

    /// Removes one key and inserts another; of none, there are no bytes.
    mutating func replace(_ old: UnsafeRawBufferPointer, with new: UnsafeRawBufferPointer) {
        if old.hasSameBytes(as: new) { return }
        if !old.isEmpty { remove(old) }
        if !new.isEmpty { insert(new) }
    }

    /// Reads all channels of a kind, but for those that cannot be decoded.
    init(_ rows: Rows, by sorting: ChannelSorting) throws(StoreError) {
        var keys = ByteWriter()
        var ends: [Int] = []
        let range = KeyRange(prefix: [sorting.table.rawValue])
        try rows.scan(range) { (key, value) throws(StoreError) in
            if let number = rows.readableNumber(ofKey: key),
                sorting.writeKey(ofRow: value, number, to: &keys)
            {
                ends.append(keys.count)
            }
            return true
        }
        self.init(PackedKeys(keys, ends: ends))
    }
}
