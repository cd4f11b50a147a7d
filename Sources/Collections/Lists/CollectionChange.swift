/// What one change did to the list of a collection, by places, so that a list view can animate it.
///
/// Deletions, and where updates and moves come from, are places in the list before; insertions, and where
/// updates and moves end, in the list after. All are in ascending order. Folding it with
/// ``applied(to:)`` always gives the list after.
public struct CollectionChange<Element: Hashable & Sendable>: Hashable, Sendable {
    /// All elements, where so much changed that the whole list is better shown anew; else `nil`.
    ///
    /// All other properties are empty then.
    public let reset: [Element]?

    /// The places of the elements that are gone, in the list before.
    public let deletions: [Int]

    /// The new elements, with their places in the list after.
    public let insertions: [Insertion]

    /// The elements that changed, and stayed where they were among the others.
    public let updates: [Update]

    /// The elements that are somewhere else among the others; most of them have changed, too.
    public let moves: [Update]

    /// A new element.
    public struct Insertion: Hashable, Sendable {
        /// Its place in the list after.
        public let index: Int
        /// The element.
        public let element: Element
    }

    /// An element that was there before.
    public struct Update: Hashable, Sendable {
        /// Its place in the list before.
        public let from: Int
        /// Its place in the list after.
        public let to: Int
        /// The element as it is now.
        public let element: Element
    }

    /// Whether nothing changed.
    public var isEmpty: Bool {
        reset == nil && deletions.isEmpty && insertions.isEmpty && updates.isEmpty && moves.isEmpty
    }

    /// How many rows may change before the change is told as a reset.
    public static var resetThreshold: Int { 200 }

    /// Does to a list what was done to the collection's.
    ///
    /// - Parameter list: The list before.
    /// - Returns: The list after.
    /// - Precondition: The list is the one of before: no place is beyond its end.
    /// - Complexity: O(*n*) in the list.
    public func applied(to list: [Element]) -> [Element] {
        if let reset { return reset }
        let leaving = Set(deletions).union(moves.map(\.from))
        var changed: [Int: Element] = [:]
        for update in updates { changed[update.from] = update.element }
        var staying: [Element] = []
        for (index, element) in list.enumerated() where !leaving.contains(index) {
            staying.append(changed[index] ?? element)
        }
        var coming = insertions.map { ($0.index, $0.element) } + moves.map { ($0.to, $0.element) }
        coming.sort { $0.0 < $1.0 }
        var result: [Element] = []
        result.reserveCapacity(staying.count + coming.count)
        var next = 0
        for (index, element) in coming {
            let count = index - result.count
            result += staying[next..<next + count]
            next += count
            result.append(element)
        }
        return result + staying[next...]
    }
}

extension CollectionChange {
    /// The change that replaces a list by another one.
    init(reset elements: [Element]) {
        self.init(reset: elements, deletions: [], insertions: [], updates: [], moves: [])
    }
}

// MARK: Checks

extension CollectionChange {
    /// A list before a change, where it is checked that folding the change gives the one after it; else
    /// `nil`, which costs nothing.
    static func checked(_ list: @autoclosure () -> [Element]) -> [Element]? {
        var isChecked = false
        assert(
            {
                isChecked = true
                return true
            }())
        return isChecked ? list() : nil
    }

    /// Checks that folding the change into a list gives another one, where that is checked.
    func check(from before: [Element]?, to after: [Element]) {
        assert(
            before.map { applied(to: $0) == after } ?? true,
            "Folding the change does not give the list.")
    }
}
