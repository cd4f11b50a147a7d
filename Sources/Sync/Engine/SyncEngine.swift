public import Foundation
public import Models
public import Store

/// The connection of a store to a server, and the only writer of server data to the store.
///
/// ```swift
/// let engine = SyncEngine(store: store, backend: server.client())
/// try await engine.connect(as: Credentials("alice"))
/// try await engine.caughtUp()
/// let newest = try store.read { try $0.messages(in: "general", limit: 30) }
/// ```
///
/// The engine follows the backend's feed, fills the gaps in the stored history, and reconnects when
/// the connection is lost. User interfaces read from the store, not from the engine. A store has at
/// most one engine at a time. An engine that is deallocated stops; ``close()`` also waits until it
/// has stopped.
public actor SyncEngine {
    /// The store to which the engine writes.
    public nonisolated let store: ChatStore

    /// The backend of the server.
    public nonisolated let backend: any Backend

    private let sleep: @Sendable (Duration) async throws -> Void
    private let jitter: @Sendable () -> Double
    private let renewSession: @Sendable () async -> Credentials?
    package nonisolated let now: @Sendable () -> Timestamp
    let makeRequestID: @Sendable () -> RequestID

    private(set) var core: SyncCore
    var activityObservers = ActivityObservers()
    private var calls: [Int: Task<Void, Never>] = [:]
    private var waits: [SyncCore.Wait: Task<Void, Never>] = [:]
    private var renewal: Task<Void, Never>?
    private var tickets: [Int: CheckedContinuation<Result<Outcome, SyncError>, Never>] = [:]
    private var followers: [Int: Follower] = [:]
    private var lastNumber = 0
    /// The end of the last connection, for which the next one waits.
    private var ending: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    /// The credentials of the connection that suspending the store has interrupted.
    private var interrupted: Credentials?
    /// The task that reduces the cache to its limits.
    var limiting: Task<Void, Never>?
    /// The number of bytes written when the engine last checked the size of the cache.
    private var bytesLookedAt = 0
    private var toldConnection = ConnectionState.closed

    private struct Follower {
        let continuation: AsyncStream<SyncEvent>.Continuation
        let isWanted: @Sendable (SyncEvent) -> Bool

        func emit(_ event: SyncEvent) {
            if isWanted(event) { continuation.yield(event) }
        }
    }

    private enum Outcome: Sendable {
        case connected(User, BackendError?)
        case reply(SyncReply)
    }

    /// Creates an engine.
    ///
    /// It does nothing until ``connect(as:)`` is called.
    ///
    /// - Parameters:
    ///   - store: The store to which the engine writes.
    ///   - backend: The backend of the server.
    ///   - options: The settings of the engine. A page size or a number of requests below 1 is a
    ///     programming error.
    ///   - limits: The limits of the data on disk.
    ///   - sleep: Waits for a duration, and throws if its task is canceled meanwhile. The default
    ///     calls `Task.sleep(for:)`.
    ///   - jitter: Returns a random number from 0 to 1, for ``Backoff``.
    ///   - now: Returns the time of the device, which limits how long an outbox item waits.
    ///   - makeRequestID: Returns a request ID that is unique across all devices.
    ///   - renewSession: Returns new credentials of the same user when the session has expired, or
    ///     `nil` if there are none. Without new credentials, or with those of another user, the
    ///     engine disconnects.
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
        core = SyncCore(store, options, backend.capabilities, limits: limits)
    }

    deinit {
        for task in calls.values { task.cancel() }
        for task in waits.values { task.cancel() }
        renewal?.cancel()
        for follower in followers.values { follower.continuation.finish() }
        activityObservers.finish()
    }

    // MARK: The connection

    /// Connects a user, and stays connected from then on.
    ///
    /// There are three outcomes. Connected: returns the user and no error. Not connected, but the
    /// user has connected with this store before: returns the user and the error; stored data may
    /// be shown, and the engine keeps retrying. Not connected, and nothing stored: throws the
    /// error.
    ///
    /// - Returns: The user, and the reason if there is no connection yet.
    /// - Throws: ``SyncError`` with code `invalidArgument` if the user's id is empty, or the server refuses
    ///   the user, `otherUser` if the store belongs to another user, `notConnected`; `store` if the
    ///   store's user cannot be read; `closed`, and `canceled` too if another user connects
    ///   meanwhile.
    @discardableResult
    public func connect(
        as credentials: Credentials
    ) async throws(SyncError) -> (user: User, error: BackendError?) {
        try credentials.check()
        switch try await outcome({ .connect(credentials, ticket: $0) }) {
        case .connected(let user, let error): return (user, error)
        case .reply: preconditionFailure("Connecting is answered by a user.")
        }
    }

    /// Makes a new connection attempt at once if the engine is waiting for one, and retries the
    /// channels that it has given up.
    ///
    /// Call this method when the network is available again, or when the application becomes
    /// active.
    public func reconnect() { handle(.reconnect) }

    /// Ends the connection and all work.
    ///
    /// Stored data remains.
    public func disconnect() async {
        interrupted = nil
        handle(.disconnect)
        await ending?.value
    }

    /// Ends the connection and closes the store's files, so that the system may suspend the
    /// process.
    ///
    /// Work in progress is canceled, and repeated after ``resume()``. Until then nothing can be
    /// read or written: each call that needs the store fails with code `store`, whose cause has the
    /// code `suspended`.
    ///
    /// - Throws: ``SyncError`` with code `store` if a snapshot is still held, or `closed`. In the
    ///   first case the connection has ended, and the store is as before.
    public func suspend() async throws(SyncError) {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        // The credentials are saved before the first suspension point: if another call disconnects
        // meanwhile, the engine must not reconnect.
        interrupted = core.connector.credentials ?? interrupted
        handle(.disconnect)
        await ending?.value
        // Otherwise LevelDB would keep the files open until its compaction ends.
        await limited()
        try await onDisk { [store] () throws(StoreError) in try store.suspend() }
    }

    /// Opens the store's files again, and reconnects if the engine was connected, or connecting,
    /// when it was suspended.
    ///
    /// The method does not wait for the connection. It does nothing if the engine is not suspended.
    ///
    /// - Throws: ``SyncError`` with code `store` if the files cannot be opened, for example because
    ///   another process has them. In this case, call the method again, or close the engine and the
    ///   store and open them again.
    public func resume() async throws(SyncError) {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        try await onDisk { [store] () throws(StoreError) in try store.resume() }
        guard let credentials = interrupted.take() else { return }
        lastNumber += 1
        handle(.connect(credentials, ticket: lastNumber))
    }

    /// Stops the engine for good.
    ///
    /// When the method returns, no call is in progress, and nothing is written any more.
    public func close() async {
        if closing == nil {
            let tasks = Array(calls.values) + Array(waits.values) + [renewal].compactMap { $0 }
            handle(.disconnect)
            for ticket in tickets.keys.sorted() { handle(.abandon(ticket: ticket)) }
            for task in tasks { task.cancel() }
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
        for follower in followers.values { follower.continuation.finish() }
        followers = [:]
        activityObservers.finish()
    }

    // MARK: Following it

    /// The current state of the engine.
    public var state: SyncState { core.state }

    /// Returns the events of the engine from now on, beginning with its state.
    ///
    /// Each stream receives all events.
    ///
    /// Events are buffered without limit until they are read. The stream ends when the engine is
    /// closed.
    public func events() -> AsyncStream<SyncEvent> { events { _ in true } }

    /// Returns the events that satisfy a condition, as ``events()`` does.
    ///
    /// Other events do not wake the reader.
    package func events(
        where isWanted: @escaping @Sendable (SyncEvent) -> Bool
    ) -> AsyncStream<SyncEvent> {
        let (stream, continuation) = AsyncStream<SyncEvent>.makeStream()
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        lastNumber += 1
        let number = lastNumber
        let follower = Follower(continuation: continuation, isWanted: isWanted)
        followers[number] = follower
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unfollow(number) }
        }
        follower.emit(.state(core.state))
        return stream
    }

    private func unfollow(_ number: Int) { followers[number] = nil }

    /// Waits until the feed has delivered everything, and the engine has no work left.
    ///
    /// - Parameter url: A channel, to wait for that channel alone; its newest missing messages are
    ///   then fetched, even if the channel had been given up. `nil` waits for all work of the
    ///   engine.
    /// - Throws: ``SyncError`` with the reason why the channel was given up or, without a channel,
    ///   why any channel was given up, once all others are done; `closed`, `canceled`.
    public func caughtUp(_ url: ChannelURL? = nil) async throws(SyncError) {
        _ = try await outcome { .awaitCaughtUp(url, ticket: $0) }
    }

    /// A Boolean value that indicates whether no call except the feed is on its way, and no caller
    /// waits.
    public var isIdle: Bool { core.isIdle && waits.isEmpty && tickets.isEmpty }

    /// A Boolean value that indicates whether a call except the feed is on its way; work that waits
    /// for its time does not count.
    package var isAsking: Bool { !core.isIdle }

    /// A Boolean value that indicates whether the feed is being asked for the next events.
    package var isFollowingFeed: Bool { core.calls.values.contains(where: \.isOfFeed) }

    // MARK: Asking

    func reply(to question: SyncQuestion) async throws(SyncError) -> SyncReply {
        try await reply { .ask(question, ticket: $0) }
    }

    func reply(_ input: (Int) -> SyncCore.Input) async throws(SyncError) -> SyncReply {
        switch try await outcome(input) {
        case .reply(let reply): return reply
        case .connected: preconditionFailure("A question is answered by a reply.")
        }
    }

    private func outcome(
        _ input: (Int) -> SyncCore.Input
    ) async throws(SyncError) -> Outcome {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        lastNumber += 1
        let ticket = lastNumber
        let input = input(ticket)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Outcome, SyncError>, Never>) in
                if Task.isCancelled {
                    return continuation.resume(returning: .failure(.canceled))
                }
                tickets[ticket] = continuation
                handle(input)
            }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
        return try result.get()
    }

    private func abandon(_ ticket: Int) {
        guard let continuation = tickets.removeValue(forKey: ticket) else { return }
        handle(.abandon(ticket: ticket))
        continuation.resume(returning: .failure(.canceled))
    }

    /// Changes the core, and performs the actions that follow.
    func change<Result>(
        _ body: (inout SyncCore) throws(SyncError) -> Result
    ) throws(SyncError) -> Result {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        core.time = now()
        let result = try body(&core)
        handle(.changed)
        return result
    }

    func ingestMessages(_ messages: [Message], _ source: CollectionEventSource) throws(SyncError)
        -> Int
    {
        try change { (core) throws(SyncError) in try core.ingestMessages(messages, source) }
    }

    func distrust(_ url: ChannelURL) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.distrust(url) }
    }

    var pageSize: Int { core.options.pageSize }

    // MARK: Limits

    var limits: CacheLimits { core.limits }
    var inUse: Set<ChannelURL> { core.healing.inUse }
    var recent: Set<ChannelURL> { core.healing.recentChannels }

    /// The number of its newest messages that each channel keeps as long as others have more: as
    /// many as the engine would fetch again.
    var newestCount: Int {
        let (count, overflows) = core.options.pageSize
            .multipliedReportingOverflow(by: max(1, core.options.backgroundPages))
        return overflows ? .max : count
    }

    func emit(_ event: SyncEvent) {
        for follower in followers.values { follower.emit(event) }
    }

    func endLimiting() {
        limiting = nil
        limitIfDue()
    }

    /// Reduces the cache in the background if it may exceed its limits.
    private func limitIfDue() {
        guard limiting == nil, !isClosed, store.directory != nil || limits.retention != nil else {
            return
        }
        let written = store.cacheBytesWritten
        guard core.areLimitsDue || written - bytesLookedAt >= limits.bytesBetweenChecks else {
            return
        }
        core.areLimitsDue = false
        bytesLookedAt = written
        limiting = Task { [weak self] in
            // Writes report the same failure. The engine tries again when more has been written.
            _ = await self?.result(of: nil)
            await self?.endLimiting()
        }
    }

    // MARK: Steps

    func handle(_ input: SyncCore.Input) {
        guard !isClosed else { return }
        core.time = now()
        for action in core.step(input) { perform(action) }
        limitIfDue()
    }

    private func perform(_ action: SyncCore.Action) {
        activityObservers.report(action, at: core.time)
        switch action {
        case .call(let request, let number): call(request, number)
        case .cancel(let number): calls.removeValue(forKey: number)?.cancel()
        case .wait(let wait, let attempt, let duration):
            self.wait(wait, beforeAttempt: attempt, atLeast: duration)
        case .cancelWait(let wait): waits.removeValue(forKey: wait)?.cancel()
        case .stopWaiting:
            for task in waits.values { task.cancel() }
            waits = [:]
            renewal?.cancel()
        case .disconnect: endConnection()
        case .renewSession: renew()
        case .removeFiles(let copies): store.outboxFiles?.remove(copies)
        case .keepFiles(let copies): store.outboxFiles?.removeAll(but: copies)
        case .emit(let event):
            if case .state(let state) = event { notifyStore(state) }
            emit(event)
        case .connected(let user, let error, let ticket):
            tickets.removeValue(forKey: ticket)?.resume(
                returning: .success(.connected(user, error)))
        case .reply(let reply, let ticket):
            tickets.removeValue(forKey: ticket)?.resume(returning: .success(.reply(reply)))
        case .fail(let error, let ticket):
            tickets.removeValue(forKey: ticket)?.resume(returning: .failure(error))
        }
    }

    private func call(_ request: BackendRequest, _ number: Int) {
        let (backend, store, ending) = (backend, store, ending)
        calls[number] = Task { [weak self] in
            await ending?.value
            let meter = UploadMeter()
            let answer = await withTaskCancellationHandler {
                await backend.answer(to: request, store.outboxFiles) { progress in
                    guard case .upload(let item, _) = request else { return }
                    meter.report(progress) {
                        // Progress has no observers if the store is closed.
                        _ = try? store.emit(
                            .uploadProgress(
                                item.requestID, in: item.channelURL,
                                bytes: progress.bytesTransferred,
                                total: progress.bytesInAll ?? progress.bytesTransferred))
                    }
                }
            } onCancel: {
                meter.end()
            }
            meter.end()
            await self?.handle(answer, number)
        }
    }

    private func handle(_ answer: BackendAnswer, _ number: Int) {
        guard calls.removeValue(forKey: number) != nil else { return }
        activityObservers.report(answer, number, at: now)
        handle(.answer(answer, call: number))
    }

    private func wait(_ wait: SyncCore.Wait, beforeAttempt attempt: Int, atLeast: Duration?) {
        guard let delay = core.options.backoff.delay(beforeAttempt: attempt, jitter: jitter())
        else {
            activityObservers.report(wait, attempt, nil, at: core.time)
            return handle(.gaveUp(wait))
        }
        let duration = min(max(delay, atLeast ?? .zero), Backoff.longestDelay)
        activityObservers.report(wait, attempt, duration, at: core.time)
        let sleep = sleep
        waits[wait]?.cancel()
        waits[wait] = Task { [weak self] in
            // The wait was canceled.
            guard (try? await sleep(duration)) != nil else { return }
            await self?.finish(wait)
        }
    }

    private func finish(_ wait: SyncCore.Wait) {
        guard waits.removeValue(forKey: wait) != nil else { return }
        handle(.waited(wait))
    }

    private func renew() {
        let renewSession = renewSession
        renewal?.cancel()
        renewal = Task { [weak self] in
            let credentials = await renewSession()
            await self?.finishRenewal(credentials)
        }
    }

    private func finishRenewal(_ credentials: Credentials?) {
        // The task was canceled, so its connection is no longer current.
        guard !Task.isCancelled else { return }
        handle(.renew(credentials))
    }

    private func endConnection() {
        let (backend, before) = (backend, ending)
        ending = Task {
            await before?.value
            await backend.disconnect()
        }
    }

    /// Delivers the connection's state through the store, so that collections receive it in order
    /// with other changes.
    private func notifyStore(_ state: SyncState) {
        let connection = ConnectionState(state.connection)
        guard connection != toldConnection else { return }
        toldConnection = connection
        // A closed store has no observers to notify.
        _ = try? store.emit(.connection(connection))
    }
}

/// Passes on the progress of one upload: growing numbers, and none after its end.
///
/// A backend may report from any thread, and may be late.
private final class UploadMeter: Sendable {
    /// The bytes that were reported last; `nil` after the end.
    private let last = Locked<Int?>(-1)

    /// Calls a closure unless the upload has ended, or a number is no larger than one before.
    func report(_ progress: TransferProgress, _ body: () -> Void) {
        last.withLock { last in
            guard let before = last, progress.bytesTransferred > before else { return }
            last = progress.bytesTransferred
            // Under the lock: after `end` has returned, nothing is reported.
            body()
        }
    }

    func end() { last.withLock { $0 = nil } }
}

extension Credentials {
    /// Throws an error with code `invalidArgument` if the user's id is empty.
    package func check() throws(SyncError) {
        guard !userID.rawValue.isEmpty else {
            throw SyncError(.invalidArgument, "the user's id is empty")
        }
    }
}

extension SyncError {
    fileprivate static let canceled = SyncError(.canceled, "the calling task was canceled")
}
