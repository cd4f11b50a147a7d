import Models

/// Values that are expensive to compute: the message count and sorted channel lists.
///
/// They are computed when they are first requested, and each later commit updates them.
///
/// Each store has one object, with the values of its last commit. Each ``CommittedState`` has a
/// copy of the values at its time, for earlier snapshots. While a reader computes values for a
/// commit, the object remembers later commits, and then applies them to the result, so that the
/// result of a slow reader can be used.
final class DerivedValues: Sendable {
    private let state: Locked<State>

    /// The values of one commit.
    struct Values: Sendable {
        var lists = RecentLists()
        /// The total number of messages.
        ///
        /// This sum of the channels' counters is cached because reading the counters is slow: each
        /// batch rewrites some of them, and LevelDB has to skip all earlier values.
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

        /// The number of rows that remembering the commit takes.
        var size: Int { channels.count + 1 }
    }

    private struct State {
        var number: Int
        var values = Values()
        /// The channels that lists have returned, by number, as of this commit.
        var channels: [ChannelNumber: AnyChannel] = [:]
        /// The orders of all lists that were requested, even if only their first page was read.
        ///
        /// The most recent one is the last.
        var asked: [ChannelSorting] = []
        /// The orders of the lists that were saved, after a commit has removed the saved lists.
        var saved: [ChannelSorting] = []
        /// The last commits that affect the values, oldest first.
        var commits: [Commit] = []
        var sizeOfCommits = 0
        /// The number of the newest commit that was discarded, or that was never remembered.
        var forgotten: Int
        /// The commits for which a reader is currently reading all rows.
        var underWay: [Int] = []
        /// The number of reads of all rows.
        var readingCount = 0

        func commits(since number: Int) -> ArraySlice<Commit> {
            commits.drop { $0.number <= number }
        }
    }

    /// The number of rows of commits that are remembered even if no reader is computing values, for
    /// readers that are about to start.
    private static let rememberedSize = 256

    /// The maximum number of cached channels.
    ///
    /// When it is reached, all of them are discarded.
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

    /// Returns all values for a new committed state; `nil` if the state is not that of the last
    /// commit.
    ///
    /// The number of the state may be greater than that of the last commit, because events that are
    /// not stored also get numbers.
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

    /// Records which lists were saved when the store was last closed or suspended.
    func recordSaved(_ sortings: [ChannelSorting]) {
        state.withLock { $0.saved = sortings }
    }

    /// The most recently requested orders, at most as many as lists are kept.
    ///
    /// If none were requested, the orders of the lists that the previous session has saved.
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

    /// Calls a closure that reads all rows as of a commit; remembers later commits in the meantime.
    ///
    /// The closure must call `keep` itself: after it returns, the commits may be forgotten.
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

    /// Stores a count that was computed as of a commit, after applying the later commits.
    func keep(messageCount count: Int, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            state.values.messageCount = state.commits(since: number)
                .reduce(count) { $0 + $1.addedMessages }
        }
    }

    /// Stores a list that was computed as of a commit, after applying the later commits.
    func keep(_ keys: SortedKeys, by sorting: ChannelSorting, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            var keys = keys
            for commit in state.commits(since: number) { keys.apply(commit.channels, by: sorting) }
            state.values.lists.keep(keys, by: sorting)
        }
    }
}
