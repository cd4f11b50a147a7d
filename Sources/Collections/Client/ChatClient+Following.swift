import Foundation
import Models
import Observation
import Store
import Sync

extension ChatClient {
    func follow(_ session: Session) {
        session.tasks.add(
            Task { @MainActor [weak self, engine = session.engine] in
                for await event in await engine.events() {
                    guard let self, self.session?.engine === engine else { return }
                    handle(event)
                }
            })
        if !channelDelegates.isEmpty || !eventSubscribers.isEmpty || !uploadSubscribers.isEmpty {
            followChanges(of: session)
        }
    }

    func followChanges(of session: Session) {
        guard follower == nil else { return }
        // Ignore the error: a closed store reports no changes.
        follower = try? StoreFollower(.everything, of: session.store) { [weak self] change in
            self?.handle(change)
        }
    }

    func handle(_ event: SyncEvent) {
        switch event {
        case .state(let state): handle(state)
        case .sessionExpired:
            report(.sessionExpired)
        default: break
        }
    }

    /// Reports new damage to the delegates.
    ///
    /// ``connect(as:)`` repeats this, for delegates that were registered later.
    func reportDamage() {
        guard !isDamageReported, !userEventDelegates.isEmpty || !userSubscribers.isEmpty else {
            return
        }
        isDamageReported = true
        for delegate in userEventDelegates.all { delegate.client(self, didFind: storageDamage) }
        userSubscribers.notify(.damage(storageDamage))
    }

    func checkCacheDamage(of session: Session) {
        if let error = session.store.cacheDamage { recordCacheDamage(error, of: session.engine) }
    }

    func recordCacheDamage(_ error: StoreError, of engine: SyncEngine) {
        guard storageDamage.cache == nil, let session, session.engine === engine,
            session.store.isCacheDamage(error)
        else { return }
        storageDamage.cache = error
        isDamageReported = false
        reportDamage()
    }

    func recordReplacement(_ reason: StoreError, of engine: SyncEngine) {
        guard session?.engine === engine else { return }
        (storageDamage.cache, storageDamage.replacedCache) = (nil, reason)
        isDamageReported = false
        reportDamage()
    }

    func handle(_ state: SyncState) {
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
            userSubscribers.notify(.unreadCount(count))
        }
        guard let event = phases.record(state, isWanted: isConnectionWanted) else { return }
        if event == .sessionRevoked { closeRevokedSession() }
        if event == .connected || event == .reconnectionSucceeded { enterAgain() }
        report(event)
    }

    func report(_ event: ConnectionEvent) {
        for delegate in connectionDelegates.all { delegate.client(self, didReceive: event) }
        connectionSubscribers.notify(event)
    }

    /// Removes the data of a user whose session was revoked, except the outbox.
    func closeRevokedSession() {
        endCollections()
        (currentUser, lastReceivedPushes) = (nil, nil)
        guard let session else { return }
        recordLastUser(nil, of: session)
        Task { @MainActor in
            // The end of the session waits until the data is removed.
            await afterOtherSwitches { [self] in
                guard self.session?.engine === session.engine else { return }
                // Ignore the errors: no other user can see the data, and the push inbox of a
                // revoked user is never processed.
                try? await session.engine.clearCachedData(source: .sessionEnded)
                try? await onDisk { () throws(StoreError) in try session.store.removeCleared() }
                try? await removeOtherCachedData()
                try? await session.engine.removePushInbox()
            }
        }
    }

    /// Records the user whose cache the next client shows first, unless the key may be wrong.
    func recordLastUser(_ userID: UserID?, of session: Session) {
        guard let directories = UserDirectories(options), cachingError?.code != .wrongKey else {
            return
        }
        LastUser(options)?.set(
            userID,
            replacesUnreadable: !session.store.openingReport.isNew
                && ((try? directories.isKeyOfEachStore()) ?? false))
    }

    func handle(_ change: Change) {
        guard let session else { return }
        for entry in change.entries {
            if case .ephemeral(.uploadProgress(let id, let url, let bytes, let total)) =
                entry.operation
            {
                uploadSubscribers.notify(
                    UploadProgress(
                        requestID: id, channelURL: url, bytesTransferred: bytes, bytesInAll: total))
            }
            let events = ChannelEvent.events(of: entry, in: session.store, for: session.userID)
            for event in events {
                for delegate in channelDelegates.all { delegate.client(self, didReceive: event) }
                eventSubscribers.notify(event)
            }
        }
    }
}
