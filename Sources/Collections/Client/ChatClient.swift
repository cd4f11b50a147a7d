import Foundation
public import Models
public import Observation
public import Store
public import Sync

/// The front door: a user, what this device has of their chats, and the way to the server.
///
/// ```swift
/// var options = ChatClientOptions()
/// options.isLocalCachingEnabled = true
/// let client = await ChatClient.open(backend: backend, options: options)
/// try await client.connect(as: Credentials("alice"))
/// let messages = try client.makeMessageCollection(of: "general")
/// ```
///
/// Each user has a directory of their own, so that nobody sees what is another's. The last one's is opened with
/// the client: what is held can be shown before anybody has connected.
@MainActor
@Observable
public final class ChatClient {
    /// What was chosen when the client was opened; ``changeEncryptionKey(to:)`` alone changes it later.
    @ObservationIgnored public internal(set) var options: ChatClientOptions

    /// The server, or the way to it.
    @ObservationIgnored public let backend: any Backend

    /// The user who is connected, or whose data is shown offline; `nil` before the first one connects.
    public private(set) var currentUser: User?

    /// Whether this device is connected.
    public private(set) var connectionState = ConnectionState.closed

    /// When this device was last connected, by its own clock; `nil` if it was not since the client was opened.
    public private(set) var lastConnectedAt: Timestamp?

    /// How much the user has not seen, over all channels; `nil` where the server has not said.
    public private(set) var unreadCount: UnreadItemCount?

    /// Why nothing is kept although caching was asked for; `nil` if all is well.
    ///
    /// Everything works then, in memory. ``clearCachedData()`` is the way out of a damaged cache.
    public private(set) var cachingError: StoreError?

    /// What was found damaged or lost of the user's files since they were opened.
    ///
    /// ``UserEventDelegate/didFindStorageDamage(_:)`` is told of it.
    public private(set) var storageDamage = StorageDamage()

    /// What other processes had left in the drop box when the client last found anything there, or why it
    /// could not look; `nil` if it never did.
    ///
    /// It has the messages, which stay in memory until something else is found: as much as a full box holds,
    /// ``/Store/DropBox/maximumSize``.
    public private(set) var lastAbsorption: Result<AbsorbedDrops, SyncError>?

    /// Whether what comes is kept on this device.
    public var isUsingLocalCaching: Bool {
        options.isLocalCachingEnabled && cachingError == nil
    }

    private(set) var session: Session?
    @ObservationIgnored private var collections: [WeakCollection] = []
    @ObservationIgnored private var lastSwitch: Task<Void, Never>?
    @ObservationIgnored private var isConnectionWanted = false
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private var report = ConnectionReport()
    @ObservationIgnored private var isDamageReported = true
    @ObservationIgnored private var connectionDelegates = Delegates<any ConnectionDelegate>()
    @ObservationIgnored private var userEventDelegates = Delegates<any UserEventDelegate>()
    @ObservationIgnored private var channelDelegates = Delegates<any ChannelDelegate>()
    @ObservationIgnored var lastTyping: [ChannelURL: Timestamp] = [:]
    private let migrationHandler: @Sendable (MigrationProgress) -> Void

    /// What belongs to one user.
    struct Session {
        let userID: UserID
        let store: ChatStore
        let engine: SyncEngine
        let tasks: TaskBag
    }

    private struct WeakCollection {
        weak var collection: (any Collection)?
    }

    /// What ends with its user.
    @MainActor
    protocol Collection: AnyObject {
        func dispose()
    }

    private init(
        _ backend: any Backend, _ options: ChatClientOptions,
        _ migrationHandler: @escaping @Sendable (MigrationProgress) -> Void
    ) {
        self.backend = backend
        self.options = options
        self.migrationHandler = migrationHandler
    }

    // MARK: Opening

    /// Opens a client, and what is held of the user who was last connected.
    ///
    /// Never fails: where the cache cannot be opened, ``cachingError`` says why, and all works in memory.
    ///
    /// - Parameters:
    ///   - backend: The server, or the way to it.
    ///   - options: How it keeps what it has, and goes about its work.
    ///   - migrationHandler: Is called on another thread when files are of an older version, at the
    ///     beginning, now and then, and at the end; here, and when another user connects.
    /// - Returns: The client.
    public static func open(
        backend: any Backend, options: ChatClientOptions = ChatClientOptions(),
        migrationHandler: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async -> ChatClient {
        let client = ChatClient(backend, options, migrationHandler)
        guard options.isLocalCachingEnabled else { return client }
        if let userID = LastUser(options).userID {
            await client.begin(userID)
        } else {
            // What fails here is tried again, and reported, when a user connects.
            try? await onDisk { () throws(StoreError) in try UserDirectories(options).prepare() }
        }
        return client
    }

    /// Ends all that is under way, and lets go of the files; the client is of no use any more.
    public func close() async { await switchUser(to: nil) }

    // MARK: The connection

    /// Connects a user.
    ///
    /// There are three outcomes. Connected: a user and no error. Not connected, but the user was let in
    /// before: the user and the error; what is held may be shown, and the client goes on trying. Not
    /// connected, and nothing held: the error is thrown.
    ///
    /// Where somebody else was connected, their collections are disposed of; what is held of them stays on
    /// this device, and what they wrote is sent when they connect again.
    ///
    /// - Returns: The user, and why there is no connection yet.
    /// - Throws: ``/Sync/SyncError`` with code `refused` if the user's id is empty (then the user before
    ///   stays connected), or if the server does not let the user in; `notConnected`; `store`, `closed`, and `canceled` if somebody else connects meanwhile.
    @discardableResult
    public func connect(
        as credentials: Credentials
    ) async throws(SyncError) -> (user: User, error: BackendError?) {
        try credentials.check()
        if session?.userID != credentials.userID || lastSwitch != nil {
            await switchUser(to: credentials.userID)
        }
        guard let session, session.userID == credentials.userID else {
            throw SyncError(.canceled, "somebody else has connected instead of \(credentials)")
        }
        reportDamage()
        isConnectionWanted = true
        await absorb(of: session)
        guard isConnectionWanted else { throw SyncError(.closed, "disconnected meanwhile") }
        let outcome = try await session.engine.connect(as: credentials)
        guard self.session?.engine === session.engine else {
            throw SyncError(.canceled, "somebody else has connected instead of \(credentials)")
        }
        currentUser = outcome.user
        noteLastUser(credentials.userID)
        return outcome
    }

    /// Tries to connect at once, if it is waiting to; call it when the network is back, or the application.
    ///
    /// Takes in what other processes have left meanwhile, as ``absorbDrops()`` does.
    public func reconnect() async {
        guard let session else { return }
        await absorb(of: session)
        await session.engine.reconnect()
    }

    /// Ends the connection; what is held stays, and can be shown.
    public func disconnect() async {
        isConnectionWanted = false
        await session?.engine.disconnect()
    }

    /// Ends the connection and lets go of the files, so that the system may suspend the process.
    ///
    /// iOS ends a process that is suspended with a lock on a file in a container that it shares: call it when
    /// the application goes to the background, and ``resume()`` when it is back. Collections show what they
    /// show; what is loaded, sent or changed meanwhile fails.
    ///
    /// - Throws: ``/Sync/SyncError`` as ``/Sync/SyncEngine/suspend()`` does; nobody's client has nothing to
    ///   let go of.
    public func suspend() async throws(SyncError) { try await session?.engine.suspend() }

    /// Opens the files again, and goes on where ``suspend()`` has left off: connects if a connection was
    /// wanted, and collections are told what another process may have written, or left in the drop box.
    ///
    /// - Throws: ``/Sync/SyncError`` as ``/Sync/SyncEngine/resume()`` does.
    public func resume() async throws(SyncError) {
        guard let session else { return }
        try await session.engine.resume()
        await absorb(of: session)
    }

    /// The engine of the user.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected.
    public func engine() throws(SyncError) -> SyncEngine {
        guard let session else {
            throw SyncError(.notConnected, "nobody is connected: call connect(as:) first")
        }
        return session.engine
    }

    // MARK: Collections

    func add(_ collection: any Collection) {
        collections.removeAll { $0.collection == nil }
        collections.append(WeakCollection(collection: collection))
    }

    // MARK: Delegates

    /// Has somebody told of the connection, until they are removed or let go of.
    ///
    /// - Parameters:
    ///   - delegate: Who. It is not held.
    ///   - identifier: A name for it; one of the same name is replaced.
    public func addConnectionDelegate(
        _ delegate: any ConnectionDelegate, identifier: String = "default"
    ) { connectionDelegates[identifier] = delegate }

    /// Has nobody of a name told of the connection any more.
    public func removeConnectionDelegate(identifier: String = "default") {
        connectionDelegates[identifier] = nil
    }

    /// Has somebody told of the user, as ``addConnectionDelegate(_:identifier:)``.
    public func addUserEventDelegate(
        _ delegate: any UserEventDelegate, identifier: String = "default"
    ) { userEventDelegates[identifier] = delegate }

    /// Has nobody of a name told of the user any more.
    public func removeUserEventDelegate(identifier: String = "default") {
        userEventDelegates[identifier] = nil
    }

    /// Has somebody told of what happens in channels, as ``addConnectionDelegate(_:identifier:)``.
    public func addChannelDelegate(
        _ delegate: any ChannelDelegate, identifier: String = "default"
    ) {
        channelDelegates[identifier] = delegate
        if let session { followChanges(of: session) }
    }

    /// Has nobody of a name told of channels any more.
    public func removeChannelDelegate(identifier: String = "default") {
        channelDelegates[identifier] = nil
    }

    // MARK: Users

    /// Ends what belongs to one user, and begins with another; one switch after the other.
    func switchUser(to userID: UserID?) async {
        await betweenSwitches { [self] in
            if session?.userID == userID, userID != nil { return }
            await end()
            if let userID { await begin(userID) }
        }
    }

    /// Ends what belongs to a user, and forgets who it was; removes all their files, if that is wanted.
    ///
    /// Who has connected meanwhile is left alone: the same user, too.
    func forget(_ leaving: Session, removesFiles: Bool) async {
        await betweenSwitches { [self] in
            let isPresent = session?.engine === leaving.engine
            if isPresent { await end() }
            if session?.userID != leaving.userID {
                await removeFiles(of: leaving, keepsOutbox: !removesFiles)
            }
            // Last: after a crash before this, the user is there to log out once more.
            if isPresent { noteLastUser(nil) }
        }
    }

    /// Removes all directories of a user: also the store of another key setting, which this client cannot read.
    ///
    /// - Parameters:
    ///   - leaving: What belongs to the user.
    ///   - keepsOutbox: Whether only the cache of the user's store is removed, whose tables may still hold what
    ///     was cleared.
    private func removeFiles(of leaving: Session, keepsOutbox: Bool) async {
        guard let directory = leaving.store.directory else { return }
        guard !keepsOutbox else {
            // The rows are removed already. Files that cannot be removed now are rewritten by later writes.
            try? await onDisk { () throws(StoreError) in
                try ChatStore.removeCachedData(at: directory)
            }
            return
        }
        let (options, userID) = (options, leaving.userID)
        // The others first: this one is what a user can log out of again.
        let others = (try? UserDirectories(options).others(of: userID)) ?? []
        for directory in others + [directory] {
            // What cannot be removed now goes when the next user connects.
            try? await onDisk { () throws(StoreError) in try ChatStore.removeFiles(at: directory) }
        }
    }

    /// Ends what belongs to the user of an engine, does something with the files, and begins anew with
    /// the same user, whether it succeeded or not.
    ///
    /// - Throws: What the work throws; `canceled` if somebody else has connected meanwhile.
    func reopen(
        _ engine: SyncEngine, after work: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(SyncError) {
        try await betweenSwitches { [self] () throws(SyncError) in
            guard let session, session.engine === engine else {
                throw SyncError(.canceled, "somebody else has connected meanwhile")
            }
            await end()
            do throws(SyncError) {
                try await onDisk(work)
            } catch {
                await begin(session.userID)
                throw error
            }
            await begin(session.userID)
        }
    }

    /// Does something while no user's store is opened or closed.
    ///
    /// - Throws: What the closure throws.
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
        (currentUser, unreadCount, lastTyping, lastAbsorption) = (nil, nil, [:], nil)
        ending.tasks.cancelAll()
        await ending.engine.close()
        ending.store.close()
        connectionState = .closed
    }

    private func begin(_ userID: UserID) async {
        var store: ChatStore?
        (cachingError, storageDamage, isDamageReported) = (nil, StorageDamage(), true)
        if options.isLocalCachingEnabled {
            do throws(StoreError) {
                let opened = try await ChatClient.openStore(of: userID, options, migrationHandler)
                store = opened.store
                storageDamage = StorageDamage(opened.store.openingReport, unmoved: opened.unmoved)
                isDamageReported = storageDamage.isEmpty
            } catch {
                cachingError = error
            }
        }
        guard let store = store ?? ChatClient.temporaryStore() else { return }
        let engine = SyncEngine(
            store: store, backend: backend, options: options.sync,
            limits: options.cacheLimits, sleep: options.sleep, jitter: options.jitter,
            now: options.now, makeRequestID: options.makeRequestID,
            renewSession: options.renewSession)
        let session = Session(userID: userID, store: store, engine: engine, tasks: TaskBag())
        self.session = session
        currentUser = try? store.storedUser()
        follow(session)
        await absorb(of: session)
    }

    /// Takes in what waits in the drop box; what fails here waits for the next time.
    private func absorb(of session: Session) async {
        do throws(SyncError) {
            note(.success(try await session.engine.absorbDrops()), by: session.engine)
        } catch {
            note(.failure(error), by: session.engine)
        }
    }

    /// Notes what an engine has found in the drop box; what was another user's is not this one's.
    func note(_ result: Result<AbsorbedDrops, SyncError>, by engine: SyncEngine) {
        guard session?.engine === engine else { return }
        if case .success(let absorbed) = result, absorbed.isEmpty {
            // What was found before stays; why it could not look does not.
            if case .failure = lastAbsorption { lastAbsorption = nil }
        } else {
            lastAbsorption = result
        }
    }

    @concurrent
    private static func openStore(
        of userID: UserID, _ options: ChatClientOptions,
        _ migrationHandler: @Sendable (MigrationProgress) -> Void
    ) async throws(StoreError) -> (store: ChatStore, unmoved: SyncError?) {
        let directories = UserDirectories(options)
        try directories.prepare()
        try directories.encryptPlainStore(of: userID)
        let store = try ChatStore(
            at: options.directory(of: userID), options: options.store,
            encryptionKey: options.encryptionKey, migrationHandler: migrationHandler)
        do throws(SyncError) {
            try directories.moveOutboxes(of: userID, to: store)
            return (store, nil)
        } catch {
            return (store, error)
        }
    }

    /// A store in memory; it fails only where there is no memory.
    private static func temporaryStore() -> ChatStore? { try? ChatStore.inMemory() }

    // MARK: Following

    private func follow(_ session: Session) {
        session.tasks.add(
            Task { @MainActor [weak self, engine = session.engine] in
                for await event in await engine.events() {
                    // What was told before its user went is of no interest.
                    guard let self, self.session?.engine === engine else { return }
                    take(event)
                }
            })
        if !channelDelegates.isEmpty { followChanges(of: session) }
    }

    /// Has channel delegates told; where there are none, no commit need wake the main actor.
    private func followChanges(of session: Session) {
        guard follower == nil else { return }
        // A store that is closed already has nothing to tell.
        follower = try? StoreFollower(.everything, of: session.store) { [weak self] change in
            self?.take(change)
        }
    }

    private func take(_ event: SyncEvent) {
        switch event {
        case .state(let state): take(state)
        case .sessionExpired:
            for delegate in connectionDelegates.all { delegate.sessionTokenDidRequire() }
        default: break
        }
    }

    /// Notifies delegates of what was found damaged, once: at the next connection, or when it is found.
    private func reportDamage() {
        guard !isDamageReported else { return }
        isDamageReported = true
        for delegate in userEventDelegates.all { delegate.didFindStorageDamage(storageDamage) }
    }

    private func noteCacheDamage(_ state: SyncState) {
        guard storageDamage.cache == nil, let session,
            let cause = state.failure?.cause as? StoreError, session.store.isCacheDamage(cause)
        else { return }
        storageDamage.cache = cause
        isDamageReported = false
        reportDamage()
    }

    private func take(_ state: SyncState) {
        noteCacheDamage(state)
        if state.connection != .revoked { currentUser = state.user ?? currentUser }
        connectionState = ConnectionState(state.connection)
        if state.connection == .online { lastConnectedAt = options.now() }
        if let count = state.unreadCount, count != unreadCount {
            unreadCount = count
            for delegate in userEventDelegates.all {
                delegate.didUpdateTotalUnreadMessageCount(count)
            }
        }
        guard let event = report.note(state, isWanted: isConnectionWanted) else { return }
        if event == .revoked { closeRevokedSession() }
        for delegate in connectionDelegates.all { event.tell(delegate) }
    }

    /// Closes what is held to a user whom the server does not let in any more.
    ///
    /// What the server can give again leaves the device. What was not sent stays, for the user's return.
    private func closeRevokedSession() {
        for weak in collections { weak.collection?.dispose() }
        currentUser = nil
        noteLastUser(nil)
        guard let engine = session?.engine else { return }
        let clearing = Task { @MainActor in
            // Left there, it is shown to nobody: whoever connects next has another directory, or clears it.
            try? await engine.clearCachedData()
            try? await removeOtherCachedData()
            // Nor does what is left there come in: nothing is absorbed for who was revoked.
            try? await engine.removeDropBox()
        }
        session?.tasks.add(clearing)
    }

    /// Notes whose cache is shown before anybody connects; a wrong key touches nothing.
    private func noteLastUser(_ userID: UserID?) {
        guard options.isLocalCachingEnabled, cachingError?.code != .wrongKey else { return }
        LastUser(options).set(userID)
    }

    private func take(_ change: Change) {
        guard let session else { return }
        let news = ChannelNews(store: session.store, userID: session.userID)
        for entry in change.entries {
            for delegate in channelDelegates.all { news.tell(delegate, entry) }
        }
    }
}
