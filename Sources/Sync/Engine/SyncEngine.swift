public import Foundation
public import Models
public import Store

/// Keeps a ``/Store/ChatStore`` in sync with a ``Backend``.
///
/// ```swift
/// let engine = SyncEngine(store: store, backend: server.client())
/// try await engine.connect(as: Credentials("alice"))
/// try await engine.caughtUp()
/// let newest = try store.read { try $0.messages(in: "general", limit: 30) }
/// ```
///
/// The engine follows the backend's feed, fills gaps in the stored history, sends outbox items, and
/// reconnects after a loss of the connection. It is the only writer of messages, channels and
/// outbox items, and a store has at most one engine at a time; user interfaces read from the store.
/// Releasing the engine stops it; ``close()`` also waits until it has stopped.
public actor SyncEngine {
    /// The store to which the engine writes.
    public nonisolated let store: ChatStore

    /// The backend of the server.
    public nonisolated let backend: any Backend

    let sleep: @Sendable (Duration) async throws -> Void
    let jitter: @Sendable () -> Double
    let renewSession: @Sendable () async -> Credentials?
    package nonisolated let now: @Sendable () -> Timestamp
    let makeRequestID: @Sendable () -> RequestID

    var core: SyncCore
    let activityObservers = Subscribers<EngineActivity>()
    let eventObservers = Subscribers<SyncEvent>()
    var calls: [Int: RunningCall] = [:]
    var canceledCalls: [Int: Task<Void, Never>] = [:]
    /// The downloads in progress, by the bytes of their keys: different keys may be equal texts.
    var downloads: [[UInt8]: SharedDownload] = [:]
    /// The waits in progress.
    ///
    /// A number shows that a wait was replaced by another one as it ended.
    var waits: [SyncCore.Wait: (number: Int, task: Task<Void, Never>)] = [:]
    var renewal: (number: Int, task: Task<Void, Never>)?
    var tickets: [Int: CheckedContinuation<Result<any Sendable, SyncError>, Never>] = [:]
    var lastNumber = 0
    /// The end of the previous connection, for which the next one waits.
    var ending: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    private var interrupted: Credentials?
    var limiting: Task<Void, Never>?
    private var bytesWrittenAtLastCheck = 0
    var reportedConnection = ConnectionState.offline

    struct RunningCall {
        let task: Task<Void, Never>
        let meter: UploadMeter

        /// Cancels the call off the engine's actor: the backend's cancellation may block.
        func cancel() {
            meter.end()
            task.cancelWithoutWaiting()
        }
    }

    /// Creates an engine, which does nothing until ``connect(as:)`` is called.
    ///
    /// `sleep` throws if its task is canceled. `jitter` returns a random number from 0 to 1, `now`
    /// the device's time, and `makeRequestID` an ID that is unique across all devices.
    /// `renewSession` returns new credentials of the same user after the session has expired; for
    /// `nil` or another user's credentials, the engine disconnects.
    public init(
        store: ChatStore, backend: any Backend, options: SyncOptions = SyncOptions(),
        limits: CacheLimits = CacheLimits(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeRequestID: @escaping @Sendable () -> RequestID = { RequestID(UUID().uuidString) },
        renewSession: @escaping @Sendable () async -> Credentials? = { nil }
    ) {
        self.store = store
        self.backend = backend
        self.sleep = sleep
        self.jitter = jitter
        self.renewSession = renewSession
        self.now = now
        self.makeRequestID = makeRequestID
        core = SyncCore(
            store, options, backend.capabilities, deduplicationPeriod: backend.deduplicationPeriod,
            limits: limits, requestTypes: { backend.requests.types + StandardRequests.types })
        // Another reader than the engine, such as a list, may find the damage.
        store.observeCacheDamage { [weak self] _ in
            Task { await self?.step(.changed) }
        }
    }

    deinit {
        for call in calls.values { call.cancel() }
        for wait in waits.values { wait.task.cancelWithoutWaiting() }
        renewal?.task.cancelWithoutWaiting()
    }

    // MARK: The connection

    /// Connects a user, and reconnects after each loss of the connection.
    ///
    /// If the first attempt fails but the user has connected with this store before, the method
    /// returns `offline`: the app can show the cached data, and the engine keeps trying. Otherwise,
    /// it throws the error, and the engine stops trying.
    ///
    /// - Throws: `invalidArgument` if the user's ID is empty; `otherUser` if the store belongs to
    ///   another user; `store` if the store's user cannot be read; `canceled` if the calling task
    ///   is canceled or another call of this method starts; `closed`; or the error of the server,
    ///   such as `notConnected`, `refused` or `sessionEnded`.
    @discardableResult
    public func connect(
        as credentials: Credentials
    ) async throws(SyncError) -> ConnectOutcome {
        try credentials.check()
        return try await awaitReply { .connect(credentials, ticket: $0) }
    }

    /// Connects immediately if the engine is waiting to reconnect, and restarts the work on
    /// channels whose requests have failed.
    ///
    /// Call it when the network is available again, or when the app becomes active.
    public func reconnect() { step(.reconnect) }

    /// Ends the connection and cancels all requests, but keeps stored data and outbox items.
    public func disconnect() async {
        interrupted = nil
        step(.disconnect)
        await ending?.value
    }

    /// Ends the connection and closes the store's files, so that the system may suspend the
    /// process.
    ///
    /// Requests in flight are canceled, and are repeated after ``resume()``. Until then, each call
    /// that reads or writes the store throws `store`, whose cause has the code `suspended`. If the
    /// app has a ``/Store/Snapshot``, the call waits up to two seconds for its release.
    ///
    /// - Throws: `closed`; `store` if a snapshot still exists: the connection has then ended, but
    ///   the store stays open.
    public func suspend() async throws(SyncError) {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        await pauseConnection()
        // The compaction of an eviction would keep LevelDB's files open.
        await limited()
        for _ in 1..<SyncEngine.attemptsToSuspend {
            do throws(SyncError) {
                return try await suspendStore()
            } catch {
                guard (error.cause as? StoreError)?.code == .busy else { throw error }
            }
            // If the task is canceled, make the last attempt at once.
            guard (try? await sleep(SyncEngine.pauseToSuspend)) != nil else { break }
        }
        try await suspendStore()
    }

    private func suspendStore() async throws(SyncError) {
        try await onDisk { [store] () throws(StoreError) in try store.suspend() }
    }

    /// Each attempt to close the files waits for some hundred milliseconds.
    private static let attemptsToSuspend = 4
    private static let pauseToSuspend = Duration.milliseconds(250)

    /// Reopens the store's files, and reconnects if the engine was connected or connecting before
    /// ``suspend()``.
    ///
    /// The method does not wait for the connection, and has no effect unless the engine is
    /// suspended.
    ///
    /// - Throws: `closed`; `store` if the files cannot be opened, for example because another
    ///   process has opened them. In this case, call the method again later, or close the engine
    ///   and the store.
    public func resume() async throws(SyncError) {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        try await onDisk { [store] () throws(StoreError) in try store.resume() }
        continueConnection()
    }

    package func pauseConnection() async {
        // Save them before the first `await`, so that `disconnect()` can remove them meanwhile.
        interrupted = core.connector.credentials ?? interrupted
        step(.disconnect)
        await ending?.value
    }

    package func continueConnection() {
        guard !isClosed, let credentials = interrupted.take() else { return }
        lastNumber += 1
        step(.connect(credentials, ticket: lastNumber))
    }

    /// Stops the engine permanently, and returns when no request is in flight and the engine no
    /// longer writes to the store.
    public func close() async {
        if closing == nil {
            let running =
                calls.values.map(\.task) + canceledCalls.values + waits.values.map(\.task)
                + [renewal].compactMap { $0?.task }
            let tasks = running + downloads.values.map(\.task)
            step(.disconnect)
            for ticket in tickets.keys.sorted() { step(.abandon(ticket: ticket)) }
            for task in tasks { task.cancelWithoutWaiting() }
            closing = Task { await finishClosing(tasks) }
        }
        await closing?.value
    }

    var isClosed: Bool { closing != nil }

    private func finishClosing(_ tasks: [Task<Void, Never>]) async {
        await ending?.value
        for task in tasks { await task.value }
        await limiting?.value
        for ticket in tickets.keys.sorted() {
            let error = SyncError(.closed, "the engine was closed")
            tickets.removeValue(forKey: ticket)?.resume(returning: .failure(error))
        }
        eventObservers.end()
        activityObservers.end()
    }

    // MARK: Requests of callers

    func make<Made: CallerCall>(_ made: Made) async throws(SyncError) -> Made.Reply {
        try await awaitReply { .make(made, ticket: $0) }
    }

    /// Makes a step with an input that has a ticket, and waits until the core replies to it.
    func awaitReply<Reply>(to input: (Int) -> SyncCore.Input) async throws(SyncError) -> Reply {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        lastNumber += 1
        let ticket = lastNumber
        let input = input(ticket)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<any Sendable, SyncError>, Never>) in
                if Task.isCancelled {
                    return continuation.resume(returning: .failure(.canceled))
                }
                tickets[ticket] = continuation
                step(input)
            }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
        guard let reply = try result.get() as? Reply else {
            preconditionFailure("The core must answer with a \(Reply.self).")
        }
        return reply
    }

    private func abandon(_ ticket: Int) {
        leaveDownload(ticket)
        guard let continuation = tickets.removeValue(forKey: ticket) else { return }
        step(.abandon(ticket: ticket))
        continuation.resume(returning: .failure(.canceled))
    }

    var pageSize: Int { core.options.pageSize }

    // MARK: Limits

    var limits: CacheLimits { core.limits }

    /// The number of newest messages that eviction keeps in each channel while any channel has
    /// more, because the engine would fetch them again.
    var newestCount: Int {
        let (count, overflows) = core.options.pageSize
            .multipliedReportingOverflow(by: max(1, core.options.backgroundPages))
        return overflows ? .max : count
    }

    func endLimiting() {
        limiting = nil
        limitIfDue()
    }

    func limitIfDue() {
        guard limiting == nil, !isClosed, store.directory != nil || limits.retention != nil else {
            return
        }
        let written = store.cacheBytesWritten
        guard core.areLimitsDue || written - bytesWrittenAtLastCheck >= limits.bytesBetweenChecks
        else {
            return
        }
        core.areLimitsDue = false
        bytesWrittenAtLastCheck = written
        limiting = Task { [weak self] in
            // The next write reports a failed store, and later writes check the limits again.
            _ = await self?.result(of: nil)
            await self?.endLimiting()
        }
    }
}

/// Ignores reports of an upload without progress, or after its end: a backend may report late and
/// from any thread.
final class UploadMeter: Sendable {
    /// The last reported number of bytes; `nil` after the upload has ended.
    private let last = Locked<Int?>(-1)

    func report(_ progress: TransferProgress, _ body: () -> Void) {
        last.withLock { last in
            guard let before = last, progress.bytesTransferred > before else { return }
            last = progress.bytesTransferred
            // The lock is held, so that the closure is never called after `end` has returned.
            body()
        }
    }

    func end() { last.withLock { $0 = nil } }
}

extension Credentials {
    package func check() throws(SyncError) {
        guard !userID.rawValue.isEmpty else {
            throw SyncError(.invalidArgument, "the credentials have an empty user id")
        }
    }
}

extension SyncError {
    static let canceled = SyncError(
        .canceled, "the task that called the engine was canceled")
}
