import Models

/// The sorted channel lists that were requested most recently.
///
/// Each commit updates all of these lists. Their number is limited, because an app can request any
/// number of orders: an order can contain any metadata key.
struct RecentLists: Sendable {
    static let limit = 8

    /// The lists, with the most recently requested one last.
    private var lists: [(sorting: ChannelSorting, keys: SortedKeys)] = []

    var count: Int { lists.count }

    var sortings: [ChannelSorting] { lists.map(\.sorting) }

    /// Returns the list with an order, and marks it as the most recently requested one; `nil` if
    /// the list is not in memory.
    mutating func list(by sorting: ChannelSorting) -> SortedKeys? {
        guard let index = lists.lastIndex(where: { $0.sorting == sorting }) else { return nil }
        let found = lists[index]
        if index != lists.count - 1 {
            lists.remove(at: index)
            lists.append(found)
        }
        return found.keys
    }

    /// Adds a list, and evicts the least recently requested one if the limit is exceeded.
    mutating func keep(_ keys: SortedKeys, by sorting: ChannelSorting) {
        lists.removeAll { $0.sorting == sorting }
        lists.append((sorting, keys))
        if lists.count > RecentLists.limit { lists.removeFirst() }
    }

    mutating func apply(_ changes: [ChannelRowChange]) {
        for index in lists.indices { lists[index].keys.apply(changes, by: lists[index].sorting) }
    }
}

/// The change of a channel's row in a write batch.
struct ChannelRowChange: Sendable {
    var old: AnyChannel?
    var oldNumber: ChannelNumber
    var new: AnyChannel?
    var newNumber: ChannelNumber
}

extension SortedKeys {
    mutating func apply(_ changes: [ChannelRowChange], by sorting: ChannelSorting) {
        if changes.isEmpty { return }
        // One buffer holds the old and the new key of each change.
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

    /// Removes one key and inserts another; an empty key is ignored.
    mutating func replace(_ old: UnsafeRawBufferPointer, with new: UnsafeRawBufferPointer) {
        if old.hasSameBytes(as: new) { return }
        if !old.isEmpty { remove(old) }
        if !new.isEmpty { insert(new) }
    }

    /// Creates the list of all channels of a type, except those that cannot be decoded.
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
