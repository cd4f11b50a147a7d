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
    private let isBlocked = Locked(false)

    init(base: any Backend) { self.base = base }

    /// Ends the connection after a call was canceled, because `base` would end the call before.
    func disconnect() async {
        while !isBlocked.withLock({ $0 }) { await Task.yield() }
        await base.disconnect()
    }

    /// Lets the blocked threads continue.
    func open() { for _ in 0..<10 { gate.signal() } }

    private func block(_ name: String) {
        isBlocked.withLock { $0 = true }
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
            let result = await call.value
            isWaiting.withLock { $0 = false }
            return result
        } onCancel: {
            block("feed")
            call.cancel()
        }
        return try result.get()
    }
}

/// The tests are serialized: each of them may block a thread of the cooperative pool.
@Suite(.timeLimit(.minutes(10)), .serialized) struct BlockingCancellationTests {
    private func connected() async throws -> (Story, BlockingBackend, SyncEngine) {
        let story = try await Story()
        try await story.open()
        await story.engine.close()
        let backend = BlockingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
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

    @Test func connectingAgainDoesNotBlockTheEngine() async throws {
        try await endsWhileBlocked { _ = try await $0.connect(as: Credentials("bob")) }
    }

    @Test func closingDoesNotBlockTheEngine() async throws {
        try await endsWhileBlocked { await $0.close() }
    }

    // The first batch of a connection reports that the feed is live. The late call would take it,
    // and the engine would wait for ever.
    @Test func connectingWaitsForACanceledFeedThatBeginsLate() async throws {
        let story = try await Story()
        try await story.open()
        await story.engine.close()
        let backend = LateFeedBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        try await engine.caughtUp()
        while !backend.isWaiting.withLock({ $0 }) { await Task.yield() }
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
        #expect(await engine.state.isLive)
        await engine.close()
    }
}

/// A backend whose second feed call reaches the server only after it was canceled.
private final class LateFeedBackend: ForwardingBackend {
    let base: any Backend
    let isWaiting = Locked(false)
    private let count = Locked(0)
    private let connections = Locked(0)

    init(base: any Backend) { self.base = base }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        let session = try await base.connect(as: credentials)
        connections.withLock { $0 += 1 }
        return session
    }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        let isSecond = count.withLock { count in
            count += 1
            return count == 2
        }
        guard isSecond else { return try await base.feed(since: cursor) }
        isWaiting.withLock { $0 = true }
        while !Task.isCancelled { await Task.yield() }
        // An engine that does not wait for this call connects now.
        for _ in 0..<1000 where connections.withLock({ $0 }) < 2 { await Task.yield() }
        guard connections.withLock({ $0 }) == 2 else {
            throw BackendError(.canceled, "the feed was canceled")
        }
        let late = Task { [base] () async -> Result<FeedBatch, BackendError> in
            do throws(BackendError) {
                return .success(try await base.feed(since: cursor))
            } catch { return .failure(error) }
        }
        return try await late.value.get()
    }
}
