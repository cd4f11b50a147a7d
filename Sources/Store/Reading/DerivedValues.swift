import Models

/// What would take long to read at each call: made because somebody asked, kept up by each commit.
///
/// One for a store, of its last commit; each ``Version`` has a copy of what there was at its time,
/// so that an older one goes on to have its own answer. Nothing is lost to those who are slow: what
/// a reader made of an older commit is brought up to date by what the commits since then did, which
/// is remembered for as long as somebody reads.
final class DerivedValues: Sendable {
    private let state: Locked<State>

    /// The values of one commit.
    struct Values: Sendable {
        var lists = RecentLists()
        /// How many messages there are in all.
        ///
        /// Counters are written with each batch, and LevelDB steps over all that they were before.
        var messageCount: Int?

        mutating func take(_ commit: Commit) {
            messageCount? += commit.addedMessages
            lists.take(commit.channels)
        }
    }

    /// What a commit did, as far as it matters here.
    struct Commit: Sendable {
        let number: Int
        let channels: [ChannelRowChange]
        let addedMessages: Int

        /// What remembering it takes, in rows.
        var size: Int { channels.count + 1 }
    }

    private struct State {
        var number: Int
        var values = Values()
        /// Channels that lists have returned, by their numbers, as they are after that commit.
        var channels: [ChannelNumber: AnyChannel] = [:]
        /// The orders of lists that were asked for, whether or not the whole list was made; the last comes last.
        var asked: [ChannelSorting] = []
        /// Those that were saved before, where a commit has removed them.
        var saved: [ChannelSorting] = []
        /// The last commits that did something here, oldest first.
        var commits: [Commit] = []
        var sizeOfCommits = 0
        /// Of commits up to this one, some may be remembered no more.
        var forgotten: Int
        /// The commits of which all rows are being read just now.
        var underWay: [Int] = []
        /// How often all rows were read.
        var readingCount = 0

        func commits(since number: Int) -> ArraySlice<Commit> {
            commits.drop { $0.number <= number }
        }
    }

    /// How much is remembered of commits even if nobody reads, for those who are about to.
    private static let rememberedSize = 256

    /// The most channels that are kept; when there are more, it begins anew.
    static let keptChannelLimit = 128

    init(asOf number: Int = 0) {
        state = Locked(State(number: number, forgotten: number))
    }

    /// How often all rows of a table had to be read.
    var readingCount: Int { state.withLock { $0.readingCount } }

    // MARK: The writer

    /// Keeps up with a commit, the one after the last.
    func take(_ commit: Commit) {
        state.withLock { state in
            state.number = commit.number
            if commit.channels.isEmpty && commit.addedMessages == 0 { return }
            state.values.take(commit)
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

    /// All values, for a new version; `nil` if it is not of the last commit.
    ///
    /// Its number may be greater than the last commit's: news that nobody stores have numbers too,
    /// and change no row.
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

    /// Makes an order one of those that were asked for last.
    func noteUse(of sorting: ChannelSorting) {
        state.withLock { _ = $0.values.lists.list(by: sorting) }
    }

    /// Remembers that the beginning of a list was asked for.
    func noteAsked(_ sorting: ChannelSorting) {
        state.withLock { state in
            state.asked.removeAll { $0 == sorting }
            state.asked.append(sorting)
            if state.asked.count > RecentLists.limit { state.asked.removeFirst() }
        }
    }

    /// Remembers of which lists the beginning was saved until now.
    func noteSaved(_ sortings: [ChannelSorting]) {
        state.withLock { $0.saved = sortings }
    }

    /// The orders that were asked for last, as many as lists are kept of; those of the time before where nobody
    /// has asked for any.
    var askedSortings: [ChannelSorting] {
        state.withLock { state in
            let made = state.values.lists.sortings
            let asked = state.asked.filter { !made.contains($0) } + made
            return asked.isEmpty ? state.saved : asked.suffix(RecentLists.limit)
        }
    }

    /// A channel that a list has returned before; `nil` if it has to be read.
    func channel(_ number: ChannelNumber, asOf commit: Int) -> AnyChannel? {
        state.withLock { $0.number == commit ? $0.channels[number] : nil }
    }

    /// Keeps a channel that was read as of a commit, if that is the last one.
    func keep(_ channel: AnyChannel, _ number: ChannelNumber, asOf commit: Int) {
        state.withLock { state in
            guard state.number == commit else { return }
            if state.channels.count == DerivedValues.keptChannelLimit { state.channels = [:] }
            state.channels[number] = channel
        }
    }

    /// Reads all rows as of a commit, and remembers meanwhile what the commits after it do.
    ///
    /// The closure calls `keep`: afterwards nothing is remembered for it any more.
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

    /// Keeps what was counted as of a commit.
    func keep(messageCount count: Int, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            state.values.messageCount = state.commits(since: number)
                .reduce(count) { $0 + $1.addedMessages }
        }
    }

    /// Keeps an order that was made as of a commit.
    func keep(_ keys: SortedKeys, by sorting: ChannelSorting, asOf number: Int) {
        state.withLock { state in
            guard number >= state.forgotten else { return }
            var keys = keys
            for commit in state.commits(since: number) { keys.take(commit.channels, by: sorting) }
            state.values.lists.keep(keys, by: sorting)
        }
    }
}
