import Models
import Sync

extension SyncEngine {
    /// The first state of the engine, from now on, in which it is not connecting.
    var stateAfterConnecting: SyncState {
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
