import Models
import Testing

@testable import Collections
@testable import Sync

/// The connection events that follow from the engine's states.
@Suite struct ConnectionReportTests {
    /// Returns the events of an engine that passes through some states.
    private func events(
        _ connections: [SyncState.Connection], wantedUntil end: Int = .max
    ) -> [ConnectionReport.Event] {
        var report = ConnectionReport()
        return connections.enumerated().compactMap { index, connection in
            var state = SyncState()
            state.user = User.bob
            state.connection = connection
            return report.record(state, isWanted: index < end)
        }
    }

    @Test func connectAndDisconnectAreReported() {
        #expect(
            events([.offline, .connecting, .online, .online, .offline], wantedUntil: 4)
                == [.connected("bob"), .disconnected("bob")])
    }

    @Test func lostConnectionIsRestored() {
        #expect(
            events([.connecting, .online, .waiting, .connecting, .waiting, .connecting, .online])
                == [.connected("bob"), .startedReconnection, .succeededReconnection])
    }

    @Test func canceledConnectionAttemptIsReported() {
        #expect(
            events([.connecting, .waiting, .offline]) == [
                .startedReconnection, .failedReconnection,
            ])
        #expect(
            events([.connecting, .waiting, .offline], wantedUntil: 2)
                == [.startedReconnection, .canceledReconnection])
    }

    @Test func revokedSessionIsReportedOnce() {
        #expect(
            events([.connecting, .online, .revoked, .revoked]) == [.connected("bob"), .revoked])
        #expect(events([.connecting, .revoked]) == [.revoked])
    }

    @Test func aConnectionThatWasNeverWantedIsNoNews() {
        #expect(events([.offline, .offline]) == [])
    }
}

extension User {
    fileprivate static var bob: User {
        var user = User()
        user.userID = "bob"
        return user
    }
}
