/// The difference between a collection's list before and after a change, as indices that a list
/// view can animate.
///
/// Deletions and `from` indices refer to the old list; insertions and `to` indices to the new one.
/// All arrays are in ascending order, ``moves`` by their `to` indices. Applying all changes of a
/// stream in order to a copy of the list keeps the copy equal.
public struct CollectionChange<Element: Hashable & Sendable>: Hashable, Sendable {
    /// All elements of the new list if a list view should reload; otherwise `nil`.
    ///
    /// If it is not `nil`, all other properties are empty.
    public let reset: [Element]?

    /// The indices of the deleted elements.
    public let deletions: [Int]

    /// The new elements and their indices.
    public let insertions: [Insertion]

    /// The changed elements that have kept their order relative to the others.
    public let updates: [Update]

    /// The elements whose order relative to the others has changed, and mostly their value, too.
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
        /// The current value.
        public let element: Element
    }

    /// A Boolean value that indicates whether nothing has changed.
    public var isEmpty: Bool {
        reset == nil && deletions.isEmpty && insertions.isEmpty && updates.isEmpty && moves.isEmpty
    }

    /// The number of changed elements above which a change is a ``reset``.
    package static var resetThreshold: Int { 200 }

    /// Returns the list after the change.
    ///
    /// - Precondition: `list` is the list before the change.
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

// MARK: Checks

extension CollectionChange {
    /// The maximum number of rows of a list whose changes are verified: verifying longer ones would
    /// make loading page after page quadratic.
    static var longestChecked: Int { 2_000 }

    /// Returns the list before a change, to verify the change; `nil` if the list is long, or if
    /// this build does not verify changes.
    static func checked(_ list: @autoclosure () -> [Element]) -> [Element]? {
        var isChecked = false
        assert(
            {
                isChecked = true
                return true
            }())
        guard isChecked else { return nil }
        let list = list()
        return list.count <= longestChecked ? list : nil
    }
}
