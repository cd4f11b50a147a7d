import Sync

extension SyncEngine {
    /// The state as soon as no connection attempt is in progress: connected or not connected.
    var settledState: SyncState {
        get async {
            var last = state
            for await event in events() {
                guard case .state(let state) = event else { continue }
                last = state
                if state.connection != .connecting { return state }
            }
            return last
        }
    }
}
