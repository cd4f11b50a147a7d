import Models
import ScrollbackTesting
import Testing

@testable import Sync

/// Tests the decisions to connect, to stay connected and to reconnect.
///
/// The tests make no connection.
@Suite struct ConnectorTests {
    let bob = Credentials("bob")
    let offline = BackendError(.notConnected, "offline")
    let expired = BackendError(.sessionExpired, "expired")
    let revoked = BackendError(.sessionRevoked, "revoked")

    @Test func lostConnectionIsRetriedImmediatelyOnce() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        connector.succeed()
        #expect(connector.fail(offline) == .connect(bob))
        connector.succeed()
        #expect(
            connector.fail(offline) == .wait(attempt: 2),
            "a connection that leads nowhere is made again and again")
    }

    @Test func progressOfTheFeedResetsTheBackoff() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        for _ in 0..<5 {
            connector.succeed()
            connector.recordProgress()
            #expect(connector.fail(offline) == .connect(bob))
        }
    }

    @Test func revokedUserIsNotReconnected() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        #expect(connector.fail(revoked) == .nothing)
        #expect(connector.phase == .revoked)
        #expect(connector.retry() == .nothing)
        #expect(connector.retryNow() == .nothing)
        #expect(connector.fail(offline) == .nothing)
    }

    @Test func secondSessionRenewalWaits() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        connector.succeed()
        connector.recordProgress()
        #expect(connector.fail(expired) == .renew)
        let renewed = Credentials("bob", accessToken: "new")
        #expect(connector.renew(renewed) == .connect(renewed))
        #expect(connector.fail(expired) == .wait(attempt: 2))
        #expect(connector.retry() == .connect(renewed))
        #expect(connector.fail(expired) == .renew)
        _ = connector.renew(bob)
        #expect(connector.fail(expired) == .wait(attempt: 3))
    }

    @Test func credentialsOfAnotherUserDoNotRenewTheSession() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        _ = connector.fail(expired)
        #expect(connector.renew(Credentials("carol")) == .disconnect)
        #expect(connector.phase == .off)
    }

    @Test func connectorThatIsOffDoesNotConnect() {
        var connector = Connector()
        _ = connector.begin(as: bob)
        _ = connector.fail(offline)
        connector.end()
        #expect(connector.retry() == .nothing)
        #expect(connector.retryNow() == .nothing)
        #expect(connector.renew(bob) == .nothing)
        #expect(connector.phase == .off && connector.credentials == nil)
    }

    @Test(arguments: [BackendError.Code.refused, .notFound, .unsupported])
    func attemptWithAFinalErrorIsNotRepeated(_ code: BackendError.Code) {
        var connector = Connector()
        _ = connector.begin(as: bob)
        #expect(connector.fail(BackendError(code, "no")) == .nothing)
        #expect(connector.phase == .off)
        guard case .connect = connector.begin(as: bob) else {
            Issue.record("the app can connect again")
            return
        }
    }

    /// Tests invariants under random events: no generation is reused, a connecting engine has
    /// credentials, and attempts are counted from 1.
    @Test(arguments: 0..<200) func stateIsConsistentAfterAnySequenceOfEvents(seed: Int) {
        var random = SeededRandom(seed: seed)
        var connector = Connector()
        var generations: Set<Int> = []
        for _ in 0..<100 {
            let step: Connector.Step
            switch random.number(below: 9) {
            case 0: step = connector.begin(as: bob)
            case 1:
                connector.end()
                step = .nothing
            case 2, 3:
                if case .connecting = connector.phase { connector.succeed() }
                step = .nothing
            case 4: step = connector.fail(offline)
            case 5: step = connector.fail(random.oneIn(5) ? revoked : expired)
            case 6: step = connector.retry()
            case 7: step = connector.retryNow()
            default: step = connector.renew(random.oneIn(3) ? nil : bob)
            }
            switch step {
            case .connect:
                #expect(generations.insert(connector.generation).inserted)
                guard case .connecting(let attempt) = connector.phase else {
                    Issue.record("connecting, it is \(connector.phase)")
                    return
                }
                #expect(attempt >= 1)
                #expect(connector.credentials != nil)
            case .wait(let attempt):
                #expect(connector.phase == .waiting(attempt: attempt))
                #expect(attempt >= 1)
            case .renew:
                guard case .renewing = connector.phase else {
                    Issue.record("renewing, it is \(connector.phase)")
                    return
                }
            case .disconnect: #expect(connector.phase == .off)
            case .nothing: break
            }
        }
    }
}
