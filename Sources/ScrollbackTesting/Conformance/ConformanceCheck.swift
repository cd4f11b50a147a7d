public import Models
import Store
public import Sync

/// A check of one promise of a backend.
///
/// Checks create their data, so they can run alone and in any order:
///
/// ```swift
/// @Test(arguments: BackendConformance.checks)
/// func theBackendKeepsItsPromises(check: ConformanceCheck) async {
///     let result = await check.run(on: subject)
///     #expect(!result.isFailed, "\(result)")
/// }
/// ```
public struct ConformanceCheck: Sendable, Identifiable, CustomStringConvertible {
    /// The promise that the check verifies.
    public let promise: BackendPromise

    /// A description of the check in one sentence.
    public let summary: String

    /// The capabilities that the check needs.
    public let capabilities: BackendCapabilities

    /// The hooks that the check needs.
    public let hooks: Set<ConformanceHook>

    let body: @Sendable (Scene) async throws -> Void

    init(
        _ promiseID: String, _ summary: String, needs capabilities: BackendCapabilities = [],
        hooks: Set<ConformanceHook> = [], body: @escaping @Sendable (Scene) async throws -> Void
    ) {
        promise = .named(promiseID)
        self.summary = summary
        self.capabilities = capabilities
        self.hooks = hooks
        self.body = body
    }

    /// `false` if the check concerns only the effects of calls that change messages.
    var isOfWriting: Bool {
        promise.id.hasPrefix("send.") || promise.id.hasPrefix("update.")
            || ["delete.owner", "delete.twice", "feed.sender"].contains(promise.id)
    }

    var isOfChangelogs: Bool {
        promise.id.hasPrefix("messageChanges.") || promise.id.hasPrefix("channelChanges.")
    }

    /// The ID of the promise and the summary.
    public var id: String { "\(promise.id): \(summary)" }

    /// The same text as `id`.
    public var description: String { id }
}

// MARK: Running

extension ConformanceCheck {
    /// Checks whether a backend fulfills the promise.
    public func run(on subject: some ConformanceSubject) async -> ConformanceResult {
        switch await subject.checkedUsers(for: self) {
        case .success(let users): await result(on: subject, users).result
        case .failure(let lack):
            ConformanceResult(
                check: self, promise: promise, outcome: .failed(lack.text), trace: [])
        }
    }

    func result(
        on subject: some ConformanceSubject, _ users: [Credentials]
    ) async -> (result: ConformanceResult, hasConnected: Bool) {
        let scene = Scene(subject, users)
        var outcome = ConformanceResult.Outcome.passed
        var broken = promise
        do {
            try await withDeadline(subject.deadline) {
                if isOfChangelogs, !subject.hasChangelogs {
                    throw Skipped(text: "the subject declares that there are no changelogs")
                }
                try await scene.require(capabilities, hooks, isOfWriting: isOfWriting)
                try await body(scene)
            }
        } catch let reason as Skipped {
            outcome = .skipped(reason.text)
        } catch let reason as Broken {
            outcome = .failed(reason.text)
            broken = reason.promiseID.map(BackendPromise.named) ?? promise
        } catch {
            outcome = .failed("an unexpected error: \(error)")
        }
        var trace = if case .failed = outcome { scene.log.lines } else { [String]() }
        if let error = await scene.end() {
            outcome = .failed("the subject's hook failed: \(error)")
            trace = scene.log.lines
        }
        let result = ConformanceResult(
            check: self, promise: broken, outcome: outcome, trace: trace)
        return (result, scene.hasConnected)
    }

    private func withDeadline(
        _ deadline: Duration?, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let deadline else { return try await body() }
        // A task group would wait for a call that ignores cancellation.
        let work = Task { try await body() }
        let (results, first) = AsyncStream.makeStream(
            of: Result<Void, any Error>.self, bufferingPolicy: .bufferingOldest(1))
        let watch = Task {
            // If the work finishes first, `watch` is canceled. `Task.sleep` traps on durations of
            // centuries.
            if (try? await Task.sleep(for: min(deadline, .seconds(24 * 60 * 60)))) != nil {
                first.yield(.failure(Broken(text: "the check did not end within \(deadline)")))
            }
        }
        Task { first.yield(await work.result) }
        defer {
            work.cancel()
            watch.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}

/// A promise is not fulfilled.
struct Broken: Error {
    let text: String
    /// The ID of the broken promise; `nil` for that of the check.
    var promiseID: String?
}

/// A promise cannot be checked.
struct Skipped: Error {
    let text: String
}
