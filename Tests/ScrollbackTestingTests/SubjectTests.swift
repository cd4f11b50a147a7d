import ScrollbackTesting
import Sync
import Testing

@testable import Models

/// Tests the suite's reports about subjects that lack something that the suite needs.
@Suite(.timeLimit(.minutes(10))) struct SubjectTests {
    @Test func subjectWithoutChannelsDoesNotPass() async {
        let report = await BackendConformance.run(on: BareSubject()) {
            $0.promise.id == "messages.order"
        }
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
        var subject = BareSubject()
        subject.deadline = .zero
        let waits = EndlessWaits()
        subject.backend = { StuckBackend(base: TeamChatBackend(TeamChatSubject().server), waits) }
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "connect.user" }
        #expect("\(report)".contains("the check did not end within 0.0 seconds"))
        waits.end()
    }
}

/// A subject that has only users.
struct BareSubject: ConformanceSubject {
    var users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }
    var backend: @Sendable () -> any Backend = {
        TeamChatBackend(TeamChatSubject().server, waits: false)
    }
    let requestIDs = RequestIDs()
    var deadline: Duration?

    func makeBackend(for user: Credentials) async throws -> any Backend { backend() }

    func makeRequestID() -> RequestID { requestIDs.next() }
}

/// A backend that does not return from `connect`, even if the call is canceled.
private struct StuckBackend: ForwardingBackend {
    let base: any Backend
    let waits: EndlessWaits

    init(base: any Backend, _ waits: EndlessWaits) { (self.base, self.waits) = (base, waits) }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        await waits.wait()
        throw BackendError(.canceled, "never")
    }
}

/// Waits that ignore cancellation.
private final class EndlessWaits: Sendable {
    /// `nil` after `end()`.
    private let waits = Locked<[CheckedContinuation<Void, Never>]?>([])

    func wait() async {
        await withCheckedContinuation { continuation in
            waits.withLock { waits in
                if waits == nil { continuation.resume() } else { waits?.append(continuation) }
            }
        }
    }

    /// Without it, the abandoned tasks would be reported as leaks.
    func end() {
        let waiting = waits.withLock { waits in
            defer { waits = nil }
            return waits ?? []
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A backend whose server cannot be reached.
private struct UnreachableBackend: ForwardingBackend {
    let base: any Backend

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        throw BackendError(.notConnected, "no route to the host")
    }
}
