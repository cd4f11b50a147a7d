import Models

/// The store after one commit: what everybody reads until the next.
///
/// Made by the writer, so that a reader takes it with a reference count and waits for no write.
final class Version: Sendable {
    /// The number of the last change; 0 before the first.
    let number: Int
    let cache: LevelDB.Snapshot
    let outbox: LevelDB.Snapshot
    let names: ChannelNames
    /// Where messages are, of channels in which some were removed; what all versions share.
    let extents: MessageExtents
    /// Whether there are any, so that who reads need not ask.
    let hasExtents: Bool
    /// What was made of the rows because somebody asked: what all versions share, of the last one.
    let latest: DerivedValues
    /// The same of this version, which it keeps when it is the last no more.
    private let own: Locked<DerivedValues.Values>

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot, names: ChannelNames,
        extents: MessageExtents = MessageExtents(), latest: DerivedValues? = nil
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.names = names
        self.extents = extents
        hasExtents = !extents.isEmpty
        self.latest = latest ?? DerivedValues(asOf: number)
        own = Locked(self.latest.values(asOf: number) ?? DerivedValues.Values())
    }

    /// The same rows under another number.
    func numbered(_ number: Int) -> Version {
        Version(
            number: number, cache: cache, outbox: outbox, names: names, extents: extents,
            latest: latest)
    }

    /// How many messages there are in all; counted at the first call.
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

    /// How a list begins, where that was saved and no channel has changed since.
    func savedBeginning(of sorting: ChannelSorting) throws(StoreError) -> SavedLists.Beginning? {
        let beginning = try Rows(snapshot: cache).savedLists()[sorting]
        if beginning != nil { latest.noteAsked(sorting) }
        return beginning
    }

    /// The channels in an order; made at the first call, and kept up by each commit after it.
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

    /// The channels in an order, if that list is in memory.
    func knownList(by sorting: ChannelSorting) -> SortedKeys? {
        if let keys = own.withLock({ $0.lists.list(by: sorting) }) {
            latest.noteUse(of: sorting)
            return keys
        }
        guard let keys = latest.list(by: sorting, asOf: number) else { return nil }
        own.withLock { $0.lists.keep(keys, by: sorting) }
        return keys
    }

    /// Brings what was made of the rows up to the next commit, for the version of that.
    ///
    /// Only the writer may, once for each commit.
    func takeCommit(_ changes: [ChannelRowChange], addingMessages count: Int) -> DerivedValues {
        latest.take(
            DerivedValues.Commit(
                number: number + 1, channels: changes, addedMessages: count))
        return latest
    }
}
