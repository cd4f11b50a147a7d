import Models

/// The store after one commit: what everybody reads until the next.
///
/// Made by the writer, so that a reader takes it with a reference count and waits for no write.
final class Version: Sendable {
    typealias Derived = DerivedValues

    /// The number of the last change; 0 before the first.
    let number: Int
    let cache: LevelDB.Snapshot
    let outbox: LevelDB.Snapshot
    let names: ChannelNames
    /// What was made of the rows because somebody asked: what all versions share, of the last one.
    let latest: DerivedValues
    /// The same of this version, which it keeps when it is the last no more.
    private let own: Locked<DerivedValues.Values>

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot, names: ChannelNames,
        derived: Derived? = nil
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.names = names
        latest = derived ?? DerivedValues(asOf: number)
        own = Locked(latest.values(asOf: number) ?? DerivedValues.Values())
    }

    /// The same rows under another number.
    func numbered(_ number: Int) -> Version {
        Version(
            number: number, cache: cache, outbox: outbox, names: names, derived: derived())
    }

    /// How many messages there are in all; counted at the first call.
    func messageCount() throws(StoreError) -> Int {
        if let count = own.withLock({ $0.messageCount }) { return count }
        let count: Int
        if let known = latest.messageCount(asOf: number) {
            count = known
        } else {
            count = try latest.reading(asOf: number) { () throws(StoreError) in
                let count = try Rows(snapshot: cache, overlay: nil).messageCount()
                latest.keep(messageCount: count, asOf: number)
                return count
            }
        }
        own.withLock { $0.messageCount = count }
        return count
    }

    /// The channels in an order; made at the first call, and kept up by each commit after it.
    func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let keys = own.withLock({ $0.lists.list(by: sorting) }) {
            latest.noteUse(of: sorting)
            return keys
        }
        let keys: SortedKeys
        if let known = latest.list(by: sorting, asOf: number) {
            keys = known
        } else {
            keys = try latest.reading(asOf: number) { () throws(StoreError) in
                let keys = try SortedKeys(Rows(snapshot: cache, overlay: nil), by: sorting)
                latest.keep(keys, by: sorting, asOf: number)
                return keys
            }
        }
        own.withLock { $0.lists.keep(keys, by: sorting) }
        return keys
    }

    /// What was derived, for another version of the same commit.
    func derived() -> Derived { latest }

    /// What was derived, as it is after the next commit.
    ///
    /// Only the writer may ask, once for each commit.
    func derived(after changes: [ChannelRowChange], addingMessages count: Int) -> Derived {
        latest.take(
            DerivedValues.Commit(
                number: number + 1, channels: changes, addedMessages: count))
        return latest
    }
}
