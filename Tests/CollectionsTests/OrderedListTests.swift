import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Collections

/// Compares a list with a sorted array, under random sets of changes.
@Suite struct OrderedListTests {
    struct Row: ListRow {
        let id: Int
        var text: Int
        var rowID: Int { id }
    }

    typealias Edits = ListEdits<Row, Int>

    /// A naive implementation: an unsorted collection of rows with their sort keys.
    ///
    /// Changes are applied to it one at a time.
    struct Naive {
        private(set) var rows: [Int: (row: Row, key: Int)] = [:]

        mutating func save(_ row: Row, _ key: Int) { rows[row.id] = (row, key) }

        mutating func remove(_ id: Int) { rows[id] = nil }

        func sorted(isReversed: Bool) -> [Row] {
            let rows = rows.values.sorted { $0.key < $1.key }.map(\.row)
            return isReversed ? rows.reversed() : rows
        }
    }

    @Test(arguments: Seeds.count(30, atNight: 1_000)) func orderedListEqualsASortedArray(seed: Int)
    {
        var random = SeededRandom(seed: seed)
        let isReversed = random.oneIn(2)
        var list = OrderedList<Row, Int>(isReversed: isReversed)
        var naive = Naive()
        var nextID = 0
        for _ in 0..<40 {
            var edits = Edits()
            for _ in 0..<(1 + random.number(below: random.oneIn(8) ? 300 : 6)) {
                let known = naive.rows.keys.sorted()
                func any() -> Int? { known.randomElement(using: &random) }
                // Each row has a unique key.
                func key(_ id: Int) -> Int { random.number(below: 50) * 100_000 + id }
                let text = random.number(below: 3)
                switch random.number(below: 5) {
                case 0, 1:
                    nextID += 1
                    let row = Row(id: nextID, text: text)
                    let key = key(nextID)
                    edits.save(row, at: key)
                    naive.save(row, key)
                case 2:
                    guard let id = any(), let old = naive.rows[id] else { continue }
                    let row = Row(id: id, text: text)
                    edits.save(row, at: old.key)
                    naive.save(row, old.key)
                case 3:
                    guard let id = any() else { continue }
                    let row = Row(id: id, text: text)
                    let key = key(id)
                    edits.save(row, at: key)
                    naive.save(row, key)
                default:
                    guard let id = any() else { continue }
                    edits.remove(id)
                    naive.remove(id)
                }
            }
            let before = list.elements
            let count = list.count(after: edits)
            let foreseen = [false, true].map {
                Array(list.elements(after: edits, isBackward: $0))
            }
            let diff = list.apply(edits)
            #expect(foreseen == [list.elements, list.elements.reversed()])
            #expect(list.elements == naive.sorted(isReversed: isReversed))
            #expect(list.elements.count == count)
            for row in list.elements { #expect(list[row.id] == row) }
            let change = CollectionChange(diff, in: list.elements)
            #expect(change.applied(to: before) == list.elements)
            check(diff, from: before, to: list.elements)
        }
    }

    /// Checks that a diff describes the change of every row, and nothing else.
    private func check(_ diff: ListDiff<Row>, from before: [Row], to after: [Row]) {
        for row in diff.deletions { #expect(before[row.index] == row.element) }
        for row in diff.insertions { #expect(after[row.index] == row.element) }
        for row in diff.changed {
            #expect(before[row.from] == row.old)
            #expect(after[row.to] == row.element)
        }
        for row in diff.updates { #expect(row.old != row.element) }
        let gone = Set(diff.deletions.map(\.index))
        let new = Set(diff.insertions.map(\.index))
        #expect(gone.count + after.count == new.count + before.count)
        // Apart from the rows in the diff, both lists are equal, in the same order.
        let moved = Set(diff.moves.map(\.from))
        let changed = Dictionary(uniqueKeysWithValues: diff.updates.map { ($0.from, $0) })
        var staying: [Row] = []
        for (index, row) in before.enumerated()
        where !gone.contains(index) && !moved.contains(index) {
            staying.append(changed[index]?.element ?? row)
        }
        let arrived = Set(diff.moves.map(\.to))
        let rest = after.enumerated()
            .filter { !new.contains($0.offset) && !arrived.contains($0.offset) }.map(\.element)
        #expect(staying == rest)
        // If only one row moves, its order relative to at least one other row must change.
        if diff.moves.count == 1, let move = diff.moves.first {
            func rank(_ place: Int, _ others: Set<Int>) -> Int {
                place - others.count { $0 < place }
            }
            #expect(rank(move.from, gone) != rank(move.to, new))
        }
    }

    @Test func keyChangeWithTheSameIndexIsAnUpdate() {
        var list = OrderedList<Row, Int>()
        var edits = Edits()
        for id in 1...3 { edits.save(Row(id: id, text: 0), at: id * 10) }
        _ = list.apply(edits)

        edits = Edits()
        edits.save(Row(id: 4, text: 0), at: 5)
        edits.save(Row(id: 3, text: 1), at: 25)
        let diff = list.apply(edits)
        #expect(diff.insertions.map(\.index) == [0])
        #expect(diff.updates.map(\.from) == [2])
        #expect(diff.updates.map(\.to) == [3])
        #expect(diff.moves.isEmpty)
        #expect(list.elements.map(\.id) == [4, 1, 2, 3])
    }
}
