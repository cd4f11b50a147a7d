import Models

/// Values that are computed from the rows of a committed state when they are first needed.
///
/// A commit moves the values to the next state, and updates them in place. A reader of the earlier
/// state computes them again.
struct DerivedValues: Sendable {
    var numbers: [ChannelURL: ChannelNumber] = [:]
    /// Cached because each batch rewrites channels' counters, and LevelDB has to skip the earlier
    /// values.
    var messageCount: Int?
    var extents = MessageExtents()
    /// The search index; `nil` if it is turned off, or was not read yet.
    var index: CommittedIndex?
    /// The sorted channel lists, in the order in which they were first requested.
    private(set) var lists: [(sorting: ChannelSorting, keys: SortedKeys)] = []
    /// The channels that lists have returned.
    private(set) var channels: [ChannelNumber: AnyChannel] = [:]

    /// The number of lists at which all are discarded, because apps can request any number of
    /// orders.
    static let listLimit = 8

    /// The number of channels at which all are discarded.
    static let channelLimit = 128

    mutating func apply(_ batch: Batch) {
        if batch.rows.hasClearedAll {
            self = DerivedValues()
            return
        }
        for (url, number) in batch.rows.numbers { numbers[url] = number }
        messageCount? += batch.rows.addedMessages
        extents.apply(batch.rows.cache)
        for change in batch.channelChanges {
            channels[change.oldNumber] = nil
            channels[change.newNumber] = nil
        }
        for index in lists.indices {
            lists[index].keys.apply(batch.channelChanges, by: lists[index].sorting)
        }
    }

    func list(by sorting: ChannelSorting) -> SortedKeys? {
        lists.first { $0.sorting == sorting }?.keys
    }

    mutating func keep(_ keys: SortedKeys, by sorting: ChannelSorting) {
        // Another reader may have stored the same list since.
        lists.removeAll { $0.sorting == sorting }
        if lists.count == DerivedValues.listLimit { lists = [] }
        lists.append((sorting, keys))
    }

    mutating func keep(_ channel: AnyChannel, _ number: ChannelNumber) {
        if channels.count == DerivedValues.channelLimit { channels = [:] }
        channels[number] = channel
    }
}
