import Models
import Sync

/// Translates the states of an engine into connection events.
struct ConnectionPhases: Hashable {
    private enum Phase { case off, beginning, on, reconnecting }

    private var phase = Phase.off

    /// Returns the event to report for a state of the engine, if any.
    ///
    /// `isWanted` is false if the app has ended the connection.
    mutating func record(_ state: SyncState, isWanted: Bool) -> ConnectionEvent? {
        let last = phase
        switch state.connection {
        case .connecting:
            if last == .off { phase = .beginning }
            if last == .on { phase = .reconnecting }
        case .waiting: phase = .reconnecting
        case .online: phase = .on
        case .offline, .revoked: phase = .off
        }
        guard last != phase else { return nil }
        switch phase {
        case .beginning: return nil
        case .reconnecting: return .reconnectionStarted
        case .on: return last == .reconnecting ? .reconnectionSucceeded : .connected
        case .off:
            if state.connection == .revoked { return .sessionRevoked }
            if last == .reconnecting {
                return isWanted ? .reconnectionFailed : .reconnectionCanceled
            }
            return last == .on ? .disconnected : nil
        }
    }
}
