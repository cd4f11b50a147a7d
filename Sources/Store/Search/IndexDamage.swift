import Models

/// The damage that searches have found in the search index.
///
/// All committed states share this object.
final class IndexDamage: Sendable {
    private struct State {
        var found: StoreError?
        var last: StoreError?
        /// The number of the first commit with the current index.
        var firstCommit = 0
        var observer: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    init() {}

    /// Returns a Boolean value that indicates whether a search in a commit may use the index.
    func isTrusted(by commit: Int) -> Bool {
        state.withLock { $0.found == nil && commit >= $0.firstCommit }
    }

    /// Records damage that a search in a commit has found, unless the commit has an earlier index
    /// that has been removed in the meantime.
    func record(_ error: StoreError, in commit: Int) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard commit >= state.firstCommit else { return nil }
            let isFirst = state.found == nil
            state.found = state.found ?? error
            state.last = error
            return isFirst ? state.observer : nil
        }
        observer?()
    }

    /// Sets the closure that is called when damage to the current index is first found, on the
    /// thread that finds the damage.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// The first damage found in the current index; `nil` if none was found.
    ///
    /// If there is damage, the next write removes the index.
    var found: StoreError? { state.withLock { $0.found } }

    /// The latest damage, even if the damaged index was removed since.
    var last: StoreError? { state.withLock { $0.last } }

    /// Records that commits from this number on contain a new index.
    func removed(from commit: Int) {
        state.withLock { state in
            state.found = nil
            state.firstCommit = commit
        }
    }
}
