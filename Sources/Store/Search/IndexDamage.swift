import Models

/// Damage that searches have found in the rows of the search index, shared by all commits.
final class IndexDamage: Sendable {
    private struct State {
        /// The damage to the current index; `nil` after it was removed.
        var found: StoreError?
        /// The last damage that was found.
        var last: StoreError?
        /// The number of the first commit with the current index.
        var firstCommit = 0
        /// The closure that is called when damage to the current index is found.
        var observer: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    init() {}

    /// Returns a Boolean value that indicates whether a search in a commit may use the index.
    func isTrusted(by commit: Int) -> Bool {
        state.withLock { $0.found == nil && commit >= $0.firstCommit }
    }

    /// Records damage that a search in a commit has found.
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

    /// Sets the closure that is called when damage to the current index is found, on the thread that
    /// finds it.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// The damage because of which the index is to be removed.
    var found: StoreError? { state.withLock { $0.found } }

    /// The last damage that was found, also if the index was removed since.
    var last: StoreError? { state.withLock { $0.last } }

    /// Records that the index was removed; commits from a number on contain a new one.
    func removed(from commit: Int) {
        state.withLock { state in
            state.found = nil
            state.firstCommit = commit
        }
    }
}
