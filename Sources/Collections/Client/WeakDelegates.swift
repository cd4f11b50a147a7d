/// Unretained delegates in the order of registration.
@MainActor
struct WeakDelegates<Delegate> {
    private struct Entry {
        let identifier: String?
        weak var object: AnyObject?
    }

    private var entries: [Entry] = []

    var all: [Delegate] { entries.compactMap { $0.object as? Delegate } }

    var isEmpty: Bool { entries.allSatisfy { $0.object == nil } }

    /// Adds a delegate, and removes one with the same identity or identifier.
    mutating func add(_ delegate: Delegate, _ identifier: String?) {
        let object = delegate as AnyObject
        entries.removeAll {
            $0.object == nil || $0.object === object
                || (identifier != nil && $0.identifier == identifier)
        }
        entries.append(Entry(identifier: identifier, object: object))
    }

    mutating func remove(_ delegate: Delegate) {
        entries.removeAll { $0.object === delegate as AnyObject }
    }

    mutating func remove(_ identifier: String) {
        entries.removeAll { $0.identifier == identifier }
    }
}
