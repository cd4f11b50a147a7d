import Foundation
import Models
import Observation
import Store
import Sync

extension ChatClient {
    func switchUser(to userID: UserID) async throws(SyncError) {
        try await afterOtherSwitches { [self] () throws(SyncError) in
            if session?.userID == userID { return }
            await end()
            try await begin(userID)
        }
    }

    func hasFiles(of userID: UserID) -> Bool {
        guard let directory = UserDirectories(options)?.directory(of: userID) else { return false }
        return FileManager.default.fileExists(atPath: directory.path)
    }

    /// Connects a user without data on this device, and then ends the previous session.
    ///
    /// After an error, that session continues.
    func connectNewUser(
        _ credentials: Credentials
    ) async throws(SyncError) -> ConnectOutcome {
        let opened = try await openSession(of: credentials.userID)
        let previous = session?.engine
        candidate = opened.engine
        // A backend has one connection.
        await previous?.pauseConnection()
        do throws(SyncError) {
            let outcome = try await opened.engine.connect(as: credentials)
            candidate = nil
            await end()
            await startSession(opened)
            return outcome
        } catch {
            candidate = nil
            await discard(opened)
            await previous?.continueConnection()
            guard error.code == .closed else { throw error }
            throw SyncError(.canceled, "another call has ended the connection of \(credentials)")
        }
    }

    /// Closes a session that has not started, and removes the files that it has created.
    func discard(_ session: Session) async {
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
    /// A user who has connected since, even the same one, is not affected.
    func forget(_ leaving: Session, removesFiles: Bool) async {
        await afterOtherSwitches { [self] in
            let isPresent = session?.engine === leaving.engine
            if isPresent { await end() }
            if session?.userID != leaving.userID {
                await removeFiles(of: leaving, keepsOutbox: !removesFiles)
            }
            // Forget the user last, so that an interrupted log-out can be repeated.
            if isPresent { recordLastUser(nil, of: leaving) }
        }
    }

    /// Removes all directories of a user or, if `keepsOutbox` is true, only the cache of the user's
    /// store.
    ///
    /// The directories include the store that this client does not open. The files of a cleared
    /// cache may still contain cleared rows.
    func removeFiles(of leaving: Session, keepsOutbox: Bool) async {
        guard let directory = leaving.store.directory else { return }
        guard !keepsOutbox else {
            // Ignore an error: the rows are removed already, and compactions rewrite the files.
            try? await onDisk { () throws(StoreError) in
                try ChatStore.removeCachedData(at: directory)
            }
            return
        }
        // Remove the user's own store last, so that an interrupted log-out can be repeated.
        let other = UserDirectories(options)?.other(of: leaving.userID)
        for directory in [other, directory].compactMap(\.self) {
            // Ignore an error: the rows are removed already, and an interrupted removal continues
            // when the next user connects.
            try? await onDisk { () throws(StoreError) in try ChatStore.removeFiles(at: directory) }
        }
    }

    /// Ends the session of `engine`, performs `work` on its closed files, and starts a new session
    /// of the user, even if `work` fails.
    ///
    /// Throws `canceled` if another user has connected since.
    func reopen(
        _ engine: SyncEngine, after work: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(SyncError) {
        try await afterOtherSwitches { [self] () throws(SyncError) in
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

    /// Performs an operation after all earlier ones, so that only one at a time opens or closes a
    /// store.
    func afterOtherSwitches<Failure: Error>(
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

    func end() async {
        isConnectionWanted = false
        for weak in collections { weak.collection?.dispose() }
        collections = []
        guard let ending = session else { return }
        session = nil
        follower?.stop()
        follower = nil
        (currentUser, unreadCount, lastTyping, lastReceivedPushes) = (nil, nil, [:], nil)
        (storageDamage, isDamageReported) = (StorageDamage(), true)
        enteredChannels = []
        ending.tasks.cancelAll()
        await ending.engine.close()
        ending.store.close()
        connectionState = .offline
    }

    func begin(_ userID: UserID) async throws(SyncError) {
        await startSession(try await openSession(of: userID))
    }

    func openSession(of userID: UserID) async throws(SyncError) -> Session {
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
        return Session(
            userID: userID, store: store, engine: engine, tasks: TaskBag(), openingDamage: damage,
            cachingError: cachingError)
    }

    func startSession(_ session: Session) async {
        let (store, engine) = (session.store, session.engine)
        self.session = session
        storageDamage = session.openingDamage
        isDamageReported = storageDamage.isEmpty
        currentUser = try? store.storedUser()
        follow(session)
        log(session)
        indexMessages(of: session)
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

    func readPushInbox(of session: Session) async {
        do throws(SyncError) {
            record(.success(try await session.engine.readPushInbox()), by: session.engine)
        } catch {
            record(.failure(error), by: session.engine)
        }
    }

    func record(_ result: Result<ReceivedPushes, SyncError>, by engine: SyncEngine) {
        guard session?.engine === engine else { return }
        if case .success(let received) = result, received.pushCount == 0,
            let failure = received.failure
        {
            lastReceivedPushes = .failure(failure)
        } else if case .success(let received) = result, received.isEmpty {
            // The inbox was empty: keep an earlier content, but not an earlier error.
            if case .failure = lastReceivedPushes { lastReceivedPushes = nil }
        } else {
            lastReceivedPushes = result
        }
    }

    @concurrent
    static func openStore(
        of userID: UserID, _ options: ChatClientOptions,
        _ migrationHandler: @Sendable (MigrationProgress) -> Void
    ) async throws(StoreError) -> (ChatStore, StorageDamage) {
        guard let directories = UserDirectories(options) else {
            return (try ChatStore.inMemory(options: options.store), StorageDamage())
        }
        try directories.finishLogouts()
        try directories.checkKey(of: userID)
        let directory = directories.directory(of: userID)
        let store = try ChatStore(
            at: directory, options: options.store, encryptionKey: options.encryptionKey,
            // Another program may have replaced the key file since the check.
            allowsPlainFiles: options.encryptionKey == nil, now: options.now(),
            migrationHandler: migrationHandler)
        var damage = StorageDamage(store.openingReport)
        var user: User?
        do throws(StoreError) {
            user = try store.storedUser()
            if let owner = user, owner.userID != userID {
                user = nil
                throw store.cacheDamage("the cache names another user as its owner")
            }
        } catch {
            guard store.isCacheDamage(error) else { throw error }
            try store.replaceCache(reason: error, at: options.now())
            damage.replacedCache = error
        }
        // The owner of the outbox must be known before an engine connects. If the process ended
        // after a replacement, the new cache may lack the owner.
        if user == nil, try store.replacedAt() != nil {
            try store.recordOwner(User(id: userID))
        }
        if options.encryptionKey != nil { damage.plainStore = directories.other(of: userID) }
        store.sortOutdatedLists()
        return (store, damage)
    }
}
