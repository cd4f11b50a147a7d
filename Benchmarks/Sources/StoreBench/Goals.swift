import Measuring

/// A goal for one row of the tables and one number of messages.
struct Goal {
    let size: Int
    let row: String
    let wanted: Wanted

    enum Wanted {
        /// The operation takes at most `factor` times as long as in the store `times`.
        case atMost(Double, times: String)
        /// The operation is faster than in this store.
        case aheadOf(String)
        /// The result is at most this number of nanoseconds or bytes.
        case absolute(Double)
        /// The operation takes at most this many times as long as with `from` messages.
        case growth(Double, from: Int)
    }
}

extension Goal {
    private static let limit = LevelDBEngine.name
    private static let sqlite = [SQLiteEngine.name, IntegerSQLiteEngine.name]
    private static let peers = sqlite + [GRDBEngine.name]

    /// The rows of reading.
    private static let reads = [
        Title.newestRaw, Title.newest, Title.randomRaw, Title.random, Title.lastRead,
        Title.recentHit, Title.hit, Title.miss, Title.rawScan, Title.scan,
    ]

    /// Returns the goals for reading: at most as long as in the better variant of SQLite, and
    /// somewhat longer with a million messages.
    private static func reading(_ size: Int) -> [Goal] {
        reads.flatMap { row in
            let isLookup = row == Title.hit || row == Title.recentHit
            let factor = size < 1_000_000 ? 1 : isLookup ? 1.2 : 1.1
            return sqlite.map { Goal(size: size, row: row, wanted: .atMost(factor, times: $0)) }
                + [Goal(size: size, row: row, wanted: .aheadOf(GRDBEngine.name))]
        }
    }

    /// Returns the goals for writing, counting, opening and the size.
    private static func writing(_ size: Int) -> [Goal] {
        var rows = [
            Title.insert, Title.insertClosed, Title.afterDeletionsRaw, Title.afterDeletions,
            Title.put, Title.update, Title.delete, Title.countChannel, Title.countAll,
            Title.coldPage, Title.disk,
        ]
        if size >= 1_000_000 { rows.append(Title.stall) }
        return peers.flatMap { peer in
            rows.map { Goal(size: size, row: $0, wanted: .aheadOf(peer)) }
                + [Goal(size: size, row: Title.durableBatch, wanted: .atMost(1.3, times: peer))]
        }
            + [Title.open, Title.openLoaded, Title.coldBoth, Title.durablePut].map {
                Goal(size: size, row: $0, wanted: .aheadOf(SQLiteEngine.name))
            }
    }

    /// Returns the goals that are absolute, and those that compare Scrollback with C.
    private static func others(_ size: Int) -> [Goal] {
        let rows = [
            Title.newestRaw, Title.newest, Title.randomRaw, Title.random, Title.hit, Title.miss,
            Title.put, Title.rawScan, Title.scan,
        ]
        var most = [
            Title.coldOpen: 2e6, Title.open: 5e6, Title.openLoaded: 10e6, Title.newest: 13e3,
            Title.newestChecked: 16e3,
        ]
        if size >= 1_000_000 { most[Title.memory] = 24e6 }
        return rows.map { Goal(size: size, row: $0, wanted: .atMost(1.05, times: limit)) }
            + most.sorted { $0.key < $1.key }
            .map { Goal(size: size, row: $0.key, wanted: .absolute($0.value)) }
            + [
                Goal(
                    size: size, row: Title.durablePut,
                    wanted: .atMost(1.05, times: Runner.appendName))
            ]
    }

    /// Returns all goals for the measured numbers of messages.
    static func all(_ sizes: [Int]) -> [Goal] {
        let ofMessages = sizes.flatMap { reading($0) + writing($0) + others($0) }
        let ofGrowth =
            sizes.contains(10_000) && sizes.contains(1_000_000)
            ? [Title.newestRaw, Title.newest, Title.randomRaw, Title.random, Title.hit, Title.miss]
                .map { Goal(size: 1_000_000, row: $0, wanted: .growth(2, from: 10_000)) } : []
        let ofChannels = [Title.touch, Title.top20, Title.top40, Title.allChannels]
            .flatMap { row in peers.map { Goal(size: 0, row: row, wanted: .aheadOf($0)) } }
        return ofMessages + ofGrowth + ofChannels
    }
}

/// A goal and its result.
struct Judgement {
    let goal: Goal
    let wanted: String
    let measured: String
    let isReached: Bool
}

extension StoreReport {
    /// The goals for which there are results.
    var judgements: [Judgement] {
        Goal.all(sizes).compactMap { goal in
            guard let ours = result(goal.size, goal.row, ScrollbackEngine.name) else { return nil }
            let value = goal.row == Title.stall ? ours.worst : ours.median
            switch goal.wanted {
            case .absolute(let most):
                return Judgement(
                    goal: goal, wanted: "at most \(ours.unit.text(most))",
                    measured: ours.unit.text(value), isReached: value <= most)
            case .atMost(let factor, let store):
                guard let times = times(goal, store) else { return nil }
                return Judgement(
                    goal: goal, wanted: "at most \(factor.brief) × \(store)",
                    measured: "\(times.brief) ×", isReached: times <= factor)
            case .aheadOf(let store):
                guard let times = times(goal, store) else { return nil }
                return Judgement(
                    goal: goal, wanted: "ahead of \(store)",
                    measured: "\(times.brief) ×", isReached: times < 1)
            case .growth(let factor, let size):
                guard let small = result(size, goal.row, ScrollbackEngine.name) else { return nil }
                let times = value / small.median
                return Judgement(
                    goal: goal, wanted: "at most \(factor.brief) × that of \(size.grouped)",
                    measured: "\(times.brief) ×", isReached: times <= factor)
            }
        }
    }

    /// Returns Scrollback's time divided by another store's.
    private func times(_ goal: Goal, _ store: String) -> Double? {
        guard let ours = result(goal.size, goal.row, ScrollbackEngine.name),
            let theirs = result(goal.size, goal.row, store)
        else { return nil }
        return ours.unit == .perSecond
            ? theirs.median / ours.median : ours.median / theirs.median
    }
}
