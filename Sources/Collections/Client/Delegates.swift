/// Delegates by their names, none of which is held.
@MainActor
struct Delegates<Delegate> {
    private struct Weak {
        weak var object: AnyObject?
    }

    private var named: [String: Weak] = [:]

    /// Those that are there, in the order of their names.
    var all: [Delegate] { named.keys.sorted().compactMap { self[$0] } }

    var isEmpty: Bool { named.values.allSatisfy { $0.object == nil } }

    subscript(identifier: String) -> Delegate? {
        get { named[identifier]?.object as? Delegate }
        set { named[identifier] = newValue.map { Weak(object: $0 as AnyObject) } }
    }
}
