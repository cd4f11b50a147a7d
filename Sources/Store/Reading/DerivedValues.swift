import Models

/// Values that are expensive to compute: computed on demand, and updated by each commit.
///
/// There is one object for each store, with the values of its last commit. Each ``CommittedState``
/// has a copy of the values at its time, so that earlier snapshots keep their own. The work of slow
/// readers is not lost: values that a reader has computed for an earlier commit are updated with
/// the later commits, which are remembered while any reader computes.
final class DerivedValues: Sendable {
    private let state: Locked<State>

    /// The values of one commit.
    struct Values: Sendable {
        var lists = RecentLists()
        /// The total number of messages.
        ///
        /// Counters are written with each batch, and reading them makes LevelDB skip all their
        /// earlier values.
        var messageCount: Int?

        mutating func apply(_ commit: Commit) {
            messageCount? += commit.addedMessages
            lists.apply(commit.channels)
        }
    }

    /// The part of a commit that affects the values.
    struct Commit: Sendable {
        let number: Int
        let channels: [ChannelRowChange]
        let addedMessages: Int

        /// The cost of remembering it, in rows.
        var size: Int { channels.count + 1 }
    }

    private struct State {
        var number: Int
        var values = Values()
        /// Channels that lists have returned, by number, as of that commit.
        var channels: [ChannelNumber: AnyChannel] = [:]
        /// The orders of requested lists, whether or not the whole list was computed.
        ///
        /// The most recent one is the last.
        var asked: [ChannelSorting] = []
        /// The orders of lists that were saved before, if a commit has removed them.
        var saved: [ChannelSorting] = []
        /// The last commits that affect the values, oldest first.
        var commits: [Commit] = []
        var sizeOfCommits = 0
        /// The highest number of commits that may no longer be remembered.
        var forgotten: Int
        /// The commits for which a reader is currently reading all rows.
        var underWay: [Int] = []
        /// The number of reads of all rows.
        var readingCount = 0

        func commits(since number: Int) -> ArraySlice<Commit> {
            commits.drop { $0.number <= number }
        }
    }

    /// The amount of commits that is remembered without a reader, for readers that are about to
    /// start.
    private static let rememberedSize = 256

    /// The maximum number of cached channels.
    ///
    /// If it is reached, the cache is emptied.
    static let keptChannelLimit = 128

    init(asOf number: Int = 0) {
        state = Locked(State(number: number, forgotten: number))
    }

    /// The number of times that all rows of a table had to be read.
    var readingCount: Int { state.withLock { $0.readingCount } }

    // MARK: The writer

    /// Applies the next commit.
    func apply(_ commit: Commit) {
        state.withLock { state in
            state.number = commit.number
            if commit.channels.isEmpty && commit.addedMessages == 0 { return }
            state.values.apply(commit)
            for change in commit.channels {
                state.channels[change.oldNumber] = nil
                state.channels[change.newNumber] = nil
            }
            state.commits.append(commit)
            state.sizeOfCommits += commit.size
            let needed = state.underWay.min() ?? .max
            while state.sizeOfCommits > DerivedValues.rememberedSize,
                let first = state.commits.first, first.number <= needed
            {
                state.forgotten = first.number
                state.sizeOfCommits -= first.size
                state.commits.removeFirst()
            }
        }
    }

    // MARK: Readers

    /// Returns all values for a new committed state; `nil` if it is not that of the last commit.
    ///
    /// Its number may be higher than that of the last commit: events that are not stored have
    /// numbers too, and change no rows.
    func values(asOf number: Int) -> Values? {
        state.withLock { state in
            state.number = max(state.number, number)
            return state.number == number ? state.values : nil
        }
    }

    func messageCount(asOf number: Int) -> Int? {
        state.withLock { $0.number == number ? $0.values.messageCount : nil }
    }

    func list(by sorting: ChannelSorting, asOf number: Int) -> SortedKeys? {
        state.withLock { $0.number == number ? $0.values.lists.list(by: sorting) : nil }
    }

    /// Marks an order as recently requested.
    func recordUse(of sorting: ChannelSorting) {
        state.withLock { _ = $0.values.lists.list(by: sorting) }
    }

    /// Records that the first channels of a list were requested.
    func recordAsked(_ sorting: ChannelSorting) {
        state.withLock { state in
            state.asked.removeAll { $0 == sorting }
            state.asked.append(sorting)
            if state.asked.count > RecentLists.limit { state.asked.removeFirst() }
        }
    }

    /// Records the lists whose first channels were saved until now.
    func recordSaved(_ sortings: [ChannelSorting]) {
        state.withLock { $0.saved = sortings }
    }

    /// The most recently requested orders, as many as lists are kept; those of the previous session
    /// if none were requested.
    var askedSortings: [ChannelSorting] {
        state.withLock { state in
            let made = state.values.lists.sortings
            let asked = state.asked.filter { !made.contains($0) } + made
            return asked.isEmpty ? state.saved : asked.suffix(RecentLists.limit)
        }
    }

    /// Returns a channel that a list has returned before; `nil` if it must be read.
    func channel(_ number: ChannelNumber, asOf commit: Int) -> AnyChannel? {
        state.withLock { $0.number == commit ? $0.channels[number] : nil }
    }

    /// Caches a channel as of a commit, if that is the last one.
    func keep(_ channel: AnyChannel, _ number: ChannelNumber, asOf commit: Int) {
        state.withLock { state in
            guard state.number == commit else { return }
            if state.channels.count == DerivedValues.keptChannelLimit { state.channels = [:] }
            state.channels[number] = channel
        }
    }

    /// Reads all rows as of a commit, while later commits are remembered.
    ///
    /// The closure must call `keep`, because the commits are not remembered for it afterwards.
    func reading<Result>(
        asOf number: Int, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        state.withLock { state in
            state.readingCount += 1
            if number >= state.forgotten { state.underWay.append(number) }
        }
        defer {
            state.withLock { state in
                if let index = state.underWay.firstIndex(of: number) {
                    state.underWay.remove(at: index)
                }
            }
        }
        return try body()
    }

    /// Keeps a count as of a commit.
    func keep(messageCount count: Int, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            state.values.messageCount = state.commits(since: number)
                .reduce(count) { $0 + $1.addedMessages }
        }
    }

    /// Keeps a list as of a commit.
    func keep(_ keys: SortedKeys, by sorting: ChannelSorting, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            var keys = keys
            for commit in state.commits(since: number) { keys.apply(commit.channels, by: sorting) }
            state.values.lists.keep(keys, by: sorting)
        }
    }
}
