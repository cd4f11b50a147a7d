import Models

/// The immutable state that all readers see until the next commit.
///
/// The writer creates it. A reader only retains it, and so never waits for a write.
final class CommittedState: Sendable {
    /// The number of the last change; 0 before the first one.
    let number: Int
    let cache: LevelDB.Snapshot
    let outbox: LevelDB.Snapshot
    let names: ChannelNames
    /// The key ranges of channels with removed messages, shared by all committed states.
    let extents: MessageExtents
    /// The damage to the search index, shared by all committed states.
    let indexDamage: IndexDamage
    /// A Boolean value that indicates whether ``extents`` contains any range.
    ///
    /// If not, readers skip the lookup.
    let hasExtents: Bool
    /// The derived values of the latest commit, shared by all committed states.
    let latest: DerivedValues
    /// The derived values of this commit, which stay available when it is no longer the latest.
    private let own: Locked<DerivedValues.Values>

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot, names: ChannelNames,
        extents: MessageExtents = MessageExtents(), indexDamage: IndexDamage = IndexDamage(),
        latest: DerivedValues? = nil
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.names = names
        self.extents = extents
        self.indexDamage = indexDamage
        hasExtents = !extents.isEmpty
        self.latest = latest ?? DerivedValues(asOf: number)
        own = Locked(self.latest.values(asOf: number) ?? DerivedValues.Values())
    }

    /// Returns a state with the same rows and another number.
    func numbered(_ number: Int) -> CommittedState {
        CommittedState(
            number: number, cache: cache, outbox: outbox, names: names, extents: extents,
            indexDamage: indexDamage, latest: latest)
    }

    /// Returns the total number of messages, computed by the first call.
    func messageCount() throws(StoreError) -> Int {
        if let count = own.withLock({ $0.messageCount }) { return count }
        let count: Int
        if let known = latest.messageCount(asOf: number) {
            count = known
        } else {
            count = try latest.reading(asOf: number) { () throws(StoreError) in
                let count = try Rows(snapshot: cache).messageCount()
                latest.keep(messageCount: count, asOf: number)
                return count
            }
        }
        own.withLock { $0.messageCount = count }
        return count
    }

    /// Returns the saved first channels of a list; `nil` if none were saved or a channel has
    /// changed since.
    func savedBeginning(of sorting: ChannelSorting) throws(StoreError) -> SavedLists.Beginning? {
        let beginning = try Rows(snapshot: cache).savedLists()[sorting]
        if beginning != nil { latest.recordAsked(sorting) }
        return beginning
    }

    /// Returns the sorted channels, computed by the first call and updated by each later commit.
    func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let keys = knownList(by: sorting) { return keys }
        let keys = try latest.reading(asOf: number) { () throws(StoreError) in
            let keys = try SortedKeys(Rows(snapshot: cache), by: sorting)
            latest.keep(keys, by: sorting, asOf: number)
            return keys
        }
        own.withLock { $0.lists.keep(keys, by: sorting) }
        return keys
    }

    /// Returns the sorted channels if they are in memory.
    func knownList(by sorting: ChannelSorting) -> SortedKeys? {
        if let keys = own.withLock({ $0.lists.list(by: sorting) }) {
            latest.recordUse(of: sorting)
            return keys
        }
        guard let keys = latest.list(by: sorting, asOf: number) else { return nil }
        own.withLock { $0.lists.keep(keys, by: sorting) }
        return keys
    }

    /// Updates the computed values for the next commit.
    ///
    /// Only the writer may call this, once for each commit.
    func applyCommit(_ changes: [ChannelRowChange], addingMessages count: Int) -> DerivedValues {
        latest.apply(
            DerivedValues.Commit(
                number: number + 1, channels: changes, addedMessages: count))
        return latest
    }
}
