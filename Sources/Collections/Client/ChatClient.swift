import Foundation
public import Models
public import Observation
public import Store
public import Sync

/// A client of a chat server: the current user, the user's data on this device, and the connection.
///
/// ```swift
/// let client = try await ChatClient.open(backend: backend)
/// try await client.connect(as: "alice")
/// let messages = try client.makeMessageCollection(of: "general")
/// ```
///
/// Each user's data is in a separate directory. ``open(backend:options:migrationHandler:)`` opens the
/// data of the user who connected last, so that an app can show that data before a user connects. An
/// app with several accounts creates a client for each of them, and calls ``open(as:)``.
@MainActor
@Observable
public final class ChatClient {
    /// The options of the client.
    ///
    /// They are constant, except that ``changeEncryptionKey(to:)`` sets the encryption key.
    @ObservationIgnored public internal(set) var options: ChatClientOptions

    /// The connection to the server, as passed to ``open(backend:options:migrationHandler:)``.
    @ObservationIgnored public let backend: any Backend

    /// The connected user, or the user whose data is shown offline; `nil` before the first user
    /// connects.
    public internal(set) var currentUser: User?

    /// The state of the connection.
    public private(set) var connectionState = ConnectionState.offline

    /// The time of the last connection, on this device's clock; `nil` if there was none since the
    /// client was opened.
    public private(set) var lastConnectedAt: Timestamp?

    /// The numbers of unread messages, unread mentions and pending invitations: the sum over the
    /// stored group channels of the user.
    ///
    /// The value is available as soon as the client has a user. It is `nil` until the client has
    /// fetched all channels of the user, which are stored, and if the server has no unread counts.
    public private(set) var unreadCount: UnreadItemCount?

    /// The error of opening the user's files, if the client works in memory because of it;
    /// otherwise `nil`.
    ///
    /// The client works in memory only with the policy ``StorageFailurePolicy/continueInMemory``.
    public private(set) var cachingError: StoreError?

    /// The damage that the client has found in the user's files since it opened them, including
    /// lost outbox items.
    ///
    /// The client reports new damage to ``UserEventDelegate/client(_:didFind:)``.
    public internal(set) var storageDamage = StorageDamage()

    /// The last nonempty content of the push inbox, or the error of reading the inbox.
    ///
    /// The value is `nil` if the client has found no message so far. An inbox that is found empty
    /// clears an earlier error, and keeps an earlier content. The value keeps the messages in
    /// memory until the next result, with at most as many bytes as the inbox can contain:
    /// ``/Store/PushInbox/maximumByteCount``.
    public private(set) var lastReceivedPushes: Result<ReceivedPushes, SyncError>?

    /// A Boolean value that indicates whether the client stores data in files.
    public var isUsingLocalCaching: Bool { options.storage != .inMemory && cachingError == nil }

    private(set) var session: Session?
    @ObservationIgnored private var collections: [WeakCollection] = []
    @ObservationIgnored private var lastSwitch: Task<Void, Never>?
    /// The engine of a user who connects for the first time, while the previous user's session
    /// still exists.
    @ObservationIgnored private var candidate: SyncEngine?
    @ObservationIgnored private var isConnectionWanted = false
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private var phases = ConnectionPhases()
    @ObservationIgnored private var isDamageReported = true
    @ObservationIgnored private var connectionDelegates = WeakDelegates<any ConnectionDelegate>()
    @ObservationIgnored private var userEventDelegates = WeakDelegates<any UserEventDelegate>()
    @ObservationIgnored private var channelDelegates = WeakDelegates<any ChannelDelegate>()
    @ObservationIgnored private let eventFollowers = Followers<ChannelEvent>()
    @ObservationIgnored private let connectionFollowers = Followers<ConnectionEvent>()
    @ObservationIgnored private let userFollowers = Followers<UserEvent>()
    @ObservationIgnored private let uploadFollowers = Followers<UploadProgress>()
    @ObservationIgnored private let closingFollowers = Followers<Never>()
    @ObservationIgnored var lastTyping: [ChannelURL: Timestamp] = [:]
    @ObservationIgnored var enteredChannels: Set<ChannelURL> = []
    private let migrationHandler: @Sendable (MigrationProgress) -> Void

    /// The objects of one user.
    struct Session {
        let userID: UserID
        let store: ChatStore
        let engine: SyncEngine
        let tasks: TaskBag
    }

    private struct WeakCollection {
        weak var collection: (any Collection)?
    }

    /// A collection that the client disposes when the session of its user ends.
    @MainActor
    protocol Collection: AnyObject {
        func dispose()
        /// Removes all rows, with the source `sessionEnded`, and disposes the collection.
        func endSession()
    }

    // MARK: Opening

    /// Creates a client without a user, which opens no file.
    ///
    /// ``open(as:)`` opens the stored data of a user, and ``connect(as:)`` does so, too.
    ///
    /// - Parameters:
    ///   - backend: The connection to the server.
    ///   - options: The options of the client.
    ///   - migrationHandler: See ``open(backend:options:migrationHandler:)``.
    public init(
        backend: any Backend, options: ChatClientOptions = ChatClientOptions(),
        migrationHandler: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) {
        self.backend = backend
        self.options = options
        self.migrationHandler = migrationHandler
    }

    /// Opens the stored data of a user, whose collections can then be shown without a connection.
    ///
    /// If the client has another user, that user's session ends first. The call creates the files of
    /// a user who has none.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `invalidArgument` if the ID is empty; `canceled` if
    ///   another user connects during the call; `store`, as
    ///   ``open(backend:options:migrationHandler:)`` does.
    public func open(as userID: UserID) async throws(SyncError) {
        try Credentials(userID).check()
        if session?.userID != userID || lastSwitch != nil { try await switchUser(to: userID) }
        guard session?.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
    }

    /// Opens a client with the stored data of the user who connected last.
    ///
    /// - Parameters:
    ///   - backend: The connection to the server.
    ///   - options: The options of the client.
    ///   - migrationHandler: A closure that is called at the beginning, during, and at the end of a
    ///     migration, if files were written by an older version. A migration can happen in this
    ///     call and when another user connects. The closure is called on another thread.
    /// - Returns: The client.
    /// - Throws: ``/Sync/SyncError`` with code `store` if the files of the last user cannot be
    ///   opened and ``ChatClientOptions/storageFailurePolicy`` is `fail`. Its cause is a
    ///   ``/Store/StoreError``: `locked` if another process or client has the files open,
    ///   `wrongKey`, `newerSchema`, `permission`, `noSpace`, `io`, or `corruption` of a file that
    ///   cannot be replaced, such as the key file, or of a cache that was replaced less than an
    ///   hour ago for the same reason.
    public static func open(
        backend: any Backend, options: ChatClientOptions = ChatClientOptions(),
        migrationHandler: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws(SyncError) -> ChatClient {
        let client = ChatClient(
            backend: backend, options: options, migrationHandler: migrationHandler)
        if let userID = LastUser(options)?.userID {
            try await client.begin(userID)
        } else if let directories = UserDirectories(options) {
            // Ignore an error: connecting a user repeats this step, and throws the error.
            try? await onDisk { () throws(StoreError) in try directories.prepare() }
        }
        return client
    }

    /// Ends all work and closes the files; the client cannot be used afterwards.
    public func close() async {
        await candidate?.close()
        await betweenSwitches { [self] in await end() }
        eventFollowers.end()
        connectionFollowers.end()
        userFollowers.end()
        uploadFollowers.end()
        closingFollowers.end()
    }

    /// Returns a stream without elements, which ends when the client is closed or released.
    package func lifetime() -> AsyncStream<Never> { closingFollowers.follow() }

    // MARK: The connection

    /// Connects a user.
    ///
    /// The call has one of three outcomes:
    ///
    /// - If the connection succeeds, the call returns `online`.
    /// - If the connection fails, and the user has connected on this device before, the call
    ///   returns `offline` and the reason. The app can show the stored data, and the client keeps
    ///   retrying.
    /// - If the connection fails, and the user has never connected on this device, the call throws
    ///   the error.
    ///
    /// If another user was connected, the collections of that user are disposed. That user's data
    /// stays on this device, and that user's outbox items are sent when that user connects again.
    /// If the new user has no data on this device, this happens only after the new user has
    /// connected. If the connection fails, the other user's session continues, and the new user
    /// gets no files.
    ///
    /// - Returns: The user, and the reason if there is no connection yet.
    /// - Throws: ``/Sync/SyncError`` with code `invalidArgument` if the user's ID is empty (the
    ///   previous user then stays connected), or if the server refuses the user; `notConnected`;
    ///   `closed`; `canceled` if another user connects during the call; `store` if the user's files
    ///   cannot be opened, as ``open(backend:options:migrationHandler:)`` does: if the user has data
    ///   on this device, the client then has no user. The call can be repeated.
    @discardableResult
    public func connect(
        as credentials: Credentials
    ) async throws(SyncError) -> ConnectOutcome {
        try credentials.check()
        await candidate?.close()
        var first: ConnectOutcome?
        if session != nil, session?.userID != credentials.userID, lastSwitch == nil,
            !hasFiles(of: credentials.userID)
        {
            try await betweenSwitches { [self] () throws(SyncError) in
                first = try await connectNewUser(credentials)
            }
        } else if session?.userID != credentials.userID || lastSwitch != nil {
            try await switchUser(to: credentials.userID)
        }
        guard let session, session.userID == credentials.userID else {
            throw SyncError(.canceled, "another user has connected instead of \(credentials)")
        }
        checkCacheDamage(of: session)
        reportDamage()
        isConnectionWanted = true
        await readPushInbox(of: session)
        guard isConnectionWanted else {
            throw SyncError(.closed, "the client was disconnected while it was connecting")
        }
        let outcome: ConnectOutcome
        if let first {
            outcome = first
        } else {
            outcome = try await session.engine.connect(as: credentials)
        }
        guard self.session?.engine === session.engine else {
            throw SyncError(.canceled, "another user has connected instead of \(credentials)")
        }
        checkCacheDamage(of: session)
        currentUser = outcome.user
        recordLastUser(credentials.userID, of: session)
        return outcome
    }

    /// Reconnects immediately if the client is waiting to reconnect.
    ///
    /// Call this method when the network is available again, or when the app becomes active. The
    /// call also processes the push inbox, as ``readPushInbox()`` does.
    public func reconnect() async {
        guard let session else { return }
        await readPushInbox(of: session)
        await session.engine.reconnect()
    }

    /// Ends the connection; the stored data is kept and can be shown.
    public func disconnect() async {
        isConnectionWanted = false
        await candidate?.close()
        await session?.engine.disconnect()
    }

    /// Ends the connection and closes the files, so that the system may suspend the process.
    ///
    /// iOS terminates a process that is suspended while it holds a lock on a file in a shared
    /// container. Therefore call this method when the app enters the background, and ``resume()``
    /// when it becomes active. Between the two calls, collections keep showing their content, but
    /// calls that load, send or change data fail.
    ///
    /// If the client has no user, the call has no effect.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/suspend()`` does.
    public func suspend() async throws(SyncError) { try await session?.engine.suspend() }

    /// Opens the files again after ``suspend()``, and reconnects if the app has connected a user
    /// and has not called ``disconnect()``.
    ///
    /// Collections then show the changes of other processes and the content of the push inbox.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``/Sync/SyncEngine/resume()`` does.
    public func resume() async throws(SyncError) {
        guard let session else { return }
        try await session.engine.resume()
        await readPushInbox(of: session)
    }

    /// The sync engine of the user, for operations that the client does not have.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet.
    public var engine: SyncEngine {
        get throws(SyncError) {
            guard let session else {
                throw SyncError(
                    .noUser, "the client has no user: call connect(as:) or open(as:) first")
            }
            return session.engine
        }
    }

    // MARK: Collections

    /// Removes the rows of all collections, and disposes the collections.
    func endCollections() {
        for weak in collections { weak.collection?.endSession() }
        collections = []
    }

    func add(_ collection: any Collection) {
        collections.removeAll { $0.collection == nil }
        collections.append(WeakCollection(collection: collection))
    }

    // MARK: Delegates

    /// Registers a delegate for events of the connection, until the delegate is removed or
    /// released.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, which the client does not retain. Registering it again has no
    ///     effect.
    ///   - identifier: A name for the delegate; `nil`, the default, for none. The delegate replaces
    ///     an earlier one with the same name.
    public func addConnectionDelegate(
        _ delegate: any ConnectionDelegate, identifier: String? = nil
    ) { connectionDelegates.add(delegate, identifier) }

    /// Removes a connection delegate.
    public func removeConnectionDelegate(_ delegate: any ConnectionDelegate) {
        connectionDelegates.remove(delegate)
    }

    /// Removes the connection delegate registered under `identifier`.
    public func removeConnectionDelegate(identifier: String) {
        connectionDelegates.remove(identifier)
    }

    /// Registers a delegate for events of the user, as ``addConnectionDelegate(_:identifier:)``
    /// does.
    public func addUserEventDelegate(
        _ delegate: any UserEventDelegate, identifier: String? = nil
    ) { userEventDelegates.add(delegate, identifier) }

    /// Removes a user event delegate.
    public func removeUserEventDelegate(_ delegate: any UserEventDelegate) {
        userEventDelegates.remove(delegate)
    }

    /// Removes the user event delegate registered under `identifier`.
    public func removeUserEventDelegate(identifier: String) {
        userEventDelegates.remove(identifier)
    }

    /// Registers a delegate for events of channels, as ``addConnectionDelegate(_:identifier:)``
    /// does.
    public func addChannelDelegate(
        _ delegate: any ChannelDelegate, identifier: String? = nil
    ) {
        channelDelegates.add(delegate, identifier)
        if let session { followChanges(of: session) }
    }

    /// Removes a channel delegate.
    public func removeChannelDelegate(_ delegate: any ChannelDelegate) {
        channelDelegates.remove(delegate)
    }

    /// Removes the channel delegate registered under `identifier`.
    public func removeChannelDelegate(identifier: String) {
        channelDelegates.remove(identifier)
    }

    // MARK: Events

    /// Returns a stream of the live events of all channels, from now until the client is closed or
    /// released.
    ///
    /// If another user connects, the stream continues with the events of that user. Each call
    /// returns its own stream, which buffers events without a limit: read it continuously, or
    /// release it.
    public func events() -> AsyncStream<ChannelEvent> {
        let events = eventFollowers.follow()
        if let session { followChanges(of: session) }
        return events
    }

    /// Returns a stream of the events of the connection, as ``events()`` does for channels.
    public func connectionEvents() -> AsyncStream<ConnectionEvent> { connectionFollowers.follow() }

    /// Returns a stream of the events of the user, as ``events()`` does for channels.
    public func userEvents() -> AsyncStream<UserEvent> { userFollowers.follow() }

    /// Returns a stream of the progress of all uploads, as ``events()`` does for channels.
    public func uploads() -> AsyncStream<UploadProgress> {
        let uploads = uploadFollowers.follow()
        if let session { followChanges(of: session) }
        return uploads
    }

    // MARK: Users

    /// Ends the session of the current user and starts that of another; concurrent calls wait.
    private func switchUser(to userID: UserID) async throws(SyncError) {
        try await betweenSwitches { [self] () throws(SyncError) in
            if session?.userID == userID { return }
            await end()
            try await begin(userID)
        }
    }

    private func hasFiles(of userID: UserID) -> Bool {
        guard let directory = UserDirectories(options)?.directory(of: userID) else { return false }
        return FileManager.default.fileExists(atPath: directory.path)
    }

    /// Connects a user without data on this device, and then ends the session of the previous user.
    ///
    /// - Throws: ``SyncError``; the session of the previous user then continues.
    private func connectNewUser(
        _ credentials: Credentials
    ) async throws(SyncError) -> ConnectOutcome {
        let opened = try await openSession(of: credentials.userID)
        let previous = session?.engine
        candidate = opened.session.engine
        // A backend has one connection.
        await previous?.pauseConnection()
        do throws(SyncError) {
            let outcome = try await opened.session.engine.connect(as: credentials)
            candidate = nil
            await end()
            await start(opened)
            return outcome
        } catch {
            candidate = nil
            await discard(opened.session)
            await previous?.continueConnection()
            guard error.code == .closed else { throw error }
            throw SyncError(.canceled, "another call has ended the connection of \(credentials)")
        }
    }

    /// Closes a session that has not started, and removes its files if it has created them.
    private func discard(_ session: Session) async {
        await session.engine.close()
        session.store.close()
        guard session.store.openingReport.isNew, let directory = session.store.directory else {
            return
        }
        // Ignore an error: the files contain no data.
        try? await onDisk { () throws(StoreError) in try ChatStore.removeFiles(at: directory) }
    }

    /// Ends a session, forgets its user, and removes the cache's files or, if `removesFiles` is
    /// true, all files of the user.
    ///
    /// If a user has connected since, that user is not affected, even if it is the user of the
    /// ended session.
    func forget(_ leaving: Session, removesFiles: Bool) async {
        await betweenSwitches { [self] in
            let isPresent = session?.engine === leaving.engine
            if isPresent { await end() }
            if session?.userID != leaving.userID {
                await removeFiles(of: leaving, keepsOutbox: !removesFiles)
            }
            // Forget the user last: if the process ends before this step, the app can repeat the
            // log-out.
            if isPresent { recordLastUser(nil, of: leaving) }
        }
    }

    /// Removes all directories of a user or, if `keepsOutbox` is true, only the cache of the user's
    /// store.
    ///
    /// The directories include a second store, which this client does not open: an encrypted store
    /// if the client has no key, a plain one if it has a key. The files of the cache are removed
    /// even if the cache was cleared, because they may still contain cleared rows.
    private func removeFiles(of leaving: Session, keepsOutbox: Bool) async {
        guard let directory = leaving.store.directory else { return }
        guard !keepsOutbox else {
            // Ignore an error: the rows are removed already, and LevelDB rewrites the files in
            // later compactions.
            try? await onDisk { () throws(StoreError) in
                try ChatStore.removeCachedData(at: directory)
            }
            return
        }
        // Remove the user's own store last: if the process ends before that, the app can repeat the
        // log-out.
        let other = UserDirectories(options)?.other(of: leaving.userID)
        for directory in [other, directory].compactMap(\.self) {
            // Ignore an error: the files are removed when the next user connects.
            try? await onDisk { () throws(StoreError) in try ChatStore.removeFiles(at: directory) }
        }
    }

    /// Ends the session of `engine`, performs `work` on its closed files, and starts a new session
    /// of the same user, even if `work` fails.
    ///
    /// - Throws: Errors of `work` and of opening the files; `canceled` if another user has
    ///   connected since.
    func reopen(
        _ engine: SyncEngine, after work: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(SyncError) {
        try await betweenSwitches { [self] () throws(SyncError) in
            guard let session, session.engine === engine else {
                throw SyncError(.canceled, "another user has connected during the call")
            }
            await end()
            do throws(SyncError) {
                try await onDisk(work)
            } catch {
                try await begin(session.userID)
                throw error
            }
            try await begin(session.userID)
        }
    }

    /// Performs an operation while no user's store is being opened or closed.
    func betweenSwitches<Failure: Error>(
        _ body: @escaping @MainActor () async throws(Failure) -> Void
    ) async throws(Failure) {
        let before = lastSwitch
        var result = Result<Void, Failure>.success(())
        let task = Task { @MainActor in
            await before?.value
            do throws(Failure) {
                try await body()
            } catch {
                result = .failure(error)
            }
        }
        lastSwitch = task
        await task.value
        if lastSwitch == task { lastSwitch = nil }
        try result.get()
    }

    private func end() async {
        isConnectionWanted = false
        for weak in collections { weak.collection?.dispose() }
        collections = []
        guard let ending = session else { return }
        session = nil
        follower?.stop()
        follower = nil
        (currentUser, unreadCount, lastTyping, lastReceivedPushes) = (nil, nil, [:], nil)
        enteredChannels = []
        ending.tasks.cancelAll()
        await ending.engine.close()
        ending.store.close()
        connectionState = .offline
    }

    /// Starts the session of a user.
    ///
    /// - Throws: ``SyncError`` with code `store` if the files cannot be opened, and the client
    ///   does not work in memory instead.
    private func begin(_ userID: UserID) async throws(SyncError) {
        (cachingError, storageDamage, isDamageReported) = (nil, StorageDamage(), true)
        await start(try await openSession(of: userID))
    }

    /// The session of a user before it starts, and the findings of opening the files.
    private struct OpenedSession {
        let session: Session
        let damage: StorageDamage
        let cachingError: StoreError?
    }

    /// Opens the files of a user, and creates an engine.
    private func openSession(of userID: UserID) async throws(SyncError) -> OpenedSession {
        let store: ChatStore
        var damage = StorageDamage()
        var cachingError: StoreError?
        do throws(StoreError) {
            (store, damage) = try await ChatClient.openStore(of: userID, options, migrationHandler)
        } catch {
            guard options.storageFailurePolicy == .continueInMemory else { throw SyncError(error) }
            cachingError = error
            store = try translatingStoreErrors { () throws(StoreError) in
                try ChatStore.inMemory(options: options.store)
            }
        }
        let engine = SyncEngine(
            store: store, backend: backend, options: options.sync,
            limits: options.cacheLimits, sleep: options.sleep, jitter: options.jitter,
            now: options.now, makeRequestID: options.makeRequestID,
            renewSession: options.renewSession)
        return OpenedSession(
            session: Session(userID: userID, store: store, engine: engine, tasks: TaskBag()),
            damage: damage, cachingError: cachingError)
    }

    private func start(_ opened: OpenedSession) async {
        let session = opened.session
        let (store, engine) = (session.store, session.engine)
        self.session = session
        (cachingError, storageDamage) = (opened.cachingError, opened.damage)
        isDamageReported = storageDamage.isEmpty
        currentUser = try? store.storedUser()
        follow(session)
        log(session)
        keepIndexed(session)
        store.observeCacheDamage { [weak self, weak engine] error in
            Task { @MainActor in
                if let self, let engine { self.recordCacheDamage(error, of: engine) }
            }
        }
        store.observeReplacements { [weak self, weak engine] reason in
            Task { @MainActor in
                if let self, let engine { self.recordReplacement(reason, of: engine) }
            }
        }
        await readPushInbox(of: session)
    }

    /// Processes the push inbox and records the result.
    ///
    /// After an error, the next call processes the same messages.
    private func readPushInbox(of session: Session) async {
        do throws(SyncError) {
            record(.success(try await session.engine.readPushInbox()), by: session.engine)
        } catch {
            record(.failure(error), by: session.engine)
        }
    }

    /// Records the result of processing the push inbox, unless the engine is that of another user.
    func record(_ result: Result<ReceivedPushes, SyncError>, by engine: SyncEngine) {
        guard session?.engine === engine else { return }
        if case .success(let received) = result, received.pushCount == 0,
            let failure = received.failure
        {
            lastReceivedPushes = .failure(failure)
        } else if case .success(let received) = result, received.isEmpty {
            // The inbox was empty: keep the content of an earlier result, but not an earlier error.
            if case .failure = lastReceivedPushes { lastReceivedPushes = nil }
        } else {
            lastReceivedPushes = result
        }
    }

    /// Opens the files of a user.
    @concurrent
    private static func openStore(
        of userID: UserID, _ options: ChatClientOptions,
        _ migrationHandler: @Sendable (MigrationProgress) -> Void
    ) async throws(StoreError) -> (ChatStore, StorageDamage) {
        guard let directories = UserDirectories(options) else {
            return (try ChatStore.inMemory(options: options.store), StorageDamage())
        }
        try directories.prepare()
        try directories.checkKey(of: userID)
        let directory = directories.directory(of: userID)
        let store = try ChatStore(
            at: directory, options: options.store, encryptionKey: options.encryptionKey,
            now: options.now(), migrationHandler: migrationHandler)
        var damage = StorageDamage(store.openingReport)
        do throws(StoreError) {
            _ = try store.storedUser()
        } catch {
            // The owner of the outbox must be known before an engine connects.
            guard store.isCacheDamage(error) else { throw error }
            try store.replaceCache(reason: error, at: options.now())
            damage.replacedCache = error
        }
        if damage.replacedCache != nil {
            try store.recordOwner(User(id: userID), replacedAt: options.now())
        }
        if options.encryptionKey != nil { damage.plainStore = directories.other(of: userID) }
        return (store, damage)
    }

    // MARK: Following

    private func follow(_ session: Session) {
        session.tasks.add(
            Task { @MainActor [weak self, engine = session.engine] in
                for await event in await engine.events() {
                    // Ignore events of a session that has ended.
                    guard let self, self.session?.engine === engine else { return }
                    handle(event)
                }
            })
        if !channelDelegates.isEmpty || !eventFollowers.isEmpty || !uploadFollowers.isEmpty {
            followChanges(of: session)
        }
    }

    /// Starts to report the events of channels.
    ///
    /// Without delegates and subscribers, commits do not wake the main actor.
    private func followChanges(of session: Session) {
        guard follower == nil else { return }
        // Ignore the error: a closed store reports no changes.
        follower = try? StoreFollower(.everything, of: session.store) { [weak self] change in
            self?.handle(change)
        }
    }

    private func handle(_ event: SyncEvent) {
        switch event {
        case .state(let state): handle(state)
        case .sessionExpired:
            report(.sessionExpired)
        default: break
        }
    }

    /// Reports new damage to the delegates.
    ///
    /// ``connect(as:)`` reports damage that was found earlier, also before a delegate was
    /// registered; later damage is reported as soon as it is found.
    private func reportDamage() {
        guard !isDamageReported, !userEventDelegates.isEmpty || !userFollowers.isEmpty else {
            return
        }
        isDamageReported = true
        for delegate in userEventDelegates.all { delegate.client(self, didFind: storageDamage) }
        userFollowers.notify(.damage(storageDamage))
    }

    private func checkCacheDamage(of session: Session) {
        if let error = session.store.cacheDamage { recordCacheDamage(error, of: session.engine) }
    }

    private func recordCacheDamage(_ error: StoreError, of engine: SyncEngine) {
        guard storageDamage.cache == nil, let session, session.engine === engine,
            session.store.isCacheDamage(error)
        else { return }
        storageDamage.cache = error
        isDamageReported = false
        reportDamage()
    }

    private func recordReplacement(_ reason: StoreError, of engine: SyncEngine) {
        guard session?.engine === engine else { return }
        (storageDamage.cache, storageDamage.replacedCache) = (nil, reason)
        isDamageReported = false
        reportDamage()
    }

    private func handle(_ state: SyncState) {
        if let session, let cause = state.failure?.cause as? StoreError {
            recordCacheDamage(cause, of: session.engine)
        }
        if state.connection != .revoked { currentUser = state.user ?? currentUser }
        connectionState = state.connection
        if state.connection == .online { lastConnectedAt = options.now() }
        let isCounted = state.unreadCount != unreadCount
        unreadCount = state.unreadCount
        if isCounted, let count = state.unreadCount {
            for delegate in userEventDelegates.all {
                delegate.client(self, didUpdateUnreadCount: count)
            }
            userFollowers.notify(.unreadCount(count))
        }
        guard let event = phases.record(state, isWanted: isConnectionWanted) else { return }
        if event == .sessionRevoked { closeRevokedSession() }
        if event == .connected || event == .reconnectionSucceeded { enterAgain() }
        report(event)
    }

    private func report(_ event: ConnectionEvent) {
        for delegate in connectionDelegates.all { delegate.client(self, didReceive: event) }
        connectionFollowers.notify(event)
    }

    /// Closes the data of a user whose session was revoked.
    ///
    /// Data that can be fetched again is removed from views and from the device. The outbox is kept
    /// in case the user returns.
    private func closeRevokedSession() {
        endCollections()
        currentUser = nil
        guard let session else { return }
        recordLastUser(nil, of: session)
        Task { @MainActor in
            // The end of the session waits until the data is removed.
            await betweenSwitches { [self] in
                guard self.session?.engine === session.engine else { return }
                // Ignore the errors: no other user can see the data, which is in this user's
                // directory, and the push inbox of a revoked user is never processed.
                try? await session.engine.clearCachedData(source: .sessionEnded)
                try? await onDisk { () throws(StoreError) in try session.store.purgeCleared() }
                try? await removeOtherCachedData()
                try? await session.engine.removePushInbox()
            }
        }
    }

    /// Records the user whose cache the next client shows before a user connects, unless the
    /// encryption key may be wrong.
    private func recordLastUser(_ userID: UserID?, of session: Session) {
        guard let directories = UserDirectories(options), cachingError?.code != .wrongKey else {
            return
        }
        LastUser(options)?.set(
            userID,
            replacesUnreadable: !session.store.openingReport.isNew
                && ((try? directories.isKeyOfEachStore()) ?? false))
    }

    private func handle(_ change: Change) {
        guard let session else { return }
        for entry in change.entries {
            if case .ephemeral(.uploadProgress(let id, let url, let bytes, let total)) =
                entry.operation
            {
                uploadFollowers.notify(
                    UploadProgress(
                        requestID: id, channelURL: url, bytesTransferred: bytes, bytesInAll: total))
            }
            let events = ChannelEvent.events(of: entry, in: session.store, for: session.userID)
            for event in events {
                for delegate in channelDelegates.all { delegate.client(self, didReceive: event) }
                eventFollowers.notify(event)
            }
        }
    }
}
