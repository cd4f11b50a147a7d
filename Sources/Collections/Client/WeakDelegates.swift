@MainActor
struct WeakDelegates<Delegate> {
    private struct Weak {
        weak var object: AnyObject?
    }

    private var named: [String: Weak] = [:]

    /// The delegates that have not been released, sorted by identifier.
    var all: [Delegate] { named.keys.sorted().compactMap { self[$0] } }

    var isEmpty: Bool { named.values.allSatisfy { $0.object == nil } }

    subscript(identifier: String) -> Delegate? {
        get { named[identifier]?.object as? Delegate }
        set { named[identifier] = newValue.map { Weak(object: $0 as AnyObject) } }
    }
}
