import Models
import Store
public import Sync

/// A bad network, or a moody server: what stands between a client and any backend.
///
/// What it does to which call is in its ``conditions``, which may change at any time, and in what is asked
/// of it by hand: the next calls to fail, cursors to expire, answers to hold back. All else is handed on.
///
/// ```swift
/// let network = ConditionedBackend(backend)
/// network.update { $0.failures.answerLost = 0.5 }
/// network.failNext(of: [.send], with: BackendError(.notConnected, "a tunnel"))
/// network.goOffline()
/// ```
///
/// Nothing in it waits by itself, and chance comes from the seed in the conditions, so a test that makes the
/// same calls sees the same in every run. Where calls of one kind and channel are made at once, by several
/// tasks, it is the system that decides which of them is the first.
///
/// One stands before one client. It keeps nothing that a client has to find again: the cursors it hands out
/// are understood by another one over the same backend.
public final class ConditionedBackend: ForwardingBackend {
    /// The backend that does what is asked.
    public let base: any Backend

    let state: Locked<NetworkState>
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Puts a network before a backend.
    ///
    /// - Parameters:
    ///   - base: The backend that does what is asked.
    ///   - conditions: What the network is like, to begin with.
    ///   - sleep: Waits for as long as a call takes, and throws if its task is canceled. The default does
    ///     not wait at all; `{ try await Task.sleep(for: $0) }` does.
    public init(
        _ base: any Backend, conditions: NetworkConditions = .perfect,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) {
        self.base = base
        self.state = Locked(NetworkState(conditions))
        self.sleep = sleep
    }
}

// MARK: The way of a call

extension ConditionedBackend {
    /// Takes a call to the server and its answer back.
    func perform<Answer: Sendable>(
        _ call: BackendCall, _ subject: String,
        _ body: (Passage) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        let passage = state.withLock { $0.begin(call, subject) }
        do throws(BackendError) {
            let answer = try await pass(passage, body)
            note(passage, "answered")
            return answer
        } catch {
            note(passage, "\(error.code)")
            throw error
        }
    }

    /// Makes a call whose subject is a channel.
    func perform<Answer: Sendable>(
        _ call: BackendCall, in channelURL: ChannelURL,
        _ body: (Passage) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        try await perform(call, channelURL.rawValue, body)
    }

    private func pass<Answer: Sendable>(
        _ passage: Passage, _ body: (Passage) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        guard passage.isOnline else { throw .offline(passage) }
        try await travel(passage.fate.requestDelay, passage)
        try await hold(passage, .beforeEffect)
        guard !isCutOff(passage) else { throw .offline(passage) }

        var result: Result<Answer, BackendError>
        let failure = passage.fate.failure
        if let failure, failure.point == .beforeEffect {
            note(passage, "fails before its effect")
            result = .failure(failure.error)
        } else {
            do throws(BackendError) {
                result = .success(try await body(passage))
            } catch {
                result = .failure(error)
            }
            if let failure {
                note(passage, "fails after its effect")
                result = .failure(failure.error)
            }
        }

        try await travel(passage.fate.answerDelay, passage)
        try await hold(passage, .afterEffect)
        guard !isCutOff(passage) else { throw .cutOff(passage) }
        return try result.get()
    }

    private func travel(
        _ duration: Duration, _ passage: Passage
    ) async throws(BackendError) {
        guard duration > .zero else { return }
        do {
            try await sleep(duration)
        } catch {
            // A feed is canceled from here, too, when the network goes.
            throw isCutOff(passage)
                ? .cutOff(passage) : BackendError(.canceled, "\(passage.call): \(error)")
        }
    }

    private func isCutOff(_ passage: Passage) -> Bool {
        state.withLock { $0.losses != passage.losses }
    }

    func note(_ passage: Passage, _ what: String) {
        let subject = passage.subject.isEmpty ? "" : " \(passage.subject)"
        state.withLock { $0.note("\(passage.number) \(passage.call)\(subject): \(what)") }
    }

    private func hold(_ passage: Passage, _ point: CallPoint) async throws(BackendError) {
        switch await waitWhileHeld(passage, point) {
        case .released: return
        case .canceled where !isCutOff(passage):
            throw BackendError(.canceled, "\(passage.call): its task was canceled")
        case .canceled, .dropped:
            throw point == .beforeEffect ? .offline(passage) : .cutOff(passage)
        }
    }
}

extension BackendError {
    /// The request never left.
    fileprivate static func offline(_ passage: Passage) -> BackendError {
        BackendError(.notConnected, "\(passage.call): there is no network")
    }

    /// The answer never came; of a feed, which has no effect, one knows that nothing was done.
    fileprivate static func cutOff(_ passage: Passage) -> BackendError {
        passage.call == .feed
            ? offline(passage)
            : BackendError(.unanswered, "\(passage.call): the network went before the answer came")
    }
}
