import Sync

extension SyncEvent {
    /// Whether the event reports that the engine is live.
    var isLive: Bool {
        if case .state(let state) = self { state.isLive } else { false }
    }
}
