public import Models
import Store
public import Sync

/// A simulation of a bad network or an unusual server, between a client and a backend.
///
/// ```swift
/// let network = ConditionedBackend(backend)
/// network.update { $0.failures.answerLost = 0.5 }
/// network.failNext(of: [.send], with: BackendError(.notConnected, "there is no network"))
/// network.goOffline()
/// ```
///
/// The ``conditions`` may change at any time. Methods make the next calls fail, expire cursors, and
/// hold calls.
///
/// Use one instance for each client. Cursors stay valid in another instance for the same backend.
public final class ConditionedBackend: ForwardingBackend {
    /// The backend that executes the calls.
    public let base: any Backend

    let state: Locked<NetworkState>
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a simulated network in front of a backend.
    ///
    /// `sleep` waits for the latency of a call. The default does not wait; pass
    /// `{ try await Task.sleep(for: $0) }` to wait.
    public init(
        _ base: any Backend, conditions: NetworkConditions = .perfect,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) {
        self.base = base
        self.state = Locked(NetworkState(conditions))
        self.sleep = sleep
    }
}

// MARK: Performing a call

extension ConditionedBackend {
    /// Makes a call of ``base``, which the conditions may delay or make fail.
    public func forward<Call: BackendCall>(
        _ call: Call
    ) async throws(BackendError) -> Call.Answer {
        try await perform(call) { passage throws(BackendError) in
            guard let list = call as? any PageOfList else { return try await call.make(on: base) }
            guard let page = try await page(of: list, passage) as? Call.Answer else {
                preconditionFailure("The answer to \(Call.name) has another type.")
            }
            return page
        }
    }

    /// Ends the feed calls and held calls, and disconnects ``base``.
    public func disconnect() async {
        state.withLock {
            $0.appendToLog("disconnect")
            return $0.loseConnection()
        }.cancel()
        await base.disconnect()
    }

    func perform<Call: BackendCall>(
        _ call: Call, _ body: (Passage) async throws(BackendError) -> Call.Answer
    ) async throws(BackendError) -> Call.Answer {
        let passage = state.withLock { $0.begin(Call.declaration, call.subject) }
        defer { state.withLock { $0.calls[passage.number] = nil } }
        do throws(BackendError) {
            let answer = try await pass(passage, body)
            log(passage, "answered")
            return answer
        } catch {
            log(passage, "\(error.code)")
            throw error
        }
    }

    private func pass<Answer: Sendable>(
        _ passage: Passage, _ body: (Passage) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        guard passage.isOnline else { throw .offline(passage) }
        try await travel(passage.outcome.requestDelay, passage)
        try await hold(passage, .beforeEffect)
        guard !isCutOff(passage) else { throw .offline(passage) }

        var result: Result<Answer, BackendError>
        let failure = passage.outcome.failure
        if let failure, failure.point == .beforeEffect {
            log(passage, "fails before its effect")
            result = .failure(failure.error)
        } else {
            do throws(BackendError) {
                result = .success(try await body(passage))
            } catch {
                result = .failure(error)
            }
            if let failure {
                log(passage, "fails after its effect")
                result = .failure(failure.error)
            }
        }

        try await travel(passage.outcome.answerDelay, passage)
        try await hold(passage, .afterEffect)
        guard !isCutOff(passage) else { throw .cutOff(passage) }
        return try result.get()
    }

    private func travel(
        _ duration: Duration, _ passage: Passage
    ) async throws(BackendError) {
        guard duration > .zero else { return }
        state.withLock { $0.calls[passage.number]?.isDelayed = true }
        defer { state.withLock { $0.calls[passage.number]?.isDelayed = false } }
        do {
            try await sleep(duration)
        } catch {
            throw isCutOff(passage)
                ? .cutOff(passage) : BackendError(.canceled, "\(passage.call.name): \(error)")
        }
    }

    private func isCutOff(_ passage: Passage) -> Bool {
        state.withLock { $0.losses != passage.losses }
    }

    func log(_ passage: Passage, _ what: String) {
        let subject = passage.subject.isEmpty ? "" : " \(passage.subject)"
        state.withLock {
            $0.appendToLog("\(passage.number) \(passage.call.name)\(subject): \(what)")
        }
    }

    private func hold(_ passage: Passage, _ point: CallPoint) async throws(BackendError) {
        switch await waitWhileHeld(passage, point) {
        case .released: return
        case .canceled where !isCutOff(passage):
            throw BackendError(.canceled, "\(passage.call.name): its task was canceled")
        case .canceled, .dropped:
            throw point == .beforeEffect ? .offline(passage) : .cutOff(passage)
        }
    }
}

extension BackendError {
    fileprivate static func offline(_ passage: Passage) -> BackendError {
        BackendError(.notConnected, "\(passage.call.name): there is no network")
    }

    fileprivate static func cutOff(_ passage: Passage) -> BackendError {
        passage.call.name == .feed
            ? offline(passage)
            : BackendError(
                .unanswered,
                "\(passage.call.name): the connection was lost before the response arrived")
    }
}
