import Models

/// The first damage that reading a database has found, for whoever reports it.
final class FirstDamage: Sendable {
    private struct State {
        var error: StoreError?
        var observer: (@Sendable (StoreError) -> Void)?
    }

    private let state = Locked(State())

    /// The error; `nil` if no damage was found.
    var error: StoreError? { state.withLock { $0.error } }

    /// Calls a closure once: now, or when damage is found.
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
