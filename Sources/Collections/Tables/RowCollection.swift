public import Observation
public import Store
public import Sync

/// A live range of the rows in a table of the app.
///
/// ```swift
/// let bookmarks = try client.table(Bookmark.table, within: .beginning(with: channelURL))
/// List(bookmarks.rows) { row in BookmarkView(row.value) }
/// ```
///
/// The rows follow all changes, and the properties are observable. The list becomes empty when the
/// user's session ends.
@MainActor
@Observable
public final class RowCollection<Key: StoreKey, Value: Sendable> {
    /// A row of the table.
    public struct Row: Identifiable, Sendable {
        /// The key.
        public let key: Key
        /// The value.
        public let value: Value

        /// The key.
        public var id: Key { key }
    }

    /// The table of the rows.
    @ObservationIgnored public let table: StoreTable<Key, Value>

    /// The rows whose values can be decoded, in the order of keys.
    public private(set) var rows: [Row] = []

    /// The keys whose values cannot be decoded.
    public private(set) var unreadableKeys: Set<Key> = []

    private let range: StoreKeyRange<Key>
    private let isDescending: Bool
    private let limit: Int?
    private let store: ChatStore
    @ObservationIgnored private var follower: StoreFollower?

    init(
        of table: StoreTable<Key, Value>, within range: StoreKeyRange<Key>, isDescending: Bool,
        limit: Int?, store: ChatStore
    ) throws(SyncError) {
        self.table = table
        self.range = range
        self.isDescending = isDescending
        self.limit = limit
        self.store = store
        let follower = try StoreFollower(.table(table), of: store) { [weak self] in self?.apply($0)
        }
        self.follower = follower
        show(try follower.read { (snapshot) throws(StoreError) in try self.read(snapshot) })
        follower.processQueued()
    }

    /// Ends the collection, which then no longer follows the table.
    public func dispose() {
        follower?.stop()
        follower = nil
    }

    func endSession() {
        dispose()
        (rows, unreadableKeys) = ([], [])
    }

    // MARK: Following

    private func read(_ snapshot: Snapshot) throws(StoreError) -> StoreRows<Key, Value> {
        try snapshot.values(
            in: table, within: range, isDescending: isDescending, limit: limit)
    }

    private func show(_ found: StoreRows<Key, Value>) {
        rows = found.map { Row(key: $0.key, value: $0.value) }
        unreadableKeys = Set(found.unreadable.map(\.key))
    }

    private func apply(_ change: Change) {
        var rows = rows
        // With a limit, the row after the last one is unknown.
        var isShort = change.operations.contains(.missed) || change.removesCachedRows
        for row in change.rows(of: table) where range.contains(row.key) {
            unreadableKeys.remove(row.key)
            if row.isUnreadable { unreadableKeys.insert(row.key) }
            let index = index(of: row.key, in: rows)
            // Texts with other bytes are other keys, even if Swift considers them equal.
            let isListed = index < rows.count && rows[index].key.keyBytes == row.key.keyBytes
            if let value = row.newValue {
                let new = Row(key: row.key, value: value)
                if isListed { rows[index] = new } else { rows.insert(new, at: index) }
            } else if isListed {
                rows.remove(at: index)
                isShort = isShort || limit == rows.count + 1
            }
            if let limit, rows.count > max(0, limit) { rows.removeLast() }
        }
        guard isShort else {
            self.rows = rows
            return
        }
        // Ignore the error: a closed store reports no changes.
        if let found = try? follower?.readAgain({ (snapshot, _) throws(StoreError) in
            try read(snapshot)
        }) {
            show(found)
        }
    }

    private func index(of key: Key, in rows: [Row]) -> Int {
        let bytes = key.keyBytes
        return rows.partitioningIndex { row in
            let other = row.key.keyBytes
            return !(isDescending ? bytes.precedes(other) : other.precedes(bytes))
        }
    }
}

// MARK: Writing

extension RowCollection {
    /// Saves a value in the table, as ``/Store/Batch/put(_:for:in:)`` does.
    ///
    /// - Throws: `store`.
    public func put(_ value: Value, for key: Key) async throws(SyncError) {
        try await write { [table] (batch) throws(StoreError) in
            try batch.put(value, for: key, in: table)
        }
    }

    /// Removes the value of a key, even if it cannot be decoded.
    ///
    /// - Throws: `store`.
    public func removeValue(for key: Key) async throws(SyncError) {
        try await write { [table] (batch) throws(StoreError) in
            try batch.removeValue(for: key, in: table)
        }
    }

    private func write(
        _ body: @Sendable @escaping (Batch) throws(StoreError) -> Void
    ) async throws(SyncError) {
        let store = store
        try await onDisk { () throws(StoreError) in try store.writeRows(body) }
    }
}

extension RowCollection: ChatClient.Collection {}
