import Models
import Sync

/// Translates the states of an engine into notifications of the connection delegate.
struct ConnectionReport: Hashable {
    enum Event: Hashable {
        case connected(UserID)
        case startedReconnection
        case succeededReconnection
        case failedReconnection
        case canceledReconnection
        case disconnected(UserID)
        case revoked
    }

    private enum Phase { case off, beginning, on, reconnecting }

    private var phase = Phase.off
    private var userID: UserID?

    /// Receives a state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - isWanted: A Boolean value that indicates whether the app wants a connection; if not, it
    ///     has ended the connection.
    /// - Returns: The event to report; `nil` if there is none.
    mutating func record(_ state: SyncState, isWanted: Bool) -> Event? {
        let last = phase
        userID = state.user?.userID ?? userID
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
        case .reconnecting: return .startedReconnection
        case .on:
            return last == .reconnecting
                ? .succeededReconnection : userID.map { .connected($0) }
        case .off:
            if state.connection == .revoked { return .revoked }
            if last == .reconnecting {
                return isWanted ? .failedReconnection : .canceledReconnection
            }
            return last == .on ? userID.map { .disconnected($0) } : nil
        }
    }
}

extension ConnectionReport.Event {
    /// Notifies a delegate of the event.
    @MainActor
    func notify(_ delegate: any ConnectionDelegate) {
        switch self {
        case .connected(let userID): delegate.didConnect(userID: userID)
        case .startedReconnection: delegate.didStartReconnection()
        case .succeededReconnection: delegate.didSucceedReconnection()
        case .failedReconnection: delegate.didFailReconnection()
        case .canceledReconnection: delegate.didCancelReconnection()
        case .disconnected(let userID): delegate.didDisconnect(userID: userID)
        case .revoked: delegate.sessionWasClosed()
        }
    }
}
