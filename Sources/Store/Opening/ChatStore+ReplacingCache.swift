public import Foundation
package import Models

extension ChatStore {
    /// Replaces the damaged cache by an empty one.
    ///
    /// The outbox, drafts and pins stay. Observers receive ``Change/Operation/replacedCache``.
    /// Existing ``Snapshot``s stay valid, and keep the old files open. After a crash, the next
    /// opening uses the old or the new cache.
    ///
    /// If the reason does not concern the current cache, the call has no effect. Unless the user
    /// requested the replacement, the call throws `corruption` if the cache was replaced for a
    /// reason of the same kind less than an hour ago. After an error, the old cache stays.
    ///
    /// - Precondition: The call is not inside a write.
    package func replaceCache(
        reason: StoreError, at now: Timestamp, isRequested: Bool = false
    ) throws(StoreError) {
        precondition(!isWriting, "ChatStore.replaceCache is a write: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            guard isCacheDamage(reason) else { return }
            let number = try state.withLock { (state) throws(StoreError) in
                guard let number = state.committed?.number ?? state.resumed?.number,
                    state.failure?.code != .suspended
                else { throw state.failure ?? StoreError(closedAt: path) }
                return number
            }
            let old = cache
            let files = directory.map(CacheFiles.init(in:))
            let created = try files?.replace(
                CacheReplacement.Kind(reason), reason, at: isRequested ? nil : now)
            let new = try openEmptyCache(at: created ?? old.path, replacedAt: now)
            let committed = CommittedState(
                number: number + 1, cache: try new.snapshot(), outbox: try outbox.snapshot())
            writer = Writer(next: writer.next.ofEmptyCache)
            caches.withLock { $0 = new }
            state.withLock { ($0.resumed, $0.failure) = (nil, nil) }
            publish(
                committed,
                Change(number: number + 1, entries: [Change.Entry(operation: .replacedCache)]))
            // The next opening sets aside files that stay because of an error.
            old.retire { try? files?.setAside(old.path) }
        }
        for observer in replacementObservers.withLock({ $0 }) { observer(reason) }
    }

    private func openEmptyCache(
        at path: String, replacedAt now: Timestamp
    ) throws(StoreError) -> LevelDB {
        do throws(StoreError) {
            let new = try LevelDB(
                at: path, options: cache.options, environment: cache.environment.another(at: path))
            new.firstDamage.observe { [weak self] in self?.reportCacheDamage($0) }
            try new.setUpEmptyCache(replacedAt: now)
            return new
        } catch {
            // Report the original error.
            if directory != nil { try? DiskFile.removeAll(at: path) }
            throw error
        }
    }

    /// Calls a closure with each replacement's reason, on the replacing thread.
    package func observeReplacements(_ observer: @escaping @Sendable (StoreError) -> Void) {
        replacementObservers.withLock { $0.append(observer) }
    }
}

extension LevelDB {
    func setUpEmptyCache(replacedAt now: Timestamp) throws(StoreError) {
        try setKindFormat()
        try setSchemaVersion(StoreSchema.current.version, replacedAt: now)
    }
}

extension Batch.NextNumbers {
    fileprivate var ofEmptyCache: Self {
        var next = self
        (next.channel, next.access, next.recordedGeneration) = (1, nil, 0)
        return next
    }
}

// MARK: The time of the replacement

// The time is a token, which is written with the version of the new cache. On-disk format, DO NOT
// CHANGE.
private let timeScope = "replaced"

extension Timestamp {
    fileprivate var token: [UInt8] { Array("\(milliseconds)".utf8) }
}

extension Overlay {
    func put(replacedAt time: Timestamp) {
        put({ $0.tokenKey(timeScope) }, { $0.raw(time.token) })
    }
}

extension Batch {
    package func setReplacedAt(_ time: Timestamp) { setToken(time.token, for: timeScope) }
}

extension StoreReader {
    /// Returns the device's time when the cache, with its tombstones, was last replaced or cleared.
    package func replacedAt() throws(StoreError) -> Timestamp? {
        try token(timeScope).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            .map { Timestamp(milliseconds: $0) }
    }
}

// MARK: Closed stores

extension ChatStore {
    /// Makes the next opening of a closed store rebuild the index of the outbox items, and set
    /// ``OpeningReport/isOutboxReindexed``.
    ///
    /// Call this method if ``check()`` has found problems in the outbox. All readable items are
    /// kept.
    ///
    /// - Parameter directory: The directory; without a store, the call has no effect.
    /// - Throws: `locked` if the store is open; `newerSchema`; `permission` or `io`.
    /// - Complexity: O(1); the next opening is O(*n*) in the rows of the outbox.
    public static func reindexOutbox(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard files.exist else { return }
        try LevelDB.Environment.disk().withLock(of: files.outbox, files.outboxDistrust.set)
    }
}

extension StoreFiles {
    var caches: CacheFiles { CacheFiles(in: directory) }

    func mustReplaceCache(after error: StoreError) -> Bool {
        (error.code == .corruption || error.code == .newerSchema)
            && (error.path + "/").hasPrefix(cache + "/")
    }

    func replaceCache(reason: StoreError, at now: Timestamp) throws(StoreError) {
        // As for ``ChatStore/removeCache(at:)``, lock both databases.
        try withLocks { () throws(StoreError) in
            _ = try caches.replace(CacheReplacement.Kind(reason), reason, at: now)
        }
    }

    func replaced(
        _ cache: LevelDB, ofVersion version: Int, at now: Timestamp
    ) throws(StoreError) -> LevelDB {
        cache.retire {}
        let reason = StoreError(
            .corruption, "the files have the older version \(version)", path: cache.path)
        let path = try caches.replace(.older, reason, at: now)
        return try LevelDB(
            at: path, options: cache.options, environment: cache.environment.another(at: path))
    }
}

extension ChatStore {
    /// Removes the cache of a closed store; the next opening creates an empty one, and sets
    /// ``OpeningReport/isCacheNew``.
    ///
    /// The next sync fetches the data again. The outbox is not changed.
    ///
    /// - Parameter directory: The directory; without a cache, the call has no effect.
    /// - Throws: `locked` if the store is open; `newerSchema`; `permission` or `io`, after which
    ///   some files may be removed: repeat the call.
    /// - Complexity: O(*n*) in the files; waits for the disk.
    public static func removeCache(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        let environment = LevelDB.Environment.disk()
        guard access(files.cache, F_OK) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "find the cache", path: files.cache)
        }
        // While an open store reopens files after a failed write, it locks only the outbox.
        try environment.withLock(of: files.outbox) { () throws(StoreError) in
            try environment.withLock(of: files.cache) {}
            try files.caches.removeReplaced()
            try DiskFile.remove(CacheReplacement.path(in: directory.path))
            try LevelDB.destroy(at: files.cache)
            try DatabaseFiles(files.cache).checkAllAreGone()
            try DiskFile(directory: directory.path).sync()
        }
    }
}
