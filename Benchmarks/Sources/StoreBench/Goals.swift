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
    private static let peers = [SQLiteEngine.name, IntegerSQLiteEngine.name, GRDBEngine.name]

    /// Returns all goals for the measured numbers of messages.
    static func all(_ sizes: [Int]) -> [Goal] {
        let ofMessages = sizes.flatMap { size in
            [
                Title.newestRaw, Title.newest, Title.randomRaw, Title.random, Title.hit,
                Title.miss, Title.put, Title.rawScan, Title.scan,
            ].map { Goal(size: size, row: $0, wanted: .atMost(1.05, times: limit)) }
                + peers.flatMap { peer in
                    ([
                        Title.insert, Title.newestRaw, Title.newest, Title.randomRaw,
                        Title.random, Title.afterDeletionsRaw, Title.afterDeletions, Title.hit,
                        Title.miss, Title.put, Title.durableBatch, Title.update, Title.delete,
                        Title.rawScan, Title.scan, Title.countChannel, Title.countAll,
                        Title.coldPage, Title.disk,
                    ] + (size >= 1_000_000 ? [Title.stall] : []))
                    .map { Goal(size: size, row: $0, wanted: .aheadOf(peer)) }
                }
                + [
                    Goal(
                        size: size, row: Title.durablePut,
                        wanted: .atMost(1.05, times: Runner.appendName)),
                    Goal(size: size, row: Title.open, wanted: .absolute(5e6)),
                    Goal(size: size, row: Title.openLoaded, wanted: .absolute(10e6)),
                    Goal(size: size, row: Title.newest, wanted: .absolute(13e3)),
                    Goal(size: size, row: Title.newestChecked, wanted: .absolute(16e3)),
                ]
                + (size >= 1_000_000
                    ? [Goal(size: size, row: Title.memory, wanted: .absolute(24e6))] : [])
        }
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
