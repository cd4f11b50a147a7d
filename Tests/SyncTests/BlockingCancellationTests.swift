import Dispatch
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

/// A backend whose calls block the thread that cancels them, as an HTTP client may do.
private final class BlockingBackend: ForwardingBackend {
    let base: any Backend
    let (canceled, recorder) = AsyncStream<String>.makeStream()
    private let gate = DispatchSemaphore(value: 0)
    /// A Boolean value that indicates whether a call with a cursor is in flight.
    let isWaiting = Locked(false)

    init(base: any Backend) { self.base = base }

    /// Lets the blocked threads continue.
    func open() { for _ in 0..<10 { gate.signal() } }

    private func block(_ name: String) {
        recorder.yield(name)
        // The limit only ends a failing test.
        if gate.wait(timeout: .now() + 20) == .timedOut {
            recorder.yield("\(name) was not allowed")
        }
    }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        // A canceled task would call the handler on the thread of this call, and not on that of the
        // caller of `cancel()`, which is what the tests are about.
        guard !Task.isCancelled else { throw BackendError(.canceled, "the feed was canceled") }
        let call = Task { [base] () async -> Result<FeedBatch, BackendError> in
            do throws(BackendError) {
                return .success(try await base.feed(since: cursor))
            } catch { return .failure(error) }
        }
        let result = await withTaskCancellationHandler {
            isWaiting.withLock { $0 = cursor != nil }
            return await call.value
        } onCancel: {
            block("feed")
            call.cancel()
        }
        return try result.get()
    }
}

/// The tests are serialized: each of them may block a thread of the cooperative pool.
@Suite(.timeLimit(.minutes(5)), .serialized) struct BlockingCancellationTests {
    private func connected() async throws -> (Story, BlockingBackend, SyncEngine) {
        let story = try await Story()
        try await story.open()
        await story.engine.close()
        let backend = BlockingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
        return (story, backend, engine)
    }

    /// Ends the connection with `end`, and expects that the engine works while the canceled call
    /// blocks its thread.
    private func endsWhileBlocked(
        _ end: @escaping @Sendable (SyncEngine) async throws -> Void
    ) async throws {
        let (_, backend, engine) = try await connected()
        while !backend.isWaiting.withLock({ $0 }) { await Task.yield() }
        let ending = Task { try await end(engine) }
        var canceled = backend.canceled.makeAsyncIterator()
        #expect(await canceled.next() == "feed")
        // The engine answers although the handler has not returned.
        _ = await engine.state
        backend.open()
        try await ending.value
        await engine.close()
        backend.recorder.finish()
        while let name = await canceled.next() { #expect(name == "feed") }
    }

    @Test func disconnectingDoesNotWaitForABackendsCancellation() async throws {
        try await endsWhileBlocked { await $0.disconnect() }
    }

    @Test func closingDoesNotBlockTheEngine() async throws {
        try await endsWhileBlocked { await $0.close() }
    }
}
