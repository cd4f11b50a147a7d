/// What a list is made of.
protocol ListRow: Hashable, Sendable {
    associatedtype RowID: Hashable, Sendable
    /// What a row keeps, whatever changes in it and wherever it moves.
    var rowID: RowID { get }
}

/// A list that keeps its elements in the order of their keys, takes over many edits at once, and says what
/// became of whose place.
struct OrderedList<Element: ListRow, Key: Comparable> {
    /// The elements, in order.
    private(set) var elements: [Element] = []
    /// Their keys; ascending, or descending in a reversed list.
    private(set) var keys: [Key] = []
    private var keysByID: [Element.RowID: Key] = [:]
    private let isReversed: Bool

    /// Creates an empty list.
    ///
    /// - Parameter isReversed: Whether the greatest key comes first.
    init(isReversed: Bool = false) { self.isReversed = isReversed }

    subscript(id: Element.RowID) -> Element? {
        keysByID[id].map { elements[index(of: $0)] }
    }

    /// The place of an element; `nil` if it is not in the list.
    func index(of id: Element.RowID) -> Int? { keysByID[id].map { index(of: $0) } }

    /// The elements from one key through another, in order.
    func elements(from first: Key, through last: Key) -> ArraySlice<Element> {
        let (first, last) = isReversed ? (last, first) : (first, last)
        let start = index(of: first)
        var end = index(of: last)
        if end < keys.count, keys[end] == last { end += 1 }
        return elements[start..<max(start, end)]
    }

    /// How many elements there are after some edits.
    func count(after edits: ListEdits<Element, Key>) -> Int {
        let gone = edits.removed.count { keysByID[$0] != nil }
        let new = edits.saved.keys.count { id in
            keysByID[id] == nil && edits.successors[id].map { keysByID[$0] == nil } ?? true
        }
        return elements.count + new - gone
    }

    /// The elements as they are after some edits, from one end on.
    ///
    /// - Parameters:
    ///   - edits: What is to be done.
    ///   - isBackward: Whether the last one comes first.
    /// - Returns: The elements, each made when it is asked for.
    /// - Complexity: O(*k* log *k*) in the edits, and O(1) for each element that is taken or gone.
    func elements(
        after edits: ListEdits<Element, Key>, isBackward: Bool
    ) -> AnyIterator<Element> {
        func comesFirst(_ left: Key, _ right: Key) -> Bool {
            isBackward ? precedes(right, left) : precedes(left, right)
        }
        var new = edits.saved.values.sorted { comesFirst($0.key, $1.key) }[...]
        let places =
            isBackward
            ? stride(from: elements.count - 1, through: 0, by: -1)
            : stride(from: 0, through: elements.count - 1, by: 1)
        var staying = places.lazy.filter { !edits.takesOut(elements[$0].rowID) }.makeIterator()
        var place = staying.next()
        return AnyIterator {
            if let index = place, new.first.map({ comesFirst(keys[index], $0.key) }) ?? true {
                place = staying.next()
                return elements[index]
            }
            return new.popFirst()?.element
        }
    }

    /// The place of the first key that is not before another one.
    private func index(of key: Key) -> Int { keys.insertionIndex(of: key, precedes: precedes) }

    private func precedes(_ left: Key, _ right: Key) -> Bool {
        isReversed ? right < left : left < right
    }

    /// Takes over edits.
    ///
    /// - Returns: What became of whose place.
    /// - Complexity: O(*k* log *n*) in the edits and the list, and moving what is behind them.
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
            let oldID = edits.successors[id].flatMap { keysByID[$0] == nil ? nil : $0 } ?? id
            assert(oldID == id || keysByID[id] == nil, "What is in the list was nothing else.")
            guard let old = keysByID.removeValue(forKey: oldID) else {
                coming.append((new, element, nil))
                keysByID[id] = new
                continue
            }
            keysByID[id] = new
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
        let places = insert(coming)
        for (place, new) in zip(places, coming) {
            if let old = new.old {
                diff.moves.append(
                    .init(from: old.index, to: place, old: old.element, element: new.element))
            } else {
                diff.insertions.append(.init(index: place, element: new.element))
            }
        }
        diff.settle(leaving: leaving, coming: places)
        return diff
    }

    /// Removes what is at some places, in ascending order.
    private mutating func remove(_ places: [Int]) {
        for run in places.runs.reversed() {
            elements.removeSubrange(run)
            keys.removeSubrange(run)
        }
    }

    /// Inserts elements, in the order of their keys.
    ///
    /// - Returns: The places where they are then.
    private mutating func insert(
        _ new: [(key: Key, element: Element, old: (index: Int, element: Element)?)]
    ) -> [Int] {
        var groups: [(place: Int, range: Range<Int>)] = []
        for (offset, one) in new.enumerated() {
            let place = index(of: one.key)
            if let last = groups.last, last.place == place {
                groups[groups.count - 1].range = last.range.lowerBound..<offset + 1
            } else {
                groups.append((place, offset..<offset + 1))
            }
        }
        // Closures: a key path of generic types is looked up at run time, which takes 20 µs.
        for group in groups.reversed() {
            elements.insert(contentsOf: new[group.range].lazy.map { $0.element }, at: group.place)
            keys.insert(contentsOf: new[group.range].lazy.map { $0.key }, at: group.place)
        }
        return groups.flatMap { group in group.range.map { group.place + $0 } }
    }
}

/// What is to be done to a list, each element once.
struct ListEdits<Element: ListRow, Key: Comparable> {
    /// The elements that are new or have changed, and where they belong; no two have the same key.
    private(set) var saved: [Element.RowID: (element: Element, key: Key)] = [:]
    /// The elements that are gone.
    private(set) var removed: Set<Element.RowID> = []
    /// The elements that were another one before, such as a message that was sent, and that one.
    private(set) var successors: [Element.RowID: Element.RowID] = [:]
    /// The same, the other way round.
    private var successorOf: [Element.RowID: Element.RowID] = [:]

    var isEmpty: Bool { saved.isEmpty && removed.isEmpty }

    /// Notes an element that is new or has changed.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - key: Where it belongs.
    ///   - old: What it was before, if that is in the list; then it is not there itself.
    mutating func save(
        _ element: Element, at key: Key, insteadOf old: Element.RowID? = nil
    ) {
        let id = element.rowID
        // What became another one is there again, beside that.
        if let next = successorOf[id] { unlink(next) }
        saved[id] = (element, key)
        removed.remove(id)
        guard let old, old != id else { return }
        if let next = successorOf[old], next != id { return }
        saved[old] = nil
        removed.remove(old)
        // What has become this one may have been yet another one before.
        let oldest = unlink(old) ?? old
        if let other = unlink(id), other != oldest { removed.insert(other) }
        successors[id] = oldest
        successorOf[oldest] = id
        if oldest != old { successorOf[old] = nil }
    }

    mutating func remove(_ id: Element.RowID) {
        // What became another one goes on as that.
        if successorOf[id] != nil { return }
        saved[id] = nil
        removed.insert(id)
        if let old = unlink(id) { removed.insert(old) }
    }

    /// Whether the element of an id leaves the place that it has in the list, if it is there.
    func takesOut(_ id: Element.RowID) -> Bool {
        removed.contains(id) || saved[id] != nil || successorOf[id] != nil
    }

    /// Makes something that was another one before a new one.
    @discardableResult
    private mutating func unlink(_ id: Element.RowID) -> Element.RowID? {
        guard let old = successors.removeValue(forKey: id) else { return nil }
        successorOf[old] = nil
        return old
    }
}

/// What edits did to a list.
struct ListDiff<Element: Hashable & Sendable> {
    struct Row {
        /// In the list before, of what is gone; in the list after, of what is new.
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

    /// Puts all into ascending order, and finds where it ends what stays.
    fileprivate mutating func settle(leaving: [Int], coming: [Int]) {
        deletions.sort { $0.index < $1.index }
        insertions.sort { $0.index < $1.index }
        updates.sort { $0.from < $1.from }
        var passed = 0
        for index in updates.indices {
            let rank = ListDiff.rank(of: updates[index].from, without: leaving)
            // What came before it pushed it on.
            while passed < coming.count, coming[passed] <= rank + passed { passed += 1 }
            updates[index].to = rank + passed
        }
        settleMoves(leaving: leaving, coming: coming)
    }

    /// Makes updates of moves that have only changed their key, and passed nobody.
    private mutating func settleMoves(leaving: [Int], coming: [Int]) {
        var moved: [Changed] = []
        var last = -1
        for move in moves.sorted(by: { $0.from < $1.from }) {
            let isStill =
                ListDiff.rank(of: move.from, without: leaving)
                == ListDiff.rank(of: move.to, without: coming)
            if isStill, last < move.to {
                if move.old != move.element { updates.append(move) }
                last = move.to
            } else {
                moved.append(move)
            }
        }
        if moved.count < moves.count { updates.sort { $0.from < $1.from } }
        moves = moved.sorted { $0.to < $1.to }
    }

    /// How many places there are before one, without some others.
    private static func rank(of place: Int, without others: [Int]) -> Int {
        place - others.insertionIndex(of: place, precedes: <)
    }
}

extension CollectionChange {
    /// The change that a diff is, or a reset where it is large.
    init(_ diff: ListDiff<Element>, in elements: [Element]) {
        if diff.count > Self.resetThreshold {
            self.init(reset: elements)
            return
        }
        self.init(
            reset: nil, deletions: diff.deletions.map(\.index),
            insertions: diff.insertions.map { Insertion(index: $0.index, element: $0.element) },
            updates: diff.updates.map { Update(from: $0.from, to: $0.to, element: $0.element) },
            moves: diff.moves.map { Update(from: $0.from, to: $0.to, element: $0.element) })
    }
}

extension Array {
    /// The place of the first element that does not come before another one, in a sorted array.
    fileprivate func insertionIndex(
        of element: Element, precedes: (Element, Element) -> Bool
    ) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if precedes(self[middle], element) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension [Int] {
    /// The stretches of numbers that follow each other, of an ascending array.
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
