/// A change of a collection's list, given as indices, so that a list view can animate it.
///
/// Deletions and the origins of updates and moves are indices in the old list; insertions and the
/// destinations of updates and moves are indices in the new list. All are in ascending order.
/// ``applied(to:)`` always returns the new list.
public struct CollectionChange<Element: Hashable & Sendable>: Hashable, Sendable {
    /// All elements, if so much has changed that a list view should reload; otherwise `nil`.
    ///
    /// If it is not `nil`, all other properties are empty.
    public let reset: [Element]?

    /// The indices of the deleted elements in the old list.
    public let deletions: [Int]

    /// The new elements, with their indices in the new list.
    public let insertions: [Insertion]

    /// The elements that have changed, and have kept their order relative to the others.
    public let updates: [Update]

    /// The elements whose order relative to the others has changed.
    ///
    /// Most of them have other changes, too.
    public let moves: [Update]

    /// A new element.
    public struct Insertion: Hashable, Sendable {
        /// The index in the new list.
        public let index: Int
        /// The element.
        public let element: Element
    }

    /// An element that has changed or moved.
    public struct Update: Hashable, Sendable {
        /// The index in the old list.
        public let from: Int
        /// The index in the new list.
        public let to: Int
        /// The current value of the element.
        public let element: Element
    }

    /// A Boolean value that indicates whether nothing has changed.
    public var isEmpty: Bool {
        reset == nil && deletions.isEmpty && insertions.isEmpty && updates.isEmpty && moves.isEmpty
    }

    /// The number of changed rows above which a change is reported as a reset.
    public static var resetThreshold: Int { 200 }

    /// Returns the result of applying the change to a list.
    ///
    /// - Parameter list: The old list.
    /// - Returns: The new list.
    /// - Precondition: The list is the one before the change: all indices are valid.
    /// - Complexity: O(*n*) in the length of the list.
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
    /// Creates a change that replaces the whole list.
    init(reset elements: [Element]) {
        self.init(reset: elements, deletions: [], insertions: [], updates: [], moves: [])
    }
}

// MARK: Checks

extension CollectionChange {
    /// Returns the list as it was before a change, in builds that verify changes.
    ///
    /// Other builds return `nil` without evaluating the argument.
    static func checked(_ list: @autoclosure () -> [Element]) -> [Element]? {
        var isChecked = false
        assert(
            {
                isChecked = true
                return true
            }())
        return isChecked ? list() : nil
    }

    /// Verifies that applying the change to one list gives the other, in builds that verify
    /// changes.
    func check(from before: [Element]?, to after: [Element]) {
        assert(
            before.map { applied(to: $0) == after } ?? true,
            "Folding the change does not give the list.")
    }
}
