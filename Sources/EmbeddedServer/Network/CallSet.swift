public import Sync

/// A set of kinds of calls, given by their names or by their effect.
public struct CallSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private enum Kind { case none, reads, writes, all }

    private let kind: Kind
    private var names: Set<CallName> = []
    private var excluded: Set<CallName> = []

    private init(_ kind: Kind) { self.kind = kind }

    /// Creates a set of the calls with some names.
    public init(_ names: some Sequence<CallName>) {
        kind = .none
        self.names = Set(names)
    }

    /// Creates a set of the calls with some names.
    public init(arrayLiteral names: CallName...) { self.init(names) }

    /// All calls.
    public static let all = CallSet(.all)

    /// The calls without an effect on the server, which can be repeated.
    public static let reads = CallSet(.reads).subtracting([.connect])

    /// The calls that may change data on the server, except `connect`.
    public static let writes = CallSet(.writes)

    /// Returns the calls of this set except those with some names.
    public func subtracting(_ names: Set<CallName>) -> CallSet {
        var rest = self
        rest.names.subtract(names)
        rest.excluded.formUnion(names)
        return rest
    }

    /// Returns whether the set contains the calls of a type.
    public func contains(_ type: any BackendCall.Type) -> Bool { contains(type.declaration) }

    func contains(_ call: CallDeclaration) -> Bool {
        if names.contains(call.name) { return true }
        guard !excluded.contains(call.name) else { return false }
        return switch kind {
        case .none: false
        case .reads: !call.changesServer
        case .writes: call.changesServer
        case .all: true
        }
    }
}
