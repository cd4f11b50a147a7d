import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Compares gaps and stale ranges with ``SlotHistory``, a simple implementation of the same rules.
@Suite struct GapTests {
    /// The values of a gap other than its bounds.
    struct About: Hashable, Sendable {
        var cursor: PageCursor?
        var since: FeedPoint?
    }

    enum Operation: Hashable, Sendable {
        case open(Gap.Bound, Gap.Bound, About)
        case cover(Gap.Bound, Gap.Bound, cursor: PageCursor?)
        case update(Gap.Bound, Gap.Bound, About)
        case markStale(Gap.Bound, Gap.Bound, lossNumber: Int64)
        case markVerified(Gap.Bound, Gap.Bound)
    }

    /// The gaps and the stale ranges of a channel.
    struct Model: Equatable {
        var gaps: SlotHistory<About>
        var staleRanges: SlotHistory<Int64>

        init(_ positions: [Position]) {
            gaps = SlotHistory(positions, whole: About())
            staleRanges = SlotHistory(positions, whole: nil)
        }

        /// Applies an operation.
        ///
        /// Returns false and changes nothing if the operation is not valid.
        mutating func apply(_ operation: Operation) -> Bool {
            switch operation {
            case .open(let lower, let upper, let about):
                gaps.open(from: lower, to: upper) { runs in
                    // A backfill starts at the newest upper bound. Therefore the merged gap gets
                    // the cursor of the gap that has this bound. If both the opened gap and an
                    // earlier one have it, the opened gap's cursor is used, if it has one.
                    var merged = about
                    if let newest = runs.last {
                        if newest.upper > upper { merged.cursor = newest.about.cursor }
                        if newest.upper == upper {
                            merged.cursor = about.cursor ?? newest.about.cursor
                        }
                    }
                    // The merged gap gets the earliest `since`.
                    merged.since = (runs.map(\.about.since) + [about.since]).compactMap { $0 }.min()
                    return merged
                }
            case .cover(let first, let last, let cursor):
                guard first <= last else { return false }
                gaps.cover(from: first, through: last) { About(cursor: cursor, since: $0.since) }
            case .update(let lower, let upper, let about):
                return gaps.update(from: lower, to: upper, about)
            case .markStale(let lower, let upper, let number):
                staleRanges.open(from: lower, to: upper) { runs in
                    runs.map(\.about).reduce(number, max)
                }
            case .markVerified(let first, let last):
                guard first <= last else { return false }
                staleRanges.cover(from: first, through: last) { $0 }
            }
            return true
        }
    }

    static func positions(_ count: Int) -> [Position] {
        (0..<count).map {
            Position(createdAt: Timestamp(milliseconds: Int64($0)), messageID: "m")
        }
    }

    // MARK: Comparing

    private func apply(_ operation: Operation, to batch: Batch, _ url: ChannelURL) throws -> Bool {
        do {
            switch operation {
            case .open(let lower, let upper, let about):
                try batch.open(
                    Gap(
                        in: url, from: lower, to: upper, backfillCursor: about.cursor,
                        changesSince: about.since))
            case .cover(let first, let last, let cursor):
                try batch.cover(url, from: first, through: last, backfillCursor: cursor)
            case .update(let lower, let upper, let about):
                try batch.update(
                    Gap(
                        in: url, from: lower, to: upper, backfillCursor: about.cursor,
                        changesSince: about.since))
            case .markStale(let lower, let upper, let number):
                try batch.markStale(StaleRange(in: url, from: lower, to: upper, lossNumber: number))
            case .markVerified(let first, let last):
                try batch.markVerified(url, from: first, through: last)
            }
            return true
        } catch {
            guard error.code == .invalid else { throw error }
            return false
        }
    }

    private func gaps(_ model: Model, _ url: ChannelURL) -> [Gap] {
        model.gaps.runs.map {
            Gap(
                in: url, from: $0.lower, to: $0.upper, backfillCursor: $0.about.cursor,
                changesSince: $0.about.since)
        }
    }

    private func staleRanges(_ model: Model, _ url: ChannelURL) -> [StaleRange] {
        model.staleRanges.runs.map {
            StaleRange(in: url, from: $0.lower, to: $0.upper, lossNumber: $0.about)
        }
    }

    /// Returns the difference between the rows of a reader and the model, or `nil` if they are
    /// equal.
    private func difference(
        _ reader: some StoreReader, _ model: Model, _ url: ChannelURL
    ) throws -> String? {
        let gaps = gaps(model, url)
        let found = try reader.gaps(in: url)
        if found != gaps { return "gaps \(found), not \(gaps)" }
        let staleRanges = staleRanges(model, url)
        let foundRanges = try reader.staleRanges(in: url)
        if foundRanges != staleRanges { return "stale ranges \(foundRanges), not \(staleRanges)" }
        for (older, newer) in zip(found, found.dropFirst()) where older.upper > newer.lower {
            return "overlap: \(older) and \(newer)"
        }
        for (index, bound) in model.gaps.bounds.dropFirst().dropLast().enumerated() {
            guard case .position(let position) = bound else { continue }
            let gap = try reader.gap(around: position, in: url)
            let run = model.gaps.run(aroundPosition: index)
            if gap?.lower != run?.lower || gap?.upper != run?.upper {
                return "around \(position): \(gap as Any), not \(run as Any)"
            }
        }
        for lower in model.gaps.bounds {
            for upper in model.gaps.bounds where lower < upper {
                let between = try reader.gaps(in: url, from: lower, to: upper)
                let expected = gaps.filter { $0.lower < upper && lower < $0.upper }
                if between != expected { return "between \(lower) and \(upper): \(between)" }
                if between.isEmpty == model.gaps.isUnknown(from: lower, to: upper) {
                    return "between \(lower) and \(upper): \(between)"
                }
                let ranges = try reader.staleRanges(in: url, from: lower, to: upper)
                if ranges != staleRanges.filter({ $0.lower < upper && lower < $0.upper }) {
                    return "stale between \(lower) and \(upper): \(ranges)"
                }
            }
        }
        return nil
    }

    /// The gaps and stale ranges of an observer, derived only from the changes.
    private struct Folded {
        var gaps: [Gap.Bound: Gap] = [.end: Gap(in: "c")]
        var staleRanges: [Gap.Bound: StaleRange] = [:]

        mutating func fold(_ change: Change) {
            for operation in change.operations {
                switch operation {
                case .savedGap(let gap): gaps[gap.upper] = gap
                case .removedGap(let gap):
                    let old = gaps.removeValue(forKey: gap.upper)
                    #expect(old == gap)
                case .savedStaleRange(let range): staleRanges[range.upper] = range
                case .removedStaleRange(let range):
                    let old = staleRanges.removeValue(forKey: range.upper)
                    #expect(old == range)
                default: Issue.record("\(operation)")
                }
            }
        }
    }

    // MARK: Small worlds, all of them

    /// Returns all histories of some positions.
    ///
    /// In each history, every interval is known or unknown, and so is every position between two
    /// unknown intervals.
    private static func histories(_ positions: [Position]) -> [[(Gap.Bound, Gap.Bound)]] {
        let bounds: [Gap.Bound] = [.beginning] + positions.map { .position($0) } + [.end]
        // A history is represented by its gaps. The next interval is known, or it is a new gap, or
        // it extends the gap before it.
        return (1..<bounds.count).reduce([[]]) { histories, index in
            histories.flatMap { history -> [[(Gap.Bound, Gap.Bound)]] in
                let alone = history + [(bounds[index - 1], bounds[index])]
                guard let last = history.last, last.1 == bounds[index - 1] else {
                    return [history, alone]
                }
                return [history, alone, history.dropLast() + [(last.0, bounds[index])]]
            }
        }
    }

    /// Otherwise, reading the gaps of one channel would step over the removed rows of all others.
    @Test func removedRangesLeaveARowAtTheEndOfTheHistory() throws {
        let store = try ChatStore.inMemory()
        let middle = Gap.Bound.position(Position(createdAt: 5, messageID: "m"))
        try store.write { batch in
            try batch.cover("general", from: .beginning, through: .end)
            try batch.markStale(
                StaleRange(in: "general", from: .beginning, to: middle, lossNumber: 1))
            try batch.markVerified("general", from: .beginning, through: .end)
        }
        let rows = try store.view.committed.cache.rows()
        for table in [Table.gap, .staleRange] {
            let end = ByteWriter.key { $0.boundKey(table, 1, .end) }
            #expect(rows.filter { $0.key.first == table.rawValue }.map(\.key) == [end])
            #expect(rows.first { $0.key == end }?.value.isEmpty == true)
        }
        let snapshot = try store.snapshot()
        #expect(try snapshot.gaps(in: "general", from: .beginning, to: .end) == [])
        #expect(try snapshot.firstGap(below: .end, in: "general") == nil)
        #expect(try snapshot.staleRanges(in: "general") == [])
        #expect(try snapshot.channelURLsWithGaps() == [])
        #expect(try snapshot.channelURLsWithStaleRanges() == [])
        try store.write {
            try $0.markStale(StaleRange(in: "general", from: middle, to: .end, lossNumber: 2))
        }
        #expect(try store.snapshot().staleRanges(in: "general").map(\.lossNumber) == [2])
    }

    /// Tests every operation on every small history.
    ///
    /// Because every result is a small history again, this covers all sequences of operations.
    @Test func everyOperationOnEverySmallHistoryAgreesWithTheNaiveOne() throws {
        struct Undo: Error {}
        let positions = Self.positions(Seeds.isNight ? 4 : 3)
        let bounds = Model(positions).gaps.bounds
        let store = try ChatStore.inMemory()
        try store.write { try $0.cover("c", from: .beginning, through: .end) }
        var count = 0
        for history in Self.histories(positions) {
            var start = Model(positions)
            _ = start.apply(.cover(.beginning, .end, cursor: nil))
            let setUp = history.enumerated().flatMap { index, gap -> [Operation] in
                let about = About(
                    cursor: index % 2 == 0 ? PageCursor("w\(index)") : nil,
                    since: index % 3 == 0 ? nil : FeedPoint("s", number: Int64(index * 7 % 10)))
                return [
                    .open(gap.0, gap.1, about),
                    .markStale(gap.0, gap.1, lossNumber: Int64(index % 2)),
                ]
            }
            for operation in setUp { _ = start.apply(operation) }
            var operations: [Operation] = []
            for lower in bounds {
                for upper in bounds {
                    if lower < upper {
                        operations += [
                            .open(lower, upper, About(since: FeedPoint("s", number: 1))),
                            .open(lower, upper, About(cursor: "w")),
                            .update(lower, upper, About(cursor: "u")),
                            .markStale(lower, upper, lossNumber: 1),
                        ]
                    }
                    operations += [.cover(lower, upper, cursor: "c"), .markVerified(lower, upper)]
                }
            }
            for operation in operations {
                var model = start
                let isValid = model.apply(operation)
                count += 1
                // The batch is never committed. Its results are read from it.
                #expect(throws: Undo.self) {
                    try store.write { batch in
                        for operation in setUp { _ = try apply(operation, to: batch, "c") }
                        #expect(try apply(operation, to: batch, "c") == isValid, "\(operation)")
                        let difference = try difference(batch, model, "c")
                        #expect(difference == nil, "\(setUp), then \(operation)")
                        throw Undo()
                    }
                }
            }
        }
        #expect(count > 1_000)
        #expect(try store.gaps(in: "c").isEmpty && store.staleRanges(in: "c").isEmpty)
    }

    // MARK: Long histories

    private static func operation(
        _ bounds: [Gap.Bound], _ model: Model, _ random: inout SeededRandom
    ) -> Operation {
        let low = Int.random(in: 0..<bounds.count - 1, using: &random)
        // Most ranges are short, so that a history has many gaps.
        let high =
            random.oneIn(4)
            ? Int.random(in: low + 1..<bounds.count, using: &random)
            : min(low + Int.random(in: 1...3, using: &random), bounds.count - 1)
        let about = About(
            cursor: random.pick([nil, "w1", "w2"]),
            since: random.pick([nil, FeedPoint("s", number: 1), FeedPoint("s", number: 2)]))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: return .open(bounds[low], bounds[high], about)
        case 3..<5: return .cover(bounds[low], bounds[high], cursor: about.cursor)
        case 5: return .cover(bounds[low], bounds[low], cursor: about.cursor)
        case 6:
            if let run = model.gaps.runs.randomElement(using: &random) {
                return .update(run.lower, run.upper, about)
            }
            return .update(bounds[low], bounds[high], about)
        case 7: return .markStale(bounds[low], bounds[high], lossNumber: Int64(low % 3))
        case 8: return .markVerified(bounds[low], bounds[high])
        default: return .markVerified(bounds[high], bounds[low])
        }
    }

    @Test(arguments: Seeds.few)
    func everyLongHistoryAgreesWithTheNaiveOne(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let positions = Self.positions(10)
        let store = try ChatStore.inMemory()
        let changes = try store.observe(.channel("c")).changes
        var model = Model(positions)
        var folded = Folded()
        var done: [Operation] = []
        for _ in 0..<20 {
            try store.write { batch in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let operation = Self.operation(model.gaps.bounds, model, &random)
                    let isValid = model.apply(operation)
                    done.append(operation)
                    try #require(try apply(operation, to: batch, "c") == isValid, "\(done)")
                    if random.oneIn(2) {
                        try #require(try difference(batch, model, "c") == nil, "\(done)")
                    }
                }
            }
            try #require(try difference(store, model, "c") == nil, "\(done)")
            for change in changes.drain() { folded.fold(change) }
            #expect(folded.gaps.values.sorted { $0.upper < $1.upper } == gaps(model, "c"))
            #expect(
                folded.staleRanges.values.sorted { $0.upper < $1.upper }
                    == staleRanges(model, "c"))
        }
    }

    // MARK: In pictures

    /// Returns the known positions as letters, from "a" at 0 to "h" at 7.
    ///
    /// "…" is a gap at the beginning or at the end, and "~" is a gap between two letters.
    private func picture(_ reader: some StoreReader) throws -> String {
        var words: [String] = []
        for (index, letter) in "abcdefgh".enumerated() {
            let position = Self.positions(8)[index]
            let gaps = try reader.gaps(in: "c")
            if gaps.contains(where: {
                $0.lower < .position(position) && .position(position) <= $0.upper
            }),
                words.last != "~"
            {
                words.append("~")
            }
            if try reader.gap(around: position, in: "c") == nil { words.append(String(letter)) }
        }
        if try reader.gaps(in: "c").last?.upper == .end, words.last != "~" { words.append("~") }
        if words.first == "~" { words[0] = "…" }
        if words.count > 1 && words.last == "~" { words[words.count - 1] = "…" }
        return words.joined(separator: " ")
    }

    private static func bound(_ letter: Character) -> Gap.Bound {
        switch letter {
        case "<": return .beginning
        case ">": return .end
        default: return .position(positions(8)[Array("abcdefgh").firstIndex(of: letter)!])
        }
    }

    /// Returns a store in which the history of channel "c" is completely known.
    private func known() throws -> ChatStore {
        let store = try ChatStore.inMemory()
        try store.write { try $0.cover("c", from: .beginning, through: .end) }
        return store
    }

    /// An operation is a sign and its two bounds: "+" opens a gap, and "-" covers one.
    @Test(
        arguments: [
            (["+<>"], "…"), (["+<>", "-e>"], "… e f g h"),
            (["+<>", "-e>", "-<e"], "a b c d e f g h"), (["+ad"], "a ~ d e f g h"),
            (["+ad", "-ad"], "a b c d e f g h"), (["+ah", "-ce"], "a ~ c d e ~ h"),
            (["+ah", "-dd"], "a ~ d ~ h"), (["+ad", "+dh"], "a ~ d ~ h"),
            (["+ad", "+dh", "+ce"], "a ~ h"), (["+ab"], "a ~ b c d e f g h"),
            (["+cf", "-ac", "-fh"], "a b c ~ f g h"),
        ] as [([String], String)])
    func historyShowsItsGaps(after operations: [String], _ expected: String) throws {
        let store = try known()
        for operation in operations.map(Array.init) {
            let (lower, upper) = (Self.bound(operation[1]), Self.bound(operation[2]))
            try store.write { batch in
                if operation[0] == "+" {
                    try batch.open(Gap(in: "c", from: lower, to: upper))
                } else {
                    try batch.cover("c", from: lower, through: upper)
                }
            }
        }
        #expect(try picture(store) == expected)
    }

    // MARK: Values of gaps

    private func gap(
        _ lower: Character, _ upper: Character, _ cursor: PageCursor? = nil, since: Int64? = nil
    ) -> Gap {
        Gap(
            in: "c", from: Self.bound(lower), to: Self.bound(upper), backfillCursor: cursor,
            changesSince: since.map { FeedPoint("s", number: $0) })
    }

    @Test func walkContinuesOlderThanEachPage() throws {
        let store = try known()
        try store.write { batch in
            try batch.open(gap("a", "h", since: 1))
            try batch.cover(
                "c", from: Self.bound("f"), through: Self.bound("h"), backfillCursor: "w1")
        }
        #expect(try store.gaps(in: "c") == [gap("a", "f", "w1", since: 1)])
        try store.write {
            try $0.cover("c", from: Self.bound("c"), through: Self.bound("f"), backfillCursor: "w2")
        }
        #expect(try store.gaps(in: "c") == [gap("a", "c", "w2", since: 1)])
    }

    @Test func mergedGapKeepsTheCursorOfTheNewestGap() throws {
        let store = try known()
        try store.write { batch in
            try batch.open(gap("a", "c", "w1", since: 1))
            try batch.open(gap("d", "f", "w2"))
            try batch.open(gap("b", "e", "w3", since: 3))
        }
        // The merged gap has the `since` of the earlier gap.
        #expect(try store.gaps(in: "c") == [gap("a", "f", "w2", since: 1)])
        try store.write { try $0.open(gap("e", "h", since: 4)) }
        #expect(try store.gaps(in: "c") == [gap("a", "h", nil, since: 1)])
    }

    // MARK: Unknown channels, and invalid ranges

    @Test(arguments: [("<", ">", true), ("a", "b", true), (">", ">", false), ("<", "<", false)])
    func unknownChannelIsReadAsOneGap(
        _ lower: Character, _ upper: Character, _ isUnknown: Bool
    ) throws {
        let store = try ChatStore.inMemory()
        func gaps() throws -> [Gap] {
            try store.gaps(in: "c", from: Self.bound(lower), to: Self.bound(upper))
        }
        #expect(try gaps() == (isUnknown ? [Gap(in: "c")] : []))
        try store.write { try $0.save(Tombstone("1", in: "c", deletedAt: 1)) }
        #expect(try gaps() == (isUnknown ? [Gap(in: "c")] : []))
    }
}
