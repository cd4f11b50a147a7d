protocol ListRow: Hashable, Sendable {
    associatedtype RowID: Hashable, Sendable
    /// The identity of the row, which stays the same when it changes or moves.
    var rowID: RowID { get }
}

/// A list that is sorted by keys, and applies many edits at once.
struct OrderedList<Element: ListRow, Key: Comparable & Sendable>: Sendable {
    private(set) var elements: [Element] = []
    /// The keys of the elements, in ascending or, if the list is reversed, descending order.
    private(set) var keys: [Key] = []
    private var keysByID: [Element.RowID: Key] = [:]
    private let isReversed: Bool

    init(isReversed: Bool = false) { self.isReversed = isReversed }

    subscript(id: Element.RowID) -> Element? {
        keysByID[id].map { elements[index(of: $0)] }
    }

    func elements(from first: Key, through last: Key) -> ArraySlice<Element> {
        let (first, last) = isReversed ? (last, first) : (first, last)
        let start = index(of: first)
        var end = index(of: last)
        if end < keys.count, keys[end] == last { end += 1 }
        return elements[start..<max(start, end)]
    }

    func count(after edits: ListEdits<Element, Key>) -> Int {
        let gone = edits.removed.count { keysByID[$0] != nil }
        let new = edits.saved.keys.count { keysByID[$0] == nil }
        return elements.count + new - gone
    }

    /// Returns an iterator over the elements after the edits; after sorting the edits, each step is
    /// O(1).
    func elements(
        after edits: ListEdits<Element, Key>, isBackward: Bool
    ) -> AnyIterator<Element> {
        func comesFirst(_ left: Key, _ right: Key) -> Bool {
            isBackward ? precedes(right, left) : precedes(left, right)
        }
        var new = edits.saved.values.sorted { comesFirst($0.key, $1.key) }[...]
        let indices =
            isBackward
            ? stride(from: elements.count - 1, through: 0, by: -1)
            : stride(from: 0, through: elements.count - 1, by: 1)
        var staying = indices.lazy.filter { !edits.affects(elements[$0].rowID) }.makeIterator()
        var next = staying.next()
        return AnyIterator {
            if let index = next, new.first.map({ comesFirst(keys[index], $0.key) }) ?? true {
                next = staying.next()
                return elements[index]
            }
            return new.popFirst()?.element
        }
    }

    private func index(of key: Key) -> Int { keys.partitioningIndex { !precedes($0, key) } }

    private func isOrdered(at index: Int) -> Bool {
        (index == 0 || precedes(keys[index - 1], keys[index]))
            && (index + 1 == keys.count || precedes(keys[index], keys[index + 1]))
    }

    private func precedes(_ left: Key, _ right: Key) -> Bool {
        isReversed ? right < left : left < right
    }

    /// Applies edits and returns the differences as indices.
    ///
    /// - Complexity: O(*k* log *n*) for *k* edits and *n* elements, plus the shift of the following
    ///   elements.
    mutating func apply(_ edits: ListEdits<Element, Key>) -> ListDiff<Element> {
        var diff = ListDiff<Element>()
        var leaving: [Int] = []
        var coming: [(key: Key, element: Element, old: (index: Int, element: Element)?)] = []
        var changed: [(index: Int, element: Element)] = []
        for id in edits.removed {
            guard let key = keysByID.removeValue(forKey: id) else { continue }
            let index = index(of: key)
            leaving.append(index)
            diff.deletions.append(.init(index: index, element: elements[index]))
        }
        for (id, (element, new)) in edits.saved {
            guard let old = keysByID.updateValue(new, forKey: id) else {
                coming.append((new, element, nil))
                continue
            }
            let index = index(of: old)
            if old == new {
                if elements[index] != element { changed.append((index, element)) }
            } else {
                leaving.append(index)
                coming.append((new, element, (index, elements[index])))
            }
        }
        for (index, element) in changed {
            diff.updates.append(
                .init(from: index, to: index, old: elements[index], element: element))
            elements[index] = element
        }
        leaving.sort()
        remove(leaving)
        coming.sort { precedes($0.key, $1.key) }
        let indices = insert(coming)
        for (index, new) in zip(indices, coming) {
            if let old = new.old {
                diff.moves.append(
                    .init(from: old.index, to: index, old: old.element, element: new.element))
            } else {
                diff.insertions.append(.init(index: index, element: new.element))
            }
        }
        diff.normalize(leaving: leaving, coming: indices)
        assert(
            zip(indices, coming).allSatisfy { keys[$0] == $1.key && isOrdered(at: $0) }
                && elements.count == keys.count && keysByID.count == keys.count,
            "The list is not sorted, or has two rows with one ID.")
        return diff
    }

    func edits(to other: OrderedList) -> ListEdits<Element, Key> {
        var edits = ListEdits<Element, Key>()
        for (element, key) in zip(other.elements, other.keys) {
            let isEqual = keysByID[element.rowID] == key && self[element.rowID] == element
            if !isEqual { edits.save(element, at: key) }
        }
        for element in elements where other.keysByID[element.rowID] == nil {
            edits.remove(element.rowID)
        }
        return edits
    }

    private mutating func remove(_ indices: [Int]) {
        for run in indices.runs.reversed() {
            elements.removeSubrange(run)
            keys.removeSubrange(run)
        }
    }

    private mutating func insert(
        _ new: [(key: Key, element: Element, old: (index: Int, element: Element)?)]
    ) -> [Int] {
        var groups: [(index: Int, range: Range<Int>)] = []
        for (offset, one) in new.enumerated() {
            let index = index(of: one.key)
            if let last = groups.last, last.index == index {
                groups[groups.count - 1].range = last.range.lowerBound..<offset + 1
            } else {
                groups.append((index, offset..<offset + 1))
            }
        }
        // Use closures, because resolving a key path of a generic type at run time takes 20 µs.
        for group in groups.reversed() {
            elements.insert(contentsOf: new[group.range].lazy.map { $0.element }, at: group.index)
            keys.insert(contentsOf: new[group.range].lazy.map { $0.key }, at: group.index)
        }
        return groups.flatMap { group in group.range.map { group.index + $0 } }
    }
}

struct ListEdits<Element: ListRow, Key: Comparable & Sendable>: Sendable {
    private(set) var saved: [Element.RowID: (element: Element, key: Key)] = [:]
    private(set) var removed: Set<Element.RowID> = []

    var isEmpty: Bool { saved.isEmpty && removed.isEmpty }

    mutating func save(_ element: Element, at key: Key) {
        saved[element.rowID] = (element, key)
        removed.remove(element.rowID)
    }

    mutating func remove(_ id: Element.RowID) {
        saved[id] = nil
        removed.insert(id)
    }

    func affects(_ id: Element.RowID) -> Bool { removed.contains(id) || saved[id] != nil }
}

struct ListDiff<Element: Hashable & Sendable> {
    struct Row {
        /// The index in the old list for a deletion, and in the new list for an insertion.
        let index: Int
        let element: Element
    }

    struct Changed {
        let from: Int
        var to: Int
        let old: Element
        let element: Element
    }

    fileprivate(set) var deletions: [Row] = []
    fileprivate(set) var insertions: [Row] = []
    fileprivate(set) var updates: [Changed] = []
    fileprivate(set) var moves: [Changed] = []

    var isEmpty: Bool { count == 0 }

    var count: Int { deletions.count + insertions.count + updates.count + moves.count }

    fileprivate mutating func normalize(leaving: [Int], coming: [Int]) {
        deletions.sort { $0.index < $1.index }
        insertions.sort { $0.index < $1.index }
        updates.sort { $0.from < $1.from }
        var passed = 0
        for index in updates.indices {
            let rank = ListDiff.rank(of: updates[index].from, without: leaving)
            while passed < coming.count, coming[passed] <= rank + passed { passed += 1 }
            updates[index].to = rank + passed
        }
        normalizeMoves(leaving: leaving, coming: coming)
    }

    /// Turns moves that keep an element's order relative to the other elements into updates.
    private mutating func normalizeMoves(leaving: [Int], coming: [Int]) {
        var moved: [Changed] = []
        var last = -1
        for move in moves.sorted(by: { $0.from < $1.from }) {
            let keepsRank =
                ListDiff.rank(of: move.from, without: leaving)
                == ListDiff.rank(of: move.to, without: coming)
            if keepsRank, last < move.to {
                if move.old != move.element { updates.append(move) }
                last = move.to
            } else {
                moved.append(move)
            }
        }
        if moved.count < moves.count { updates.sort { $0.from < $1.from } }
        moves = moved.sorted { $0.to < $1.to }
    }

    private static func rank(of index: Int, without others: [Int]) -> Int {
        index - others.partitioningIndex { $0 >= index }
    }
}

extension CollectionChange {
    /// Creates a change, or a reset if the diff contains more than ``resetThreshold`` rows.
    ///
    /// `elements` is the list after the change, and `before` the result of ``checked(_:)``.
    init(_ diff: ListDiff<Element>, in elements: [Element], from before: [Element]? = nil) {
        if diff.count > Self.resetThreshold {
            self.init(reset: elements, deletions: [], insertions: [], updates: [], moves: [])
            return
        }
        self.init(
            reset: nil, deletions: diff.deletions.map(\.index),
            insertions: diff.insertions.map { Insertion(index: $0.index, element: $0.element) },
            updates: diff.updates.map { Update(from: $0.from, to: $0.to, element: $0.element) },
            moves: diff.moves.map { Update(from: $0.from, to: $0.to, element: $0.element) })
        assert(
            before.map { applied(to: $0) == elements } ?? true,
            "Applying the change does not give the list.")
    }
}

extension Array {
    /// Returns the index of the first element that satisfies a condition; all later ones must
    /// satisfy it, too.
    func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension [Int] {
    fileprivate var runs: [Range<Int>] {
        var runs: [Range<Int>] = []
        for number in self {
            if let last = runs.last, last.upperBound == number {
                runs[runs.count - 1] = last.lowerBound..<number + 1
            } else {
                runs.append(number..<number + 1)
            }
        }
        return runs
    }
}
