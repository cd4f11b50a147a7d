import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Compares random histories of tables with sorted dictionaries, with crashes, observers and
/// snapshots.
@Suite struct TableModelTests {
    typealias Key = Pair<ChannelURL, Int>

    /// The rows of a table, and the rows after a step of the history.
    struct Model: Equatable {
        var step = 0
        var rows: [Key: String] = [:]

        var sorted: [(key: Key, value: String)] {
            rows.sorted {
                $0.key.first == $1.key.first
                    ? $0.key.second < $1.key.second : $0.key.first < $1.key.first
            }
            .map { ($0.key, $0.value) }
        }
    }

    static let urls: [ChannelURL] = ["", "a", "a\0", "ab", "é"]

    private final class World {
        let directory: StoreDirectory
        var disks = FailingDisks()
        var store: ChatStore
        var random: SeededRandom
        let home: StoreTableHome
        let table: StoreTable<Key, String>
        let steps: StoreTable<Int, Int>
        /// The model after each step.
        var history = [Model()]
        var observed: [Key: String] = [:]
        var changes: ObservedChanges
        var snapshots: [(Snapshot, Model)] = []

        init(seed: Int, home: StoreTableHome, _ form: FileForm) throws {
            directory = try StoreDirectory(form)
            random = SeededRandom(seed: seed)
            self.home = home
            table = StoreTable("rows", home: home)
            steps = StoreTable("steps", home: home)
            store = try disks.open(directory)
            changes = try store.observe(.table(table)).changes
        }

        var model: Model { history[history.count - 1] }

        func key() -> Key {
            Pair(random.pick(TableModelTests.urls), random.pick([.min, -1, 0, 1, .max]))
        }

        func step() throws {
            struct Undo: Error {}
            var next = model
            next.step += 1
            let fails = random.oneIn(6)
            do {
                try store.write { batch in
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        try change(&next, batch)
                    }
                    try check(next, batch)
                    if fails { throw Undo() }
                    try batch.put(next.step, for: 0, in: steps)
                }
                history.append(next)
            } catch is Undo {}
            try check(model, store)
            for (snapshot, model) in snapshots { try check(model, snapshot) }
            if random.oneIn(4) { snapshots.append((try store.snapshot(), model)) }
            if snapshots.count > 2 { snapshots.removeFirst() }
            follow()
        }

        private func change(_ model: inout Model, _ batch: Batch) throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
                let (key, value) = (key(), "\(model.step) \(random.pick(["", "é", "long "]))")
                try batch.put(value, for: key, in: table)
                model.rows[key] = value
            case 6, 7:
                let key = key()
                let isFound = try batch.removeValue(for: key, in: table)
                #expect(isFound == (model.rows.removeValue(forKey: key) != nil))
            case 8:
                let url = random.pick(TableModelTests.urls)
                try batch.removeValues(in: table, within: .beginning(with: url))
                model.rows = model.rows.filter { $0.key.first != url }
            default:
                let url = random.pick(TableModelTests.urls)
                guard !url.rawValue.isEmpty else { return }
                try batch.save(GroupChannel(url: url, createdAt: 1))
                try batch.removeChannel(url)
                if home == .cached { model.rows = model.rows.filter { $0.key.first != url } }
            }
        }

        func check(_ model: Model, _ reader: some StoreReader) throws {
            let sorted = model.sorted
            func isSame(
                _ rows: some Sequence<(key: Key, value: String)>,
                _ expected: some Sequence<(key: Key, value: String)>
            ) -> Bool { rows.elementsEqual(expected) { $0 == $1 } }
            #expect(isSame(try reader.values(in: table), sorted))
            #expect(isSame(try reader.values(in: table, isDescending: true), sorted.reversed()))
            #expect(try reader.count(in: table) == sorted.count)
            let (low, high) = (key(), key())
            func precedes(_ left: Key, _ right: Key) -> Bool {
                left.first == right.first ? left.second < right.second : left.first < right.first
            }
            let part = sorted.filter { !precedes($0.key, low) && precedes($0.key, high) }
            let isDescending = random.oneIn(2)
            let found = try reader.values(
                in: table, from: low, to: high, isDescending: isDescending, limit: 3)
            #expect(
                isSame(found, isDescending ? part.reversed().prefix(3) : Array(part.prefix(3))[...])
            )
            let rest = sorted.filter { precedes(low, $0.key) }
            #expect(isSame(try reader.values(in: table, within: .all, after: low), rest))
            #expect(try reader.value(for: low, in: table) == model.rows[low])
            #expect(try reader.contains(low, in: table) == (model.rows[low] != nil))
            #expect(try reader.first(in: table)?.key == sorted.first?.key)
            #expect(try reader.last(in: table)?.key == sorted.last?.key)
        }

        /// Applies the changes that the observer has received.
        private func follow() {
            for change in changes.drain() {
                for row in change.rows(of: table) {
                    #expect(observed[row.key] == row.oldValue)
                    observed[row.key] = row.newValue
                }
            }
            #expect(observed == model.rows)
        }

        /// Cuts the power, possibly in the middle of a step, and opens the store again.
        func crash() throws {
            snapshots = []
            let isAtStep = random.oneIn(2)
            if !isAtStep {
                for disk in disks.both { disk.cutPower(at: Int.random(in: 1...4, using: &random)) }
                // After the power is cut, calls succeed, and nothing reaches the disk.
                try step()
                snapshots = []
            }
            let last = history.count - 1
            try disks.cutPower(of: store, at: directory.url)
            disks = FailingDisks()
            store = try disks.open(directory)
            #expect(store.openingReport.replacedCache == nil)
            let found = try store.value(for: 0, in: steps) ?? 0
            let index = try #require(history.firstIndex { $0.step == found })
            if home == .kept && isAtStep { #expect(index == last) }
            history.removeSubrange((index + 1)...)
            try check(model, store)
            #expect(try store.check() == [])
            observed = model.rows
            changes = try store.observe(.table(table)).changes
        }
    }

    @Test(arguments: Seeds.count(12, atNight: 400), StoreTableHome.allCases)
    func tableIsASortedDictionary(seed: Int, home: StoreTableHome) throws {
        let world = try World(seed: seed, home: home, seed % 4 == 0 ? .encrypted : .plain)
        for _ in 0..<40 {
            try world.step()
            if world.random.oneIn(8) { try world.crash() }
        }
        world.snapshots = []
        world.store.close()
    }
}
