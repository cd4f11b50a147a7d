import Models

final class FirstDamage: Sendable {
    private struct State {
        var error: StoreError?
        var observer: (@Sendable (StoreError) -> Void)?
    }

    private let state = Locked(State())

    var error: StoreError? { state.withLock { $0.error } }

    /// Calls a closure once: when damage is found, or immediately if it already was.
    func observe(_ observer: @escaping @Sendable (StoreError) -> Void) {
        let error = state.withLock { state in
            if state.error == nil { state.observer = observer }
            return state.error
        }
        if let error { observer(error) }
    }

    func record(_ error: StoreError) {
        guard error.code == .corruption else { return }
        let observer = state.withLock { state -> (@Sendable (StoreError) -> Void)? in
            if state.error == nil { state.error = error }
            defer { state.observer = nil }
            return state.observer
        }
        observer?(error)
    }
}
