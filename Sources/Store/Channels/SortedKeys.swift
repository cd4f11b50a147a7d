import Models

struct SortedKeys: Sendable {
    private(set) var keys: [KeyBytes] = []

    /// Reads all channels of a type, except undecodable ones.
    init(_ rows: Rows, by sorting: ChannelSorting) throws(StoreError) {
        try rows.forEachRow(in: KeyRange(sorting.table)) { key, value in
            if let number = rows.readableNumber(ofKey: key),
                let key = sorting.key(ofRow: value, number, in: rows)
            {
                keys.append(key)
            }
        }
        keys.sort { $0.precedes($1) }
    }

    func countBefore(_ key: KeyBytes) -> Int {
        keys.countOfFirst { $0.precedes(key) }
    }

    /// Removes `old` and inserts `new`, unless either is `nil` or the list lacks or already
    /// contains it.
    mutating func replace(_ old: KeyBytes?, with new: KeyBytes?) {
        if old == new { return }
        if let old {
            let index = countBefore(old)
            if index < keys.count, keys[index] == old { keys.remove(at: index) }
        }
        if let new {
            let index = countBefore(new)
            if index == keys.count || keys[index] != new { keys.insert(new, at: index) }
        }
    }

    mutating func apply(_ changes: [ChannelRowChange], by sorting: ChannelSorting) {
        for change in changes {
            replace(
                change.old.flatMap { sorting.key(of: $0, change.oldNumber) },
                with: change.new.flatMap { sorting.key(of: $0, change.newNumber) })
        }
    }
}

struct ChannelRowChange: Sendable {
    var old: AnyChannel?
    var oldNumber: ChannelNumber
    var new: AnyChannel?
    var newNumber: ChannelNumber
}
