import ScrollbackTesting
import Sync
import Testing

@testable import Models

/// Tests the suite's reports about subjects that lack something that the suite needs.
@Suite(.timeLimit(.minutes(10))) struct SubjectTests {
    @Test func subjectWithoutChannelsDoesNotPass() async {
        var subject = BareSubject()
        subject.backend = { TeamChatBackend(TeamChatSubject().server, waits: false) }
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "messages.order" }
        #expect(!report.isKept)
        #expect("\(report)".contains("makeChannel(named:for:)"))
    }

    @Test func subjectWithTwoUsersIsRejected() async {
        var subject = BareSubject()
        subject.users.removeLast()
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "connect.user" }
        #expect("\(report)".contains("fewer than three users"))
    }

    @Test func unreachableServerIsReportedOnce() async {
        var subject = BareSubject()
        subject.backend = { UnreachableBackend(base: TeamChatBackend(TeamChatSubject().server)) }
        let report = await BackendConformance.run(on: subject)
        #expect(!report.isKept)
        #expect(
            "\(report)" == """
                the run was stopped: no user could connect in the first 3 checks: \
                an unexpected error: notConnected: no route to the host
                    alice: connect(credentials: alice) → throws notConnected: no route to the host
                """)
    }

    @Test func noCheckRunsWithTwoUsers() async {
        var subject = BareSubject()
        subject.users.removeLast()
        let report = await BackendConformance.run(on: subject)
        #expect(!report.isKept)
        #expect("\(report)" == "the run was stopped: the subject names fewer than three users")
    }

    @Test func deadlineEndsACallThatIgnoresItsCancellation() async {
        let report = await BackendConformance.run(on: BareSubject()) {
            $0.promise.id == "connect.user"
        }
        #expect("\(report)".contains("the check did not end within 0.0 seconds"))
    }
}

/// A subject that has only users.
struct BareSubject: ConformanceSubject {
    var users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }
    var backend: @Sendable () -> any Backend = {
        StuckBackend(base: TeamChatBackend(TeamChatSubject().server, waits: false))
    }
    let requestIDs = RequestIDs()
    var deadline: Duration? { backend() is StuckBackend ? .zero : nil }

    func makeBackend(for user: Credentials) async throws -> any Backend { backend() }

    func makeRequestID() -> RequestID { requestIDs.next() }
}

/// A backend that never returns from `connect`, even if the call is canceled.
private struct StuckBackend: ForwardingBackend {
    let base: any Backend

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        throw BackendError(.canceled, "never")
    }
}

/// A backend whose server cannot be reached.
private struct UnreachableBackend: ForwardingBackend {
    let base: any Backend

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        throw BackendError(.notConnected, "no route to the host")
    }
}
