import Testing

@testable import Collections
@testable import Models
@testable import Sync

@Suite struct ConnectionPhasesTests {
    /// Returns the events that result from a sequence of engine states.
    private func events(
        _ connections: [ConnectionState], wantedUntil end: Int = .max
    ) -> [ConnectionEvent] {
        var phases = ConnectionPhases()
        return connections.enumerated().compactMap { index, connection in
            var state = SyncState()
            state.connection = connection
            return phases.record(state, isWanted: index < end)
        }
    }

    @Test func canceledConnectionAttemptIsReported() {
        #expect(
            events([.connecting, .waiting, .offline]) == [
                .reconnectionStarted, .reconnectionFailed,
            ])
        #expect(
            events([.connecting, .waiting, .offline], wantedUntil: 2)
                == [.reconnectionStarted, .reconnectionCanceled])
    }

    @Test func revokedSessionIsReportedOnce() {
        #expect(
            events([.connecting, .online, .revoked, .revoked]) == [.connected, .sessionRevoked])
        #expect(events([.connecting, .revoked]) == [.sessionRevoked])
    }

    @Test func connectionThatWasNeverWantedIsNotReported() {
        #expect(events([.offline, .offline]) == [])
    }
}
