import Foundation
public import Models
public import Observation
public import Store
public import Sync

/// A client of a chat server: the current user, the user's data on this device, and the connection.
///
/// ```swift
/// let client = ChatClient(backend: backend)
/// try await client.open(as: "alice")  // opens the cache, without a network
/// let messages = try client.makeMessageCollection(of: "general")
/// messages.start()
/// try await client.connect(as: "alice")
/// ```
///
/// Each user's data is in a separate directory. ``open(as:)`` opens that of a user, so that it is
/// shown before the server answers, and ``open(backend:options:migrationHandler:)`` that of the
/// user who connected last. An app with several accounts creates a client for each of them.
@MainActor
@Observable
public final class ChatClient {
    /// The options of the client; ``changeEncryptionKey(to:)`` changes the encryption key.
    @ObservationIgnored public internal(set) var options: ChatClientOptions

    /// The connection to the server.
    @ObservationIgnored package let backend: any Backend

    /// The connected user, or the user whose data is shown offline; `nil` before the first user
    /// connects.
    public internal(set) var currentUser: User?

    /// The state of the connection.
    public internal(set) var connectionState = ConnectionState.offline

    /// The time of the last connection, on this device's clock; `nil` if there was none since the
    /// client was opened.
    public internal(set) var lastConnectedAt: Timestamp?

    /// The numbers of unread messages, unread mentions and pending invitations of the user's stored
    /// group channels.
    ///
    /// It is `nil` until all channels of a user were fetched, in this process or an earlier one,
    /// and if the server has no unread counts.
    public internal(set) var unreadCount: UnreadItemCount?

    /// The error of opening the user's files, if the client works in memory because of it and of
    /// the policy ``StorageFailurePolicy/continueInMemory``; otherwise `nil`.
    public var cachingError: StoreError? { session?.cachingError }

    /// The damage found in the user's files since they were opened, including lost outbox items.
    ///
    /// ``UserEventDelegate/client(_:didFind:)`` receives new damage.
    public internal(set) var storageDamage = StorageDamage()

    /// The last nonempty content of the push inbox, or the error of reading it; `nil` if there was
    /// neither.
    ///
    /// An empty inbox clears an earlier error, but not an earlier content. The content has at most
    /// ``/Store/PushInbox/maximumByteCount`` bytes.
    public internal(set) var lastReceivedPushes: Result<ReceivedPushes, SyncError>?

    /// A Boolean value that indicates whether the client stores data in files.
    public var isUsingLocalCaching: Bool { options.storage != .inMemory && cachingError == nil }

    var session: Session?
    @ObservationIgnored var collections: [WeakCollection] = []
    @ObservationIgnored var lastSwitch: Task<Void, Never>?
    /// The engine of a user who connects for the first time, while the previous user's session
    /// still exists.
    @ObservationIgnored var candidate: SyncEngine?
    @ObservationIgnored var isConnectionWanted = false
    @ObservationIgnored var follower: StoreFollower?
    @ObservationIgnored var phases = ConnectionPhases()
    @ObservationIgnored var isDamageReported = true
    @ObservationIgnored var connectionDelegates = WeakDelegates<any ConnectionDelegate>()
    @ObservationIgnored var userEventDelegates = WeakDelegates<any UserEventDelegate>()
    @ObservationIgnored var channelDelegates = WeakDelegates<any ChannelDelegate>()
    @ObservationIgnored let eventSubscribers = Subscribers<ChannelEvent>()
    @ObservationIgnored let connectionSubscribers = Subscribers<ConnectionEvent>()
    @ObservationIgnored let userSubscribers = Subscribers<UserEvent>()
    @ObservationIgnored let uploadSubscribers = Subscribers<UploadProgress>()
    @ObservationIgnored private let closingSubscribers = Subscribers<Never>()
    @ObservationIgnored var lastTyping: [ChannelURL: Timestamp] = [:]
    @ObservationIgnored var enteredChannels: Set<ChannelURL> = []
    let migrationHandler: @Sendable (MigrationProgress) -> Void

    struct Session {
        let userID: UserID
        let store: ChatStore
        let engine: SyncEngine
        let tasks: TaskBag
        /// The damage that was found when the files were opened.
        let openingDamage: StorageDamage
        let cachingError: StoreError?
    }

    struct WeakCollection {
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

    /// Creates a client without a user, which opens no file until ``open(as:)`` or
    /// ``connect(as:)``.
    ///
    /// The parameters are those of ``open(backend:options:migrationHandler:)``.
    public init(
        backend: any Backend, options: ChatClientOptions = ChatClientOptions(),
        migrationHandler: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) {
        self.backend = backend
        self.options = options
        self.migrationHandler = migrationHandler
    }

    /// Opens the stored data of a user, to show it without a connection.
    ///
    /// The session of another user ends first. The files of a new user are created.
    ///
    /// - Throws: `invalidArgument` if the ID is empty; `canceled` if another user connects during
    ///   the call; `store`, as ``open(backend:options:migrationHandler:)`` does.
    public func open(as userID: UserID) async throws(SyncError) {
        try Credentials(userID).check()
        if session?.userID != userID || lastSwitch != nil { try await switchUser(to: userID) }
        guard session?.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
    }

    /// Opens a client with the stored data of the user who connected last.
    ///
    /// `migrationHandler` is called on another thread at the beginning, during, and at the end of a
    /// migration of files of an older version, also when another user connects later.
    ///
    /// - Throws: `store` if the files of the last user cannot be opened and
    ///   ``ChatClientOptions/storageFailurePolicy`` is `fail`. Its cause is a
    ///   ``/Store/StoreError``: `locked` if another process or client has the files open,
    ///   `wrongKey`, `newerSchema`, `permission`, `noSpace`, `io`, or `corruption` of a file that
    ///   cannot be replaced, such as the key file, or of a cache that was replaced for the same
    ///   reason less than an hour ago.
    public static func open(
        backend: any Backend, options: ChatClientOptions = ChatClientOptions(),
        migrationHandler: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws(SyncError) -> ChatClient {
        let client = ChatClient(
            backend: backend, options: options, migrationHandler: migrationHandler)
        if let userID = LastUser(options)?.userID {
            try await client.begin(userID)
        } else if let directories = UserDirectories(options) {
            // Ignore an error: connecting a user repeats this step, and throws it.
            try? await onDisk { () throws(StoreError) in try directories.finishLogouts() }
        }
        return client
    }

    /// Ends all work and closes the files; the client cannot be used afterwards.
    public func close() async {
        await candidate?.close()
        await afterOtherSwitches { [self] in await end() }
        eventSubscribers.end()
        connectionSubscribers.end()
        userSubscribers.end()
        uploadSubscribers.end()
        closingSubscribers.end()
    }

    /// Returns a stream without elements, which ends when the client is closed or released.
    package func lifetime() -> AsyncStream<Never> { closingSubscribers.subscribe() }

    // MARK: The connection

    /// Connects a user.
    ///
    /// If the connection fails, the outcome depends on whether the user has connected on this
    /// device before:
    ///
    /// - If so, the call returns `offline` and the reason. The app can show the stored data, and
    ///   the client keeps retrying.
    /// - Otherwise, the call throws the error. The session of another user then continues, and the
    ///   new user gets no files.
    ///
    /// When the session of another user ends, that user's collections are disposed. The data stays
    /// on this device, and the outbox items are sent when that user connects again.
    ///
    /// - Throws: `invalidArgument` if the user's ID is empty (the previous user then stays
    ///   connected), or if the server refuses the user; `notConnected`; `closed`; `canceled` if
    ///   another user connects during the call; `store`, as
    ///   ``open(backend:options:migrationHandler:)`` does: if the user has data on this device, the
    ///   client then has no user. The call can be repeated.
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
            try await afterOtherSwitches { [self] () throws(SyncError) in
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

    /// Processes the push inbox, and reconnects immediately if the client is waiting to reconnect.
    ///
    /// Call this method when the network is available again, or when the app becomes active.
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
    /// Call this method when the app enters the background, and ``resume()`` when it becomes
    /// active: iOS terminates a process that is suspended while it holds a lock on a file in a
    /// shared container. Meanwhile, collections keep their content, but calls that load, send or
    /// change data fail.
    ///
    /// - Throws: As ``/Sync/SyncEngine/suspend()``.
    public func suspend() async throws(SyncError) { try await session?.engine.suspend() }

    /// Opens the files again after ``suspend()``, and reconnects if the app has connected a user
    /// and has not called ``disconnect()``.
    ///
    /// Collections then show the changes of other processes and the content of the push inbox.
    ///
    /// - Throws: As ``/Sync/SyncEngine/resume()``.
    public func resume() async throws(SyncError) {
        guard let session else { return }
        if let directories = UserDirectories(options) {
            let userID = session.userID
            try await onDisk { () throws(StoreError) in
                try directories.checkRoot()
                try ChatStore.checkIsNoLink(at: directories.directory(of: userID))
            }
        }
        try await session.engine.resume()
        await readPushInbox(of: session)
    }

    /// The sync engine of the user, for operations that the client lacks; throws `noUser` if no
    /// user has connected yet.
    public var engine: SyncEngine {
        get throws(SyncError) {
            guard let session else {
                throw SyncError(
                    .noUser, "the client has no user: call connect(as:) or open(as:) first")
            }
            return session.engine
        }
    }

    /// The user of ``engine``, also before the user has connected.
    package var engineUserID: UserID? { session?.userID }

    // MARK: Collections

    func endCollections() {
        for weak in collections { weak.collection?.endSession() }
        collections = []
    }

    func add(_ collection: any Collection) {
        collections.removeAll { $0.collection == nil }
        collections.append(WeakCollection(collection: collection))
    }

    // MARK: Delegates

    /// Registers a delegate for events of the connection, which is not retained.
    ///
    /// Registering a delegate again has no effect. A delegate replaces an earlier one with the same
    /// identifier.
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
    /// The stream continues when another user connects. It buffers events without a limit: read it
    /// continuously, or release it.
    public func events() -> AsyncStream<ChannelEvent> {
        let events = eventSubscribers.subscribe()
        if let session { followChanges(of: session) }
        return events
    }

    /// Returns a stream of the events of the connection, as ``events()`` does for channels.
    public func connectionEvents() -> AsyncStream<ConnectionEvent> {
        connectionSubscribers.subscribe()
    }

    /// Returns a stream of the events of the user, as ``events()`` does for channels.
    public func userEvents() -> AsyncStream<UserEvent> { userSubscribers.subscribe() }

    /// Returns a stream of the progress of all uploads, as ``events()`` does for channels.
    public func uploads() -> AsyncStream<UploadProgress> {
        let uploads = uploadSubscribers.subscribe()
        if let session { followChanges(of: session) }
        return uploads
    }
}
