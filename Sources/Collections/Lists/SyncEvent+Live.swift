import Sync

extension SyncEvent {
    var isLive: Bool {
        if case .state(let state) = self { state.isLive } else { false }
    }
}
